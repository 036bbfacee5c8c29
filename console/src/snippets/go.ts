import {
  comment,
  originOf,
  partitionNote,
  pathOf,
  portOf,
  type SnippetInput,
  type SnippetText,
} from './snippet.ts'

/** gofmt aligns the values of a literal. */
function fieldsOf({ clientId, redirectUri, kind, scopes }: SnippetInput): string {
  const fields = [
    ['ClientID', `"${clientId}"`],
    ...(kind === 'public' ? [] : [['ClientSecret', 'os.Getenv("CLIENT_SECRET")']]),
    ['Endpoint', 'provider.Endpoint()'],
    ['RedirectURL', `"${redirectUri}"`],
    ['Scopes', `[]string{${scopes.map((scope) => `"${scope}"`).join(', ')}}`],
  ] as const
  const width = Math.max(...fields.map(([name]) => name!.length)) + 2
  return fields.map(([name, value]) => `\t\t${`${name}:`.padEnd(width)}${value},`).join('\n')
}

/** gofmt requires the imports to be sorted and used. */
const imports = (names: readonly string[]) => names.map((name) => `\t"${name}"`).join('\n')

const signIn = (given: SnippetInput) => `package main

import (
${imports(['context', 'fmt', 'log', 'net/http', ...(given.kind === 'public' ? [] : ['os'])])}

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	provider, err := oidc.NewProvider(context.Background(), "${given.issuer}")
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
${fieldsOf(given)}
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		proof, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		setCookie(w, "proof", proof)
		setCookie(w, "state", state)
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(proof)), http.StatusFound)
	})

	http.HandleFunc("GET ${pathOf(given.redirectUri)}", func(w http.ResponseWriter, r *http.Request) {
		proof, _ := r.Cookie("proof")
		state, _ := r.Cookie("state")
		if proof == nil || state == nil || r.FormValue("state") != state.Value {
			http.Error(w, "Start again at /login", http.StatusBadRequest)
			return
		}
		if r.FormValue("error") != "" {
			http.Error(w, "The sign-in failed: "+r.FormValue("error_description"), http.StatusForbidden)
			return
		}
		token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(proof.Value))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		verified, err := verifier.Verify(r.Context(), raw)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
${comment('//', partitionNote(given), '\t\t')}
		var claims struct {
			Email        string \`json:"email"\`
			AccountID    string \`json:"account_id"\`
			MembershipID string \`json:"membership_id"\`
		}
		verified.Claims(&claims)
		fmt.Fprintf(w, "You are signed in: %+v", claims)
	})

	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, \`<a href="/login">Sign in</a>\`)
	})

	log.Print("Open ${originOf(given.redirectUri)}")
	log.Fatal(http.ListenAndServe("localhost:${portOf(given)}", nil))
}

func setCookie(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
`

const service = (given: SnippetInput) => `package main

import (
${imports(['context', 'io', 'log', 'os'])}

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     "${given.clientId}",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     "${given.issuer}/token",
	}
${comment('//', partitionNote(given), '\t')}
	answer, err := config.Client(context.Background()).Get("${given.issuer}/admin/memberships")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	io.Copy(os.Stdout, answer.Body)
}
`

export const go: SnippetText = {
  title: 'Go',
  install: ({ kind }) =>
    kind === 'service'
      ? 'go mod init sample && go get golang.org/x/oauth2/clientcredentials'
      : 'go mod init sample && go get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2',
  files: (given) => [{ name: 'main.go', code: given.kind === 'service' ? service(given) : signIn(given) }],
  start: () => 'go run .',
  kinds: ['web', 'public', 'service'],
}
