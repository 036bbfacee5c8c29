/** Rules of every admin operation, tested on systems. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pathsOf } from '../../test/support/http.ts'
import { type Answer, startTestApp } from '../../test/support/testing.ts'

/** Asserts an RFC 9457 problem without internals: no stack, no SQL, no file path. */
function assertProblem(answer: Answer, status: number, code: string) {
  assert.deepEqual(
    [answer.status, answer.body.code, answer.body.status, answer.body.type],
    [status, code, status, 'about:blank'],
    JSON.stringify(answer.body),
  )
  assert.match(String(answer.headers.get('content-type')), /^application\/problem\+json/)
  assert.match(String(answer.body.requestId), /^[0-9a-f-]{36}$/)
  assert.ok(typeof answer.body.title === 'string' && answer.body.title.length > 0)
  assert.doesNotMatch(JSON.stringify(answer.body), /\.ts|node_modules|\bat \w+ \(|select |insert into/i)
}

test('an unknown field is a 400 that names each, and changes nothing', async (t) => {
  const { url, platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const name = crypto.randomUUID()

  const refused = await platform.post('/admin/systems', { name, colour: 'red', 'naïve, field': 1 })
  const patched = await platform.patch(`/admin/systems/${id}`, { name, status: 'suspended' })
  const withoutBody = await platform.post('/admin/keys/rotate', { graceSeconds: 60 })
  const deleted = await fetch(`${url}/admin/systems/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
    body: '{"cascade":true}',
  })
  const clean = await platform.post('/admin/systems', { name })

  for (const answer of [refused, patched, withoutBody]) assertProblem(answer, 400, 'invalid_request')
  assert.deepEqual(pathsOf(refused), ['/colour', '/naïve, field'])
  assert.deepEqual([patched, withoutBody].map(pathsOf), [['/status'], ['/graceSeconds']])
  assert.equal(deleted.status, 400)
  assert.equal((await platform.get(`/admin/systems/${id}`)).status, 200)
  assert.deepEqual([clean.status, clean.headers.get('ignored-fields')], [201, null])
  assert.equal((await platform.get(`/admin/systems?search=${name}`)).body.total, 1)
})

test('with Prefer: handling=lenient unknown fields are left out and named in Ignored-Fields', async (t) => {
  const { platform } = await startTestApp(t)
  const sent = { name: 'Shop', colour: 'red', 'naïve, field': 1 }

  const answer = await platform.post('/admin/systems', sent, { prefer: 'respond-async, handling=lenient' })
  const strict = await platform.post('/admin/systems', sent, { prefer: 'handling=strict' })

  assert.deepEqual(
    [answer.status, answer.headers.get('ignored-fields')],
    [201, 'colour, na%C3%AFve%2C%20field'],
  )
  assert.ok(!('colour' in answer.body))
  assertProblem(strict, 400, 'invalid_request')
})

test('unknown nested fields are treated alike; a free-form object keeps its fields', async (t) => {
  const { platform } = await startTestApp(t)
  const branding = { color: '#102030', shape: 'round', 'a/b': 1 }
  const metadata = { colour: { of: 'anything' } }

  const refused = await platform.post('/admin/systems', { name: 'Shop', branding })
  const taken = await platform.post(
    '/admin/systems',
    { name: 'Shop', branding },
    { prefer: 'handling=lenient' },
  )
  const user = await platform.post('/admin/users', { email: `${crypto.randomUUID()}@example.test`, metadata })

  assertProblem(refused, 400, 'invalid_request')
  assert.deepEqual(pathsOf(refused), ['/branding/shape', '/branding/a~1b'])
  assert.deepEqual(
    [taken.status, taken.headers.get('ignored-fields'), taken.body.branding],
    [201, 'branding/shape, branding/a~1b', { color: '#102030' }],
  )
  assert.deepEqual([user.headers.get('ignored-fields'), user.body.metadata], [null, metadata])
})

test('P13: __proto__ and constructor in a body have no effect on objects', async (t) => {
  const { platform } = await startTestApp(t)
  const bodies = [
    '{"name":"a","__proto__":{"platform":true}}',
    '{"name":"a","constructor":{"prototype":{"platform":true}}}',
    '{"name":"a","branding":{"__proto__":{"color":"x"}}}',
  ]

  const answers = await Promise.all(bodies.map((body) => platform.post('/admin/systems', body)))

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [400, 400, 400],
  )
  assert.equal(({} as { platform?: boolean }).platform, undefined)
})

test('P41: page and pageSize are integers from 1, and pageSize is capped at 100', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  await newSystem()
  const list = (query: string) => platform.get(`/admin/systems?${query}`)

  const refused = await Promise.all(
    [
      'page=0',
      'page=-1',
      'page=1.5',
      'page=NaN',
      'page=x',
      'page=',
      'page=9223372036854775808',
      'page=1e400',
      'page=1&page=2',
      'pageSize=0',
      'pageSize=-1',
      'pageSize=ten',
      'page=true',
      'page=null',
    ].map(list),
  )
  const taken = await Promise.all(
    ['', 'pageSize=100', 'pageSize=101', 'pageSize=1000000', 'page=1000000000'].map(list),
  )

  for (const answer of refused) assertProblem(answer, 400, 'invalid_request')
  assert.deepEqual(
    taken.map(({ status, body }) => [status, body.page, body.pageSize]),
    [
      [200, 1, 20],
      [200, 1, 100],
      [200, 1, 100],
      [200, 1, 100],
      [200, 1_000_000_000, 20],
    ],
  )
  assert.deepEqual(taken[4]!.body.data, [])
  assert.ok(taken[4]!.body.total > 0)
})

test('P41: an Authorization header of 10 kB is 401, and one over the header limit is 431', async (t) => {
  const { platform } = await startTestApp(t)
  const send = (length: number) =>
    platform.get('/admin/systems', { authorization: `Bearer ${'x'.repeat(length)}` })

  assertProblem(await send(10_000), 401, 'invalid_token')
  assert.equal((await send(20_000)).status, 431)
})

test('P40: a repeated or structured query parameter is rejected or ignored', async (t) => {
  const { platform } = await startTestApp(t)
  const all = (await platform.get('/admin/systems')).body.total

  const answers = await Promise.all(
    [
      'search[]=x',
      'search[a]=x',
      'search=a&search=b',
      'sort=password',
      'order=id;DROP TABLE systems',
      'systemId=%27',
    ].map((query) => platform.get(`/admin/systems?${query}`)),
  )

  for (const answer of answers) {
    assert.ok(answer.status === 200 || answer.status === 400, JSON.stringify(answer.body))
    if (answer.status === 200) assert.equal(answer.body.total, all)
  }
})

test('an unknown path is a problem+json 404, inside and outside of /admin', async (t) => {
  const { platform } = await startTestApp(t)

  const answers = await Promise.all(
    [
      '/nowhere',
      '/admin/nowhere',
      '/admin/systems/x/y/z',
      '/admin/systems/%zz',
      '/%',
      `/admin/systems/${'x'.repeat(2_000)}`,
    ].map((path) => platform.get(path)),
  )

  for (const answer of answers) assertProblem(answer, 404, 'not_found')
})

test('P42: too large is 413, another media type 415, invalid JSON 400, each as problem+json', async (t) => {
  const { platform } = await startTestApp(t)
  const send = (body: string, headers: Record<string, string> = {}) =>
    platform.post('/admin/systems', body, headers)
  const valid = '{"name":"Shop"}'

  assertProblem(await send(`{"name":"${'x'.repeat(1_000_000)}"}`), 413, 'payload_too_large')
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-7',
    'application/json; charset=utf-16',
    'application/jsonp',
    'multipart/form-data; boundary=x',
  ]) {
    assertProblem(await send(valid, { 'content-type': type }), 415, 'unsupported_media_type')
  }
  for (const body of [
    '{',
    '{"name":"a",}',
    "{'name':'a'}",
    'NaN',
    '{"name":"a"}{"name":"b"}',
    '{"name":"\ufffd',
    '\ufeff{]',
    '[]',
    '1',
    '"name"',
    'null',
    'true',
  ]) {
    assertProblem(await send(body), 400, 'invalid_request')
  }
  assert.equal((await send(valid, { 'content-type': 'application/json; charset=UTF-8' })).status, 201)
})

test('P42: a body that is not UTF-8 or is compressed is rejected with 400', async (t) => {
  const { url, platform } = await startTestApp(t)
  const headers = { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' }
  const send = (body: Buffer, more: Record<string, string> = {}) =>
    fetch(`${url}/admin/systems`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: new Uint8Array(body),
    })
  const valid = Buffer.from('{"name":"Shop"}')

  const answers = [
    await send(gzipSync(valid)),
    await send(gzipSync(Buffer.alloc(10_000_000)), { 'content-encoding': 'gzip' }),
    await send(Buffer.from(valid.toString(), 'utf16le')),
  ]

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [400, 400, 400],
  )
})

test('P42: arrays 100,000 deep and objects with many keys are rejected or ignored quickly', async (t) => {
  const { platform } = await startTestApp(t)
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const bodies: Record<string, (size: number) => string> = {
    deep: (size) => `{"name":${nested(size)}}`,
    deepUris: (size) => `{"name":"a","redirectUris":${nested(size)}}`,
    wide: (size) => `{${Array.from({ length: 0.3 * size }, (_, key) => `"k${key}":0`).join()}}`,
  }
  /** The least time of five rounds, in ms, by kind and size. */
  const least: Record<string, number> = {}

  for (let round = 0; round < 5; round++)
    for (const [kind, bodyOf] of Object.entries(bodies))
      for (const size of [10_000, 100_000]) {
        const start = performance.now()
        assertProblem(await platform.post('/admin/systems', bodyOf(size)), 400, 'invalid_request')
        const before = least[`${kind} ${size}`] ?? Number.POSITIVE_INFINITY
        least[`${kind} ${size}`] = Math.min(before, performance.now() - start)
      }

  t.diagnostic(JSON.stringify(least))
  // Work that grows with the square of the length would take a hundred times as long. Many keys take twenty
  // times as long: V8 stores them in another way.
  for (const kind of Object.keys(bodies))
    assert.ok(least[`${kind} 100000`]! < 60 * least[`${kind} 10000`]!, JSON.stringify(least))
})

test('P42: text that PostgreSQL cannot store is 400, and operations without a body reject one', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const shop = await newSystem()

  assertProblem(await platform.post('/admin/systems', { name: 'a\u0000b' }), 400, 'invalid_request')
  assertProblem(await platform.get('/admin/systems?search=a%00b'), 400, 'invalid_request')
  assertProblem(await platform.post('/admin/systems', ''), 400, 'invalid_request')
  assert.equal((await platform.post(`/admin/systems/${shop.id}/rotate-secret`, '')).status, 200)
  assert.equal((await platform.delete(`/admin/systems/${shop.id}`)).status, 204)
})

test('a 400 names every invalid field, ten at most', async (t) => {
  const { platform } = await startTestApp(t)

  const few = await platform.post('/admin/systems', { multiAccount: 'yes', requireMfa: 1 })
  const many = await platform.post('/admin/systems', { name: 'a', redirectUris: Array(100).fill(1) })

  assert.deepEqual(pathsOf(few).sort(), ['/multiAccount', '/name', '/requireMfa'])
  assert.equal(pathsOf(many).length, 10)
})

test('an error names the value by a JSON Pointer, and says what is expected in plain words', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const faultsOf = ({ body }: Answer) =>
    body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`).sort()

  const list = await platform.get('/admin/audit?page=x&systemId=1&from=now&outcome=perhaps')
  const header = await platform.post('/admin/systems', { name: 'a' }, { 'if-match': '"v"' })
  const user = await platform.post('/admin/users', { email: 'none', name: 1, locale: 'x', givenName: '' })
  const role = await platform.post(`/admin/systems/${id}/roles`, { scopes: ['a', 'b c', 'a'] })
  const events = await platform.get('/admin/events?type=none')

  assert.deepEqual(faultsOf(list), [
    '/query/from must be a date and time (RFC 3339)',
    '/query/outcome must be one of success, failure',
    '/query/page must be an integer',
    '/query/systemId must be a UUID',
  ])
  assert.deepEqual(faultsOf(header), ['/headers/if-match is supported by PATCH only'])
  assert.deepEqual(faultsOf(user), [
    '/email must be an email address',
    '/givenName must not be empty',
    '/locale must be a BCP 47 language tag',
    '/name must be a string or null',
  ])
  assert.deepEqual(faultsOf(role), [
    '/name is required',
    '/scopes must not contain an item twice',
    '/scopes/1 must be 1 to 100 printable ASCII characters without space, quote and backslash',
  ])
  assert.match(faultsOf(events)[0], /^\/query\/type must be one of user.access_requested, /)
})

test('a known path with another method is 405 with the methods in Allow, and OPTIONS lists them', async (t) => {
  const { url } = await startTestApp(t)
  const id = crypto.randomUUID()
  const send = async (method: string, path: string) => {
    const response = await fetch(url + path, { method })
    const body = (await response.json().catch(() => undefined)) as { code?: string } | undefined
    return [response.status, response.headers.get('allow'), body?.code]
  }

  const refused = [
    await send('PUT', `/admin/users/${id}?x=1`),
    await send('DELETE', '/admin/users'),
    await send('GET', '/token'),
    await send('DELETE', '/health'),
    await send('PUT', `/interaction/${id}/login`),
    await send('DELETE', '/reset-password'),
    await send('DELETE', '/auth'),
    await send('PUT', '/admin/users/import'),
    await send('PUT', '/device/auth'),
    await send('PUT', '/device/x'),
  ]

  assert.deepEqual(refused, [
    [405, 'DELETE, GET, HEAD, OPTIONS, PATCH', 'method_not_allowed'],
    [405, 'GET, HEAD, OPTIONS, POST', 'method_not_allowed'],
    [405, 'OPTIONS, POST', 'method_not_allowed'],
    [405, 'GET, HEAD, OPTIONS', 'method_not_allowed'],
    [405, 'OPTIONS, POST', 'method_not_allowed'],
    [405, 'GET, HEAD, OPTIONS, POST', 'method_not_allowed'],
    [405, 'GET, HEAD, OPTIONS, POST', 'method_not_allowed'],
    [405, 'OPTIONS, POST', 'method_not_allowed'], // not those of /admin/users/:userId
    [405, 'OPTIONS, POST', 'method_not_allowed'],
    [405, 'GET, HEAD, OPTIONS', 'method_not_allowed'],
  ])
  assert.deepEqual(await send('OPTIONS', '/admin/users'), [204, 'GET, HEAD, OPTIONS, POST', undefined])
  assert.deepEqual(await send('HEAD', '/health'), [200, null, undefined])
  assert.deepEqual(await send('PUT', '/nowhere'), [404, null, 'not_found'])
  assert.deepEqual(await send('OPTIONS', '/nowhere'), [404, null, 'not_found'])
})

test('a text with half of a surrogate pair or U+0000 is 400 and names the field', async (t) => {
  const { url, platform, newUser } = await startTestApp(t)
  const user = await newUser()
  const patch = async (body: string) => {
    const answer = await fetch(`${url}/admin/users/${user.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
      body,
    })
    const { code, errors } = (await answer.json()) as { code: string; errors?: { path: string }[] }
    return [answer.status, code, errors?.[0]?.path]
  }

  const answers = [
    await patch('{"name":"a\\ud800"}'),
    await patch('{"metadata":{"a":["b","\\udc00"]}}'),
    await patch('{"name":"a\\u0000"}'),
  ]

  assert.deepEqual(answers, [
    [400, 'invalid_request', '/name'],
    [400, 'invalid_request', '/metadata/a/1'],
    [400, 'invalid_request', '/name'],
  ])
})
