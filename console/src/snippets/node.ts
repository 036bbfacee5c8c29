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
  const target = `new URL('${given.issuer}'), '${given.clientId}'`
  return `const provider = await oidc.discovery(${target}, ${authentication}${options})`
}

const signIn = (given: Given) => `import * as oidc from 'openid-client'

${discovery(given)}
const redirectUri = '${given.redirectUri}'

/** Send the browser to \`url\`, and keep \`verifier\` and \`state\` in its session. */
export async function startSignIn() {
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const url = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: '${given.scopes.join(' ')}',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  return { url, verifier, state }
}

/** \`query\`: that of the request to ${pathOf(given.redirectUri)}, with its question mark. */
export async function finishSignIn(query, { verifier, state }) {
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(query, redirectUri), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
${comment('//', partitionNote(given), '  ')}
  const { account_id, membership_id, email } = tokens.claims()
  return { accountId: account_id, membershipId: membership_id, email, tokens }
}

export const signOutUrl = (idToken) =>
  oidc.buildEndSessionUrl(provider, {
    id_token_hint: idToken,
    post_logout_redirect_uri: '${originOf(given.redirectUri)}/',
  })
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
