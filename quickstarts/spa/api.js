// Serves the page, and an API that the page calls with its access token.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { ISSUER, CLIENT_ID, PORT } = process.env
const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks`))

// Requires an access token for this application, and uses the account in it.
async function answer(authorization = '') {
  try {
    const [, token = ''] = authorization.split('Bearer ')
    const rules = { issuer: ISSUER, audience: CLIENT_ID, typ: 'at+jwt' }
    const { payload } = await jwtVerify(token, keys, rules)
    return [200, { account: payload.account_id, permissions: payload.permissions }]
  } catch {
    return [401, { error: 'invalid_token' }]
  }
}

const file = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const files = {
  '/': ['text/html', file('index.html')],
  '/callback': ['text/html', file('index.html')],
  '/app.js': ['text/javascript', file('app.js')],
  '/oidc-client-ts.js': [
    'text/javascript',
    file('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js'),
  ],
  '/settings.js': [
    'text/javascript',
    `const settings = ${JSON.stringify({ authority: ISSUER, client_id: CLIENT_ID })}`,
  ],
}

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/api/orders') {
    const [status, body] = await answer(request.headers.authorization)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  } else if (files[pathname]) {
    const [type, content] = files[pathname]
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
  } else response.writeHead(404).end()
}).listen(PORT, 'localhost', () => process.stdout.write(`Ready at http://localhost:${PORT}\n`))
