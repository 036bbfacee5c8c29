//! A web application and an API with axum and openidconnect. Sessions are in the memory of this process.
use std::{
    collections::HashMap,
    env,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, jwk::JwkSet};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken,
    Scope, TokenResponse,
    core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreTokenResponse},
    reqwest,
};
use serde::Deserialize;
use serde_json::json;

type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;
type Failure = Box<dyn std::error::Error + Send + Sync>;

struct App {
    issuer: String,
    client_id: String,
    home: String,
    http: reqwest::Client,
    client: Client,
    pending: Mutex<HashMap<String, (PkceCodeVerifier, Nonce)>>,
    sessions: Mutex<HashMap<String, Session>>,
}

#[derive(Clone)]
struct Session {
    email: String,
    account: String,
    membership: String, // key your own records by it
    access: String,
    refresh: RefreshToken,
    id_token: String,
    expires: Instant,
}

#[derive(Deserialize)]
struct Claims {
    account_id: String,
    membership_id: String,
    permissions: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (issuer, client_id) = (env::var("ISSUER")?, env::var("CLIENT_ID")?);
    let home = format!("http://localhost:{}", env::var("PORT")?);
    let http = reqwest::ClientBuilder::new().redirect(reqwest::redirect::Policy::none()).build()?;
    let metadata = CoreProviderMetadata::discover_async(IssuerUrl::new(issuer.clone())?, &http).await?;
    let client = CoreClient::from_provider_metadata(
        metadata,
        ClientId::new(client_id.clone()),
        Some(ClientSecret::new(env::var("CLIENT_SECRET")?)),
    )
    .set_redirect_uri(RedirectUrl::new(format!("{home}/callback"))?);
    let listener = tokio::net::TcpListener::bind(home.trim_start_matches("http://")).await?;
    let app = Arc::new(App {
        issuer,
        client_id,
        home,
        http,
        client,
        pending: Mutex::default(),
        sessions: Mutex::default(),
    });
    let routes = Router::new()
        .route("/", get(page))
        .route("/login", get(login))
        .route("/callback", get(callback))
        .route("/logout", get(logout))
        .route("/api/orders", get(orders))
        .with_state(app);
    Ok(axum::serve(listener, routes).await?)
}

