import { comment, partitionNote, type SnippetInput, type SnippetText } from './snippet.ts'

const authorization = ({ clientId, redirectUri, scopes }: SnippetInput) =>
  new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: scopes.join(' '),
    redirect_uri: redirectUri,
    code_challenge_method: 'S256',
  })

const credentials = ({ clientId, kind }: SnippetInput) =>
  kind === 'public' ? `-d client_id=${clientId}` : `-u "${clientId}:$CLIENT_SECRET"`

const signIn = (given: SnippetInput) => `# Prints an address. Open it in a private window and sign in.
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "${given.issuer}/auth?${authorization(given)}&code_challenge=$CHALLENGE"

# The browser arrives at your redirect URI. Copy \`code\` from its address within a minute.
read -r CODE
curl -sS ${given.issuer}/token ${credentials(given)} \\
  -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
  --data-urlencode 'redirect_uri=${given.redirectUri}'

# Who signed in. ACCESS_TOKEN: the access_token of the previous response.
${comment('#', partitionNote(given))}
curl -sS ${given.issuer}/me -H "Authorization: Bearer $ACCESS_TOKEN"
`

const service = (given: SnippetInput) => `# A token of the service, then the memberships of its application.
TOKEN=$(curl -sS ${given.issuer}/token ${credentials(given)} \\
  -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
${comment('#', partitionNote(given))}
curl -sS ${given.issuer}/admin/memberships -H "Authorization: Bearer $TOKEN"
`

export const curl: SnippetText = {
  title: 'curl',
  commands: (given) => (given.kind === 'service' ? service(given) : signIn(given)),
  kinds: ['web', 'public', 'service'],
}
