// Signs users in, and serves the page and its API. The tokens are in the memory of this process, and the session
// cookie refers to them.
import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import session from '@fastify/session'
import files from '@fastify/static'
import fastify from 'fastify'
import * as oidc from 'openid-client'
import { membersApi } from './api.js'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, PORT } = process.env
const home = `http://localhost:${PORT}`
const isLocal = new URL(ISSUER).hostname === 'localhost'
const provider = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: isLocal ? [oidc.allowInsecureRequests] : [], // http in development only
})

const app = fastify()
await app.register(cookie)
await app.register(session, {
  secret: SESSION_SECRET,
  cookie: { secure: !isLocal, httpOnly: true, sameSite: 'lax' },
})

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
  request.session.signInId = randomUUID()
  signIns.set(request.session.signInId, keptOf(tokens))
  return reply.redirect('/')
})

/** The tokens of each sign-in. Requests of one browser at the same time share an entry. */
const signIns = new Map()

const keptOf = (tokens, before = {}) => ({
  access: tokens.access_token,
  refresh: tokens.refresh_token,
  id: tokens.id_token ?? before.id,
  expiresAt: Date.now() + tokens.expires_in * 1000,
})

/** The access token of the session, undefined without one. Requests a new one, once, if it has expired. */
async function accessToken({ signInId }) {
  const kept = signIns.get(signInId)
  if (!kept || kept.expiresAt > Date.now()) return kept?.access
  kept.renewed ??= oidc.refreshTokenGrant(provider, kept.refresh).catch((error) => {
    kept.renewed = undefined
    throw error
  })
  const renewed = keptOf(await kept.renewed, kept)
  if (signIns.get(signInId) === kept) signIns.set(signInId, renewed)
  return renewed.access
}

async function endSession(request) {
  const kept = signIns.get(request.session.signInId)
  signIns.delete(request.session.signInId)
  await request.session.destroy()
  return kept
}

app.get('/logout', async (request, reply) => {
  const kept = await endSession(request)
  const url = oidc.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${home}/`,
    ...(kept && { id_token_hint: kept.id }),
  })
  return reply.redirect(url.href)
})

await app.register(membersApi, {
  prefix: '/api',
  issuer: ISSUER,
  clientId: CLIENT_ID,
  home,
  accessToken,
  endSession,
})
await app.register(files, { root: new URL('dist', import.meta.url) })
await app.listen({ port: PORT, host: 'localhost' })
process.stdout.write(`Ready at ${home}\n`)