fn cookie(name: &'static str, value: String) -> Cookie<'static> {
    Cookie::build((name, value)).path("/").http_only(true).same_site(SameSite::Lax).build()
}

async fn login(State(app): State<Arc<App>>, jar: CookieJar) -> impl IntoResponse {
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let mut request = app
        .client
        .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
        .set_pkce_challenge(challenge);
    for scope in ["email", "profile", "offline_access"] {
        request = request.add_scope(Scope::new(scope.into()));
    }
    let (url, state, nonce) = request.url();
    app.pending.lock().unwrap().insert(state.secret().clone(), (verifier, nonce));
    // The state belongs to this browser: another one cannot complete the sign-in.
    (jar.add(cookie("state", state.secret().clone())), Redirect::to(url.as_str()))
}

async fn callback(
    State(app): State<Arc<App>>,
    jar: CookieJar,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Response, Response> {
    let state = jar.get("state").map(|state| state.value().to_owned());
    let pending = match (&state, query.get("state")) {
        (Some(own), Some(given)) if own == given => app.pending.lock().unwrap().remove(own),
        _ => None,
    };
    let (Some((verifier, nonce)), Some(code)) = (pending, query.get("code")) else {
        return Err((StatusCode::BAD_REQUEST, "The sign-in failed.").into_response());
    };
    let session = complete(&app, code, verifier, &nonce).await.map_err(bad_gateway)?;
    let id = CsrfToken::new_random().secret().clone();
    app.sessions.lock().unwrap().insert(id.clone(), session);
    let jar = jar.add(cookie("session", id)).remove(cookie("state", String::new()));
    Ok((jar, Redirect::to("/")).into_response())
}

fn bad_gateway(error: Failure) -> Response {
    (StatusCode::BAD_GATEWAY, error.to_string()).into_response()
}

async fn complete(
    app: &App,
    code: &str,
    verifier: PkceCodeVerifier,
    nonce: &Nonce,
) -> Result<Session, Failure> {
    let tokens = app
        .client
        .exchange_code(AuthorizationCode::new(code.to_owned()))?
        .set_pkce_verifier(verifier)
        .request_async(&app.http)
        .await?;
    let id_token = tokens.id_token().ok_or("no ID token")?;
    let user = id_token.claims(&app.client.id_token_verifier(), nonce)?;
    let (access, refresh, expires) = parts_of(&tokens)?;
    let claims = verify(app, &access).await?;
    Ok(Session {
        email: user.email().map(|email| email.to_string()).unwrap_or_default(),
        account: claims.account_id,
        membership: claims.membership_id,
        access,
        refresh,
        id_token: id_token.to_string(),
        expires,
    })
}

fn parts_of(tokens: &CoreTokenResponse) -> Result<(String, RefreshToken, Instant), Failure> {
    Ok((
        tokens.access_token().secret().clone(),
        tokens.refresh_token().ok_or("no refresh token")?.clone(),
        Instant::now() + tokens.expires_in().unwrap_or(Duration::ZERO),
    ))
}

/// The access token of a session; requests a new one if it has expired.
async fn access_token(app: &App, id: &str, session: Session) -> Result<String, Failure> {
    if session.expires > Instant::now() {
        return Ok(session.access);
    }
    let tokens = app.client.exchange_refresh_token(&session.refresh)?.request_async(&app.http).await?;
    let (access, refresh, expires) = parts_of(&tokens)?;
    let renewed = Session { access: access.clone(), refresh, expires, ..session };
    app.sessions.lock().unwrap().insert(id.to_owned(), renewed);
    Ok(access)
}

async fn logout(State(app): State<Arc<App>>, jar: CookieJar) -> impl IntoResponse {
    let session = jar.get("session").and_then(|id| app.sessions.lock().unwrap().remove(id.value()));
    let mut url = reqwest::Url::parse(&format!("{}/session/end", app.issuer)).unwrap();
    url.query_pairs_mut()
        .append_pair("client_id", &app.client_id)
        .append_pair("post_logout_redirect_uri", &format!("{}/", app.home));
    if let Some(session) = session {
        url.query_pairs_mut().append_pair("id_token_hint", &session.id_token);
    }
    (jar.remove(cookie("session", String::new())), Redirect::to(url.as_str()))
}

/// Verifies an access token for this application. Keep the keys in memory in production.
async fn verify(app: &App, token: &str) -> Result<Claims, Failure> {
    let head = jsonwebtoken::decode_header(token)?;
    if head.typ.as_deref() != Some("at+jwt") {
        return Err("not an access token".into());
    }
    let body = app.http.get(format!("{}/jwks", app.issuer)).send().await?.text().await?;
    let keys: JwkSet = serde_json::from_str(&body)?;
    let key = keys.find(&head.kid.ok_or("no kid")?).ok_or("unknown key")?;
    let mut rules = Validation::new(Algorithm::ES256);
    rules.set_audience(&[&app.client_id]);
    rules.set_issuer(&[&app.issuer]);
    rules.leeway = 0;
    Ok(jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_jwk(key)?, &rules)?.claims)
}

/// The API: requires an access token for this application, and uses the account in it.
async fn orders(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let token = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .unwrap_or_default();
    match verify(&app, token).await {
        Ok(claims) => {
            Json(json!({ "account": claims.account_id, "permissions": claims.permissions })).into_response()
        }
        Err(_) => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, challenge, Json(json!({ "error": "invalid_token" }))).into_response()
        }
    }
}

async fn page(State(app): State<Arc<App>>, jar: CookieJar) -> Result<Html<String>, Response> {
    let id = jar.get("session").map(|id| id.value().to_owned()).unwrap_or_default();
    let session = app.sessions.lock().unwrap().get(&id).cloned();
    let Some(session) = session else {
        return Ok(Html("<a href=\"/login\">Sign in</a>".into()));
    };
    let (status, body) = call_api(&app, &id, session.clone()).await.map_err(bad_gateway)?;
    Ok(Html(format!(
        "<p>Signed in as <b id=\"email\">{}</b>
        <p>Account <b id=\"account\">{}</b>, membership {}
        <p>API: <span id=\"api\">{status} {}</span>
        <p><a href=\"/logout\">Sign out</a>",
        escape(&session.email),
        session.account,
        session.membership,
        escape(&body)
    )))
}

async fn call_api(app: &App, id: &str, session: Session) -> Result<(u16, String), Failure> {
    let token = access_token(app, id, session).await?;
    let answer = app.http.get(format!("{}/api/orders", app.home)).bearer_auth(token).send().await?;
    Ok((answer.status().as_u16(), answer.text().await?))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
