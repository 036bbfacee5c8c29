"""A web application and an API with Flask and Authlib. Tokens are in the memory of this process."""
import os
import time
from urllib.parse import urlencode

import jwt
import requests
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, request, session
from markupsafe import escape

ISSUER, CLIENT_ID = os.environ["ISSUER"], os.environ["CLIENT_ID"]
HOME = f"http://localhost:{os.environ['PORT']}"

app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
app.config["SESSION_COOKIE_NAME"] = "quickstart"
provider = OAuth(app).register(
    "tenantry",
    client_id=CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email profile offline_access", "code_challenge_method": "S256"},
)

# By sid: each sign-in has tokens of its own. A user (sub) can have several accounts, and be signed in to one of
# them (membership_id) on several devices.
tokens = {}


@app.get("/login")
def login():
    return provider.authorize_redirect(f"{HOME}/callback")


@app.get("/callback")
def callback():
    token = provider.authorize_access_token()
    user = token["userinfo"]  # the claims of the verified ID token
    session.clear()
    session["user"] = {key: user[key] for key in ("email", "account_id", "membership_id", "sid")}
    tokens[user["sid"]] = token
    return redirect("/")


def access_token(sid):
    """The access token of a session; requests a new one if it has expired."""
    token = tokens[sid]
    if token["expires_at"] < time.time():
        renewed = provider.fetch_access_token(
            grant_type="refresh_token", refresh_token=token["refresh_token"]
        )
        token = tokens[sid] = {**token, **renewed}
    return token["access_token"]


@app.get("/logout")
def logout():
    user = session.pop("user", None)
    token = tokens.pop(user["sid"], {}) if user else {}
    parameters = {"post_logout_redirect_uri": f"{HOME}/", "client_id": CLIENT_ID}
    if "id_token" in token:
        parameters["id_token_hint"] = token["id_token"]
    return redirect(f"{provider.load_server_metadata()['end_session_endpoint']}?{urlencode(parameters)}")


# The API: requires an access token for this application, and uses the account in it.
keys = jwt.PyJWKClient(f"{ISSUER}/jwks")


@app.get("/api/orders")
def orders():
    try:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if jwt.get_unverified_header(token).get("typ") != "at+jwt":
            raise jwt.InvalidTokenError("not an access token")
        key = keys.get_signing_key_from_jwt(token)
        claims = jwt.decode(token, key, algorithms=["ES256"], audience=CLIENT_ID, issuer=ISSUER)
    except jwt.PyJWTError:
        return jsonify(error="invalid_token"), 401, {"WWW-Authenticate": "Bearer"}
    return jsonify(account=claims["account_id"], permissions=claims["permissions"])


@app.get("/")
def home():
    user = session.get("user")
    if not user or user["sid"] not in tokens:
        return '<a href="/login">Sign in</a>'
    answer = requests.get(
        f"{HOME}/api/orders",
        headers={"Authorization": f"Bearer {access_token(user['sid'])}"},
        timeout=10,
    )
    return f"""<p>Signed in as <b id="email">{escape(user["email"])}</b>
        <p>Account <b id="account">{user["account_id"]}</b>, membership {user["membership_id"]}
        <p>API: <span id="api">{answer.status_code} {escape(answer.text)}</span>
        <p><a href="/logout">Sign out</a>"""


if __name__ == "__main__":
    app.run(host="localhost", port=int(os.environ["PORT"]), threaded=True)
