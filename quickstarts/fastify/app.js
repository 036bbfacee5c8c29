// A web application and an API with Fastify and openid-client. Sessions are in the memory of this process.
import cookie from '@fastify/cookie'
import session from '@fastify/session'
import fastify from 'fastify'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oidc from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const home = `http://localhost:${PORT}`
const isLocal = new URL(ISSUER).hostname === 'localhost'
const provider = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: isLocal ? [oidc.allowInsecureRequests] : [], // http in development only
})

const app = fastify()
await app.register(cookie)
await app.register(session, { secret: SESSION_SECRET, cookie: { secure: 'auto', sameSite: 'lax' } })

app.get('/login', async (request, reply) => {
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  request.session.signIn = { verifier, state }
  const url = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: `${home}/callback`,
    scope: 'openid email profile offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  return reply.redirect(url.href)
})

app.get('/callback', async (request, reply) => {
  const { verifier, state } = request.session.signIn ?? {}
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(request.url, home), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  await request.session.regenerate() // a new session id, so that one known before the sign-in is worth nothing
  request.session.user = tokens.claims() // key your own records by membership_id
  keep(request.session, tokens)
  return reply.redirect('/')
})

function keep(session, tokens) {
  session.tokens = {
    access: tokens.access_token,
    refresh: tokens.refresh_token,
    id: tokens.id_token ?? session.tokens?.id,
    expiresAt: Date.now() + tokens.expires_in * 1000,
  }
}

/** The access token of the session; requests a new one if it has expired. */
async function accessToken(session) {
  if (session.tokens.expiresAt < Date.now())
    keep(session, await oidc.refreshTokenGrant(provider, session.tokens.refresh))
  return session.tokens.access
}

app.get('/logout', async (request, reply) => {
  const id_token_hint = request.session.tokens?.id
  await request.session.destroy()
  const url = oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: `${home}/`, id_token_hint })
  return reply.redirect(url.href)
})

// The API: requires an access token for this application, and uses the account in it.
const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`))
app.get('/api/orders', async (request, reply) => {
  try {
    const [, token = ''] = (request.headers.authorization ?? '').split('Bearer ')
    const rules = { issuer: ISSUER, audience: CLIENT_ID, typ: 'at+jwt' }
    const { payload } = await jwtVerify(token, keys, rules)
    return { account: payload.account_id, permissions: payload.permissions }
  } catch {
    return reply.code(401).header('WWW-Authenticate', 'Bearer').send({ error: 'invalid_token' })
  }
})

app.get('/', async ({ session }, reply) => {
  reply.type('text/html')
  if (!session.user) return '<a href="/login">Sign in</a>'
  const { email, account_id, membership_id } = session.user
  const answer = await fetch(`${home}/api/orders`, {
    headers: { authorization: `Bearer ${await accessToken(session)}` },
  })
  return `<p>Signed in as <b id="email">${escapeHtml(email)}</b>
    <p>Account <b id="account">${account_id}</b>, membership ${membership_id}
    <p>API: <span id="api">${answer.status} ${escapeHtml(await answer.text())}</span>
    <p><a href="/logout">Sign out</a>`
})

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

await app.listen({ port: PORT, host: 'localhost' })
process.stdout.write(`Ready at ${home}\n`)
