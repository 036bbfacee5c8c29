/** Which pages may call the endpoints for clients (CORS), and what they can read of the answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { originFault } from '../resources/systems/redirect-uris.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const PATHS = ['/token', '/token/revocation', '/request', '/device/auth']

/** A call from a page, whose client is identified by the body. */
async function callFrom(app: App, origin: string, path: string, clientId: string) {
  const { status, headers } = await fetch(app.url + path, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({
      client_id: clientId,
      grant_type: 'refresh_token',
      refresh_token: 'x',
      token: 'x',
    }),
  })
  return {
    status,
    allows: headers.get('access-control-allow-origin'),
    exposes: headers.get('access-control-expose-headers'),
  }
}

test('P47: a public client is called from the origins of its redirect URIs and its allowedOrigins, and from no other', async (t) => {
  const app = await startTestApp(t)
  const allowedOrigins = [
    'https://www.example.com',
    'capacitor://localhost',
    'https://localhost',
    'http://localhost:8100',
  ]
  const { clientId } = await app.newSystem({
    clientType: 'public',
    allowDeviceFlow: true,
    redirectUris: ['https://example.com/cb', 'com.example.app:/cb'],
    allowedOrigins,
  })
  const others = [
    'https://www.example.com:8443',
    'http://www.example.com',
    'https://sub.www.example.com',
    'https://WWW.example.com',
    'capacitor://localhost.evil.example',
    'ionic://localhost',
    'com.example.app://',
    'null',
  ]
  const asked = async (origin: string) =>
    Promise.all(PATHS.map((path) => callFrom(app, origin, path, clientId)))

  for (const origin of ['https://example.com', ...allowedOrigins])
    for (const { allows, exposes } of await asked(origin))
      assert.deepEqual([allows, exposes], [origin, 'DPoP-Nonce, Retry-After, WWW-Authenticate'], origin)
  for (const origin of others)
    for (const { status, allows } of await asked(origin))
      assert.deepEqual([status, allows], [400, null], origin)
})

test('the preflight of every endpoint for clients is answered, without credentials', async (t) => {
  const app = await startTestApp(t)
  for (const path of [...PATHS, '/me']) {
    const { status, headers } = await fetch(app.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://www.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'dpop',
      },
    })
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')],
      [204, 'https://www.example.com', null],
      path,
    )
  }
})

test('a refusal before the client is known can be read by the page, without credentials', async (t) => {
  const app = await startTestApp(t)
  const { status, headers } = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { origin: 'https://www.example.com', 'content-type': 'text/xml' },
    body: '<a/>',
  })
  assert.equal(status, 415)
  assert.equal(headers.get('access-control-allow-origin'), 'https://www.example.com')
  assert.equal(headers.get('access-control-expose-headers'), 'DPoP-Nonce, Retry-After, WWW-Authenticate')
  assert.equal(headers.get('access-control-allow-credentials'), null)
})

const REFUSED = [
  'null',
  '*',
  'https://*.example.com',
  'https://example.com/',
  'https://example.com/app',
  'https://example.com?x=1',
  'https://example.com#x',
  'https://user@example.com',
  'https://EXAMPLE.com',
  'https://example.com:443',
  'https://xn--a.example:99999',
  'https://exämple.com',
  'http://example.com',
  'HTTPS://example.com',
  'capacitor://localhost/',
  'capacitor://user@localhost',
  'capacitor:localhost',
  'Capacitor://localhost',
  'javascript://localhost',
  'file://localhost',
  'wss://localhost',
  'localhost',
  ' https://example.com',
]

test('allowedOrigins has exact origins only, at most 20, and only a public client has them', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ clientType: 'public' })
  const patch = (allowedOrigins: string[]) =>
    app.platform.patch(`/admin/systems/${system.id}`, { allowedOrigins })

  for (const origin of REFUSED) {
    const { status, body } = await patch(['https://ok.example', origin])
    assert.deepEqual([status, body.errors?.[0].path], [400, '/allowedOrigins/1'], origin)
  }
  const many = await patch(Array.from({ length: 21 }, (_, n) => `https://a${n}.example`))
  const twice = await patch(['https://a.example', 'https://a.example'])
  const confidential = await app.newSystem()
  const other = await app.platform.patch(`/admin/systems/${confidential.id}`, {
    allowedOrigins: ['https://a.example'],
  })
  const kept = await patch(['https://a.example', 'http://127.0.0.1:4200', 'ionic://localhost'])
  const [entry] = await app.audited({ targetId: system.id, action: 'system.updated' })

  assert.deepEqual([many.status, many.body.errors[0].path], [400, '/allowedOrigins'])
  assert.deepEqual([twice.status, twice.body.errors[0].path], [400, '/allowedOrigins'])
  assert.deepEqual([other.status, other.body.errors[0].path], [400, '/allowedOrigins'])
  assert.deepEqual(kept.body.allowedOrigins, [
    'https://a.example',
    'http://127.0.0.1:4200',
    'ionic://localhost',
  ])
  assert.deepEqual(entry?.changes, { allowedOrigins: [[], kept.body.allowedOrigins] })
})

test('an http origin is refused where the server has https', () => {
  const fault = (issuer: string) => originFault('http://localhost:4200', issuer)
  assert.match(fault('https://id.example.com') ?? '', /^must be https/)
  assert.equal(fault('http://localhost:3000'), undefined)
})
