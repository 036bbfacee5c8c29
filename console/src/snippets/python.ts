import { comment, partitionNote, pathOf, portOf, type SnippetInput, type SnippetText } from './snippet.ts'

const signIn = (given: SnippetInput) => `import os

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
provider = OAuth(app).register(
    "tenantry",
    client_id="${given.clientId}",
${
  given.kind === 'public'
    ? '    token_endpoint_auth_method="none",'
    : '    client_secret=os.environ["CLIENT_SECRET"],'
}
    server_metadata_url="${given.issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "${given.scopes.join(' ')}", "code_challenge_method": "S256"},
)


@app.get("/login")
def login():
    return provider.authorize_redirect("${given.redirectUri}")


@app.get("${pathOf(given.redirectUri)}")
def callback():
    try:
        token = provider.authorize_access_token()
    except OAuthError as error:
        return {"The sign-in failed": error.description}, 403
    user = token["userinfo"]  # the claims of the verified ID token
    session.clear()
${comment('#', partitionNote(given), '    ')}
    session["user"] = {key: user[key] for key in ("email", "account_id", "membership_id")}
    return redirect("/")


@app.get("/")
def home():
    return session.get("user") or '<a href="/login">Sign in</a>'


if __name__ == "__main__":
    app.run(host="localhost", port=${portOf(given)})
`

const service = (given: SnippetInput) => `import os

from authlib.integrations.requests_client import OAuth2Session

client = OAuth2Session("${given.clientId}", os.environ["CLIENT_SECRET"])
client.fetch_token("${given.issuer}/token", grant_type="client_credentials")

${comment('#', partitionNote(given))}
for membership in client.get("${given.issuer}/admin/memberships").json()["data"]:
    print(membership["accountId"], membership["id"])
`

export const python: SnippetText = {
  title: 'Python, Authlib',
  install: ({ kind }) =>
    kind === 'service' ? 'pip install authlib requests' : 'pip install authlib flask requests',
  files: (given) => [{ name: 'app.py', code: given.kind === 'service' ? service(given) : signIn(given) }],
  start: ({ kind }) =>
    kind === 'service' ? 'python app.py' : 'SESSION_SECRET=$(openssl rand -hex 32) python app.py',
  kinds: ['web', 'public', 'service'],
}
