import {
  comment,
  isPlain,
  originOf,
  partitionNote,
  pathOf,
  portOf,
  type SnippetInput,
  type SnippetText,
} from './snippet.ts'

const discovery = (given: SnippetInput) => {
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

const secure = ({ redirectUri }: SnippetInput) => (redirectUri.startsWith('https:') ? '; Secure' : '')

const signOutOf = ({ signOutUri }: SnippetInput, indent: string) =>
  signOutUri === undefined ? '' : `\n${indent}post_logout_redirect_uri: '${signOutUri}',`

const signIn = (given: SnippetInput) => `import { createServer } from 'node:http'
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
  // No sign-in was started, or the page was loaded again: this sample has no session of its own.
  if (!cookie) return response.writeHead(302, { location: '/' }).end()
  const [, state, verifier] = cookie
  const { search } = new URL(request.url, redirectUri)
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(search, redirectUri), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
${comment('//', partitionNote(given), '  ')}
  const { account_id, membership_id, email } = tokens.claims()
  console.log('Signed in:', { account_id, membership_id, email })
  const signOut = oidc.buildEndSessionUrl(provider, {
    id_token_hint: tokens.id_token,${signOutOf(given, '    ')}
  })
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

const serviceToken = (given: SnippetInput) => `import * as oidc from 'openid-client'

${discovery(given)}
const { access_token } = await oidc.clientCredentialsGrant(provider)

const answer = await fetch('${given.issuer}/admin/memberships', {
  headers: { authorization: \`Bearer \${access_token}\` },
})
${comment('//', partitionNote(given))}
for (const { accountId, id } of (await answer.json()).data) console.log(accountId, id)
`

/** A library of any OpenID Connect server. */
export const nodeOpenidClient: SnippetText = {
  title: 'Node.js, openid-client',
  install: () => 'npm install openid-client@6',
  files: (given) => [
    { name: 'app.mjs', code: given.kind === 'service' ? serviceToken(given) : signIn(given) },
  ],
  start: () => 'node app.mjs',
  kinds: ['web', 'public', 'service'],
}

const singlePage = (given: SnippetInput) => `import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: '${given.issuer}',
  client_id: '${given.clientId}',
  redirect_uri: '${given.redirectUri}',${signOutOf(given, '  ')}
  scope: '${given.scopes.join(' ')}',
  automaticSilentRenew: false,
})

/** The signed-in user with a valid access token, which your API accepts. */
async function currentUser() {
  if (location.pathname === '${pathOf(given.redirectUri)}') {
    await manager.signinCallback()
    history.replaceState({}, '', '/')
  }
  const user = await manager.getUser()
  return user?.expired ? manager.signinSilent() : user
}

function add(element, text, onclick) {
  document.body.append(Object.assign(document.createElement(element), { textContent: text, onclick }))
}

const user = await currentUser().catch(({ message }) => add('p', \`The sign-in failed: \${message}\`))
if (user) {
${comment('//', partitionNote(given), '  ')}
  const { account_id, membership_id, email } = user.profile
  add('h1', 'You are signed in')
  add('pre', JSON.stringify({ account_id, membership_id, email }, null, 2))
  add('button', 'Sign out', () => manager.signoutRedirect())
} else add('button', 'Sign in', () => manager.signinRedirect())
`

const PAGE = `<!doctype html>
<html lang="en">
  <title>Sample</title>
  <body>
    <script type="module" src="/main.js"></script>
  </body>
</html>
`

/** A single-page application. */
export const browser: SnippetText = {
  title: 'Browser, oidc-client-ts',
  install: () => 'npm install oidc-client-ts vite',
  files: (given) => [
    { name: 'index.html', code: PAGE },
    { name: 'main.js', code: singlePage(given) },
  ],
  start: (given) => `npx vite --strictPort --port ${portOf(given)}`,
  kinds: ['public'],
}
