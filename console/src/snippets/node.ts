import { comment, type Given, isPlain, originOf, partitionNote, pathOf, type Snippet } from './snippet.ts'

const api = (given: Given) => `// An API that accepts the access tokens of your application.
import { claimsOf, createTenantry } from '@tenantry/client'
import fastify from 'fastify'

const tenantry = createTenantry({
  issuer: '${given.issuer}',
  clientId: '${given.clientId}',
})
const app = fastify()

app.get('/orders', { onRequest: tenantry.fastify() }, async (request) => {
  const { accountId, membershipId, permissions } = claimsOf(request)
${comment('//', partitionNote(given), '  ')}
  return { account: accountId, membership: membershipId, permissions }
})

await app.listen({ port: 8080 })
`

const service = (given: Given) => `// A service that calls the admin API with its own token.
import { createTenantry } from '@tenantry/client'

const tenantry = createTenantry({
  issuer: '${given.issuer}',
  clientId: '${given.clientId}',
  clientSecret: process.env.CLIENT_SECRET,
})

${comment('//', partitionNote(given))}
const { data } = await tenantry.admin.get('/admin/memberships', { query: { status: 'active' } })
for (const { accountId, id } of data) console.log(accountId, id)
`

/** Our own client library. */
export const nodeSdk: Snippet = {
  title: 'Node.js, Tenantry client',
  install: ({ kind }) =>
    kind === 'service' ? 'npm install @tenantry/client' : 'npm install @tenantry/client fastify',
  code: (given) => (given.kind === 'service' ? service(given) : api(given)),
  file: 'app.mjs',
  start: () => 'node app.mjs',
  kinds: ['web', 'public', 'service'],
}

const discovery = (given: Given) => {
  const authentication =
    given.kind === 'public' ? 'undefined, oidc.None()' : 'process.env.CLIENT_SECRET, undefined'
  const options = isPlain(given)
    ? `, {
  execute: [oidc.allowInsecureRequests], // http, for development only
}`
    : ''
  return `const issuer = new URL('${given.issuer}')
const clientId = '${given.clientId}'
const provider = await oidc.discovery(issuer, clientId, ${authentication}${options})`
}

/** The port of the redirect URI; one behind a proxy if it names none. */
const portOf = ({ redirectUri }: Given) => new URL(originOf(redirectUri)).port || '8080'

const secure = ({ redirectUri }: Given) => (redirectUri.startsWith('https:') ? '; Secure' : '')

const secretOf = ({ kind }: Given) => (kind === 'public' ? '' : "CLIENT_SECRET='the client secret' ")

const signIn = (given: Given) => `// app.mjs: start it with ${secretOf(given)}node app.mjs
// Then open ${originOf(given.redirectUri)}
import { createServer } from 'node:http'
import * as oidc from 'openid-client'

${discovery(given)}
const redirectUri = '${given.redirectUri}'

/** The cookie binds the sign-in to the browser that has started it. */
async function startSignIn(response) {
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const url = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: '${given.scopes.join(' ')}',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  const cookie = \`sign_in=\${state}.\${verifier}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax${secure(given)}\`
  response.writeHead(302, { location: url.href, 'set-cookie': cookie }).end()
}

async function finishSignIn(request, response) {
  const cookie = /(?:^|; )sign_in=([\\w-]+)\\.([\\w-]+)/.exec(request.headers.cookie ?? '')
  if (!cookie) throw new Error('This browser has not started the sign-in.')
  const [, state, verifier] = cookie
  const { search } = new URL(request.url, redirectUri)
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(search, redirectUri), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
${comment('//', partitionNote(given), '  ')}
  const { account_id, membership_id, email } = tokens.claims()
  console.log('Signed in:', { account_id, membership_id, email })
  const signOut = oidc.buildEndSessionUrl(provider, { id_token_hint: tokens.id_token })
  const claims = escape(JSON.stringify(tokens.claims(), null, 2))
  page(response, \`<h1>You are signed in</h1><pre>\${claims}</pre><a href="\${escape(signOut.href)}">Sign out</a>\`)
}

const escape = (text) => text.replace(/[&<>"]/g, (sign) => \`&#\${sign.charCodeAt(0)};\`)

const page = (response, body) =>
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'sign_in=; Path=/; Max-Age=0' })
    .end(\`<!doctype html><html lang="en"><title>Sample</title>\${body}</html>\`)

createServer(async (request, response) => {
  try {
    const { pathname, searchParams } = new URL(request.url, redirectUri)
    if (pathname === '/sign-in') return await startSignIn(response)
    if (pathname === '${pathOf(given.redirectUri)}' && searchParams.has('state'))
      return await finishSignIn(request, response)
    if (pathname === '/') return page(response, '<h1>Sample</h1><a href="/sign-in">Sign in</a>')
    response.writeHead(404).end()
  } catch (error) {
    console.error(error)
    const reason = error.error_description ?? error.message
    response.writeHead(400, { 'content-type': 'text/plain' }).end(\`The sign-in failed: \${reason}\`)
  }
}).listen(${portOf(given)}, () => console.log('Open ${originOf(given.redirectUri)}'))
`

const serviceToken = (given: Given) => `import * as oidc from 'openid-client'

${discovery(given)}
const { access_token } = await oidc.clientCredentialsGrant(provider)

const answer = await fetch('${given.issuer}/admin/memberships', {
  headers: { authorization: \`Bearer \${access_token}\` },
})
${comment('//', partitionNote(given))}
for (const { accountId, id } of (await answer.json()).data) console.log(accountId, id)
`

/** A library of any OpenID Connect server. */
export const nodeOpenidClient: Snippet = {
  title: 'Node.js, openid-client',
  install: () => 'npm install openid-client@6',
  code: (given) => (given.kind === 'service' ? serviceToken(given) : signIn(given)),
  file: 'app.mjs',
  start: () => 'node app.mjs',
  kinds: ['web', 'public', 'service'],
}

/** A single-page application. */
export const browser: Snippet = {
  title: 'Browser, oidc-client-ts',
  install: () => 'npm install oidc-client-ts',
  code: (given) => `import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: '${given.issuer}',
  client_id: '${given.clientId}',
  redirect_uri: '${given.redirectUri}',
  post_logout_redirect_uri: '${originOf(given.redirectUri)}/',
  scope: '${given.scopes.join(' ')}',
  automaticSilentRenew: false,
})

if (location.pathname === '${pathOf(given.redirectUri)}') await manager.signinCallback()
let user = await manager.getUser()
if (user?.expired) user = await manager.signinSilent()
if (!user) await manager.signinRedirect()

${comment('//', partitionNote(given))}
const { account_id, membership_id, email } = user.profile
await fetch('/api/orders', { headers: { authorization: \`Bearer \${user.access_token}\` } })
`,
  kinds: ['public'],
}
