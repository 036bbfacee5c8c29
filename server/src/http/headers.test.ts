/** Response headers: caching, framing and CORS. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicAuth, startTestApp } from '../../test/support/testing.ts'

/** Cacheable paths: public, and the same for every client. */
const KEPT = /^\/(jwks|\.well-known\/|assets\/|docs|console($|\/(?!api|sign-in|callback)))/
/** Pages of the console, whose policy allows its own scripts, styles and requests. */
const CONSOLE = /^\/console($|\/(?!api|sign-in|callback|assets))/

/** Every route, with ids that do not exist, and some unknown paths. */
const addressesOf = ({ app }: Awaited<ReturnType<typeof startTestApp>>) => [
  ...app.declared.map(({ method, url }) => ({
    method,
    path: url.replace(/:\w+/g, () => crypto.randomUUID()),
  })),
  ...['/', '/nowhere', '/admin', '/%', '/.env', '/.git/config', '/admin/systems/../../etc/passwd'].map(
    (path) => ({
      method: 'GET',
      path,
    }),
  ),
]

test('P47: only public documents are cacheable; all responses carry the security headers', async (t) => {
  const app = await startTestApp(t)
  const addresses = addressesOf(app)

  const answers = await Promise.all(
    addresses.map(({ method, path }) =>
      fetch(app.url + path, { method, redirect: 'manual', headers: { accept: '*/*, odd;q=x' } }),
    ),
  )

  assert.ok(addresses.length > 80)
  for (const [at, { headers, status }] of answers.entries()) {
    const { method, path } = addresses[at]!
    const where = `${method} ${path} ${status}`
    const cache = headers.get('cache-control') ?? ''
    assert.ok(status < 500, where)
    if (method !== 'OPTIONS' && !(status < 300 && KEPT.test(path))) assert.match(cache, /\bno-store\b/, where)
    if (headers.has('set-cookie')) assert.match(cache, /\bno-store\b/, where)
    assert.match(
      headers.get('content-security-policy') ?? '',
      CONSOLE.test(path) && status < 300
        ? /default-src 'self'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/
        : /default-src 'none'.*frame-ancestors 'none'/,
      where,
    )
    assert.doesNotMatch(
      headers.get('content-security-policy') ?? '',
      /unsafe-eval|script-src[^;]*(unsafe-inline|\*)/,
      where,
    )
    assert.equal(headers.get('x-content-type-options'), 'nosniff', where)
    assert.equal(headers.get('x-frame-options'), 'DENY', where)
    assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, where)
    assert.deepEqual([headers.get('server'), headers.get('x-powered-by')], [null, null], where)
  }
})

test('P47: CORS exposes no response that depends on a cookie or an unknown origin', async (t) => {
  const app = await startTestApp(t)
  const { url, platform, newMember, signIn } = app
  const { system, user } = await newMember({ allowClientCredentials: true })
  const { access_token } = await signIn(system, { email: user.email })
  const bearer = `Bearer ${platform.token}`
  const cookie = '_session=x; _interaction=x'
  const from = (
    origin: string,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) =>
    fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { origin, cookie, ...headers },
      ...(body && { body }),
    })
  const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: basicAuth(system) }

  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
    const preflight = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const answers = await Promise.all([
      ...addressesOf(app).map(({ method, path }) => from(origin, method, path)),
      from(origin, 'GET', '/admin/systems', { authorization: bearer }),
      ...['/admin/systems', '/token', '/me', '/interaction/x/login', '/health'].map((path) =>
        from(origin, 'OPTIONS', path, preflight),
      ),
    ])
    for (const { url: where, headers } of answers) {
      assert.equal(headers.get('access-control-allow-credentials'), null, where)
      if (/^\/(admin|interaction|auth|session|health|device$)/.test(new URL(where).pathname))
        assert.equal(headers.get('access-control-allow-origin'), null, where)
    }
    const publicAnswers = await Promise.all([
      from(origin, 'GET', '/me', { authorization: `Bearer ${access_token}` }),
      from(origin, 'POST', '/token', form, 'grant_type=client_credentials'),
    ])
    assert.deepEqual(
      publicAnswers.map(({ headers, status }) => [status, headers.get('access-control-allow-origin')]),
      [
        [400, null],
        [400, null],
      ],
    )
  }
})

test('P47: OPTIONS and HEAD reveal no more than GET, and no response reveals internals', async (t) => {
  const { url, platform } = await startTestApp(t)
  const ask = (method: string, path: string, headers = {}) => fetch(url + path, { method, headers })

  const head = await ask('HEAD', '/admin/systems')
  const options = await ask('OPTIONS', '/admin/systems', { authorization: `Bearer ${platform.token}` })
  const health = await ask('GET', '/health')
  const trace = await ask('PROPFIND', '/admin/systems')

  assert.deepEqual([head.status, await head.text()], [401, ''])
  // The methods are public: the API reference lists them. Without CORS headers no other origin may use them.
  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
  assert.equal(options.headers.get('access-control-allow-origin'), null)
  assert.deepEqual(Object.keys((await health.json()) as object), ['status', 'version', 'checks'])
  assert.equal(trace.status, 405)
})
