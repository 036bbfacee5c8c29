// A web application and an API with go-oidc and golang.org/x/oauth2. Sessions are in the memory of this process.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Claims of an ID token or access token.
type Claims struct {
	Email        string   `json:"email"`
	AccountID    string   `json:"account_id"`
	MembershipID string   `json:"membership_id"` // key your own records by it
	Permissions  []string `json:"permissions"`
}

// Session of one browser. Its token source requests a new access token when the current one has expired.
type Session struct {
	user    Claims
	idToken string
	tokens  oauth2.TokenSource
}

var (
	issuer, clientID = os.Getenv("ISSUER"), os.Getenv("CLIENT_ID")
	home             = "http://localhost:" + os.Getenv("PORT")
	sessions         sync.Map
)

func random() string {
	bytes := make([]byte, 32)
	rand.Read(bytes)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(home, "https:"),
	})
}

func sessionOf(r *http.Request) (*Session, string) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return nil, ""
	}
	session, ok := sessions.Load(cookie.Value)
	if !ok {
		return nil, ""
	}
	return session.(*Session), cookie.Value
}

func main() {
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	provider.Claims(&metadata)
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  home + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "email", "profile", oidc.ScopeOfflineAccess},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: clientID})

	http.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		state, proof := random(), oauth2.GenerateVerifier()
		setCookie(w, "state", state+"."+proof, 600)
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(proof)), http.StatusFound)
	})

	http.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("state")
		if err != nil {
			http.Error(w, "start again at /login", http.StatusBadRequest)
			return
		}
		state, proof, _ := strings.Cut(cookie.Value, ".")
		if r.FormValue("state") != state || r.FormValue("code") == "" {
			http.Error(w, "sign-in failed: "+r.FormValue("error"), http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(proof))
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
		session := &Session{idToken: raw, tokens: config.TokenSource(context.Background(), token)}
		verified.Claims(&session.user)
		id := random()
		sessions.Store(id, session)
		setCookie(w, "state", "", -1)
		setCookie(w, "session", id, 0)
		http.Redirect(w, r, "/", http.StatusFound)
	})

	http.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		query := url.Values{"post_logout_redirect_uri": {home + "/"}, "client_id": {clientID}}
		if session, id := sessionOf(r); session != nil {
			query.Set("id_token_hint", session.idToken)
			sessions.Delete(id)
		}
		http.Redirect(w, r, metadata.EndSession+"?"+query.Encode(), http.StatusFound)
	})

	// The API: requires an access token for this application, and uses the account in it.
	http.HandleFunc("GET /api/orders", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		raw := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		token, err := verifier.Verify(r.Context(), raw)
		if err != nil || !isAccessToken(raw) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"invalid_token"}`)
			return
		}
		var claims Claims
		token.Claims(&claims)
		json.NewEncoder(w).Encode(map[string]any{"account": claims.AccountID, "permissions": claims.Permissions})
	})

	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		session, _ := sessionOf(r)
		if session == nil {
			fmt.Fprint(w, `<a href="/login">Sign in</a>`)
			return
		}
		answer, err := oauth2.NewClient(r.Context(), session.tokens).Get(home + "/api/orders")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		fmt.Fprintf(w, `<p>Signed in as <b id="email">%s</b>
			<p>Account <b id="account">%s</b>, membership %s
			<p>API: <span id="api">%d %s</span>
			<p><a href="/logout">Sign out</a>`,
			html.EscapeString(session.user.Email), session.user.AccountID, session.user.MembershipID,
			answer.StatusCode, html.EscapeString(string(body)))
	})

	log.Fatal(http.ListenAndServe(strings.TrimPrefix(home, "http://"), nil))
}

// isAccessToken tells an access token (RFC 9068) from an ID token. The signature has been verified.
func isAccessToken(token string) bool {
	header, _ := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[0])
	var fields struct {
		Type string `json:"typ"`
	}
	return json.Unmarshal(header, &fields) == nil && fields.Type == "at+jwt"
}
