// A web application and an API with Express. The session is an encrypted cookie of this browser.
import express from 'express'
import openid from 'express-openid-connect'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const app = express()

// /login, /callback and /logout
app.use(
  openid.auth({
    issuerBaseURL: ISSUER,
    baseURL: `http://localhost:${PORT}`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid email profile offline_access' },
  }),
)

// The API: requires an access token for this application, and uses the account in it.
const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`))
app.use('/api', async (request, response, next) => {
  try {
    const [, token = ''] = (request.headers.authorization ?? '').split('Bearer ')
    const rules = { issuer: ISSUER, audience: CLIENT_ID, typ: 'at+jwt' }
    request.claims = (await jwtVerify(token, keys, rules)).payload
    next()
  } catch {
    response.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'invalid_token' })
  }
})
app.get('/api/orders', ({ claims }, response) => {
  response.json({ account: claims.account_id, permissions: claims.permissions })
})

/** The access token of this browser; requests a new one if it has expired. */
async function accessToken({ oidc }) {
  const current = oidc.accessToken
  return current.isExpired() ? (await current.refresh()).access_token : current.access_token
}

app.get('/', async (request, response) => {
  if (!request.oidc.isAuthenticated()) return response.send('<a href="/login">Sign in</a>')
  const { email, account_id, membership_id } = request.oidc.user // key your own records by membership_id
  const answer = await fetch(`http://localhost:${PORT}/api/orders`, {
    headers: { authorization: `Bearer ${await accessToken(request)}` },
  })
  response.send(`<p>Signed in as <b id="email">${escapeHtml(email)}</b>
    <p>Account <b id="account">${account_id}</b>, membership ${membership_id}
    <p>API: <span id="api">${answer.status} ${escapeHtml(await answer.text())}</span>
    <p><a href="/logout">Sign out</a>`)
})

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

app.listen(PORT, () => process.stdout.write(`Ready at http://localhost:${PORT}\n`))
