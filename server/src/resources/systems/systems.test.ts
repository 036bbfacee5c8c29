import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const FLAGS = [
  'multiAccount',
  'allowSelfRegister',
  'requireAdminActivation',
  'allowClientCredentials',
  'allowDeviceFlow',
  'requireEmailOtp',
  'requireMfa',
  'skipConsent',
]

test('a system created by name only has all flags off, three scopes, client id and secret', async (t) => {
  const { platform } = await startTestApp(t)

  const created = await platform.post('/admin/systems', { name: 'Shop' })

  const { clientSecret, ...system } = created.body
  assert.equal(created.status, 201)
  assert.match(system.clientId, /^sys_[\w-]{16}$/)
  assert.match(clientSecret, /^[\w-]{43}$/) // 256 bits, base64url
  assert.deepEqual(
    FLAGS.map((flag) => system[flag]),
    FLAGS.map(() => false),
  )
  assert.deepEqual(
    [system.redirectUris, system.postLogoutRedirectUris, system.allowedScopes],
    [[], [], ['openid', 'email', 'profile']],
  )
  assert.deepEqual(
    [system.clientType, system.platform, system.backchannelLogoutUri, system.branding],
    ['confidential', false, null, {}],
  )
  assert.deepEqual((await platform.get(`/admin/systems/${system.id}`)).body, system)
})

test('every field given at creation is read back', async (t) => {
  const { platform } = await startTestApp(t)
  const given = {
    name: 'Shop',
    redirectUris: ['https://shop.example/cb', 'http://localhost:8080/cb', 'com.example.shop:/cb'],
    postLogoutRedirectUris: ['https://shop.example/'],
    backchannelLogoutUri: 'https://shop.example/logout',
    allowedScopes: ['openid', 'offline_access'],
    branding: { logoUrl: 'https://shop.example/logo.svg', color: '#00AAff' },
    ...Object.fromEntries(FLAGS.map((flag) => [flag, true])),
  }

  const created = await platform.post('/admin/systems', given)

  const read = (await platform.get(`/admin/systems/${created.body.id}`)).body
  assert.equal(created.status, 201)
  assert.deepEqual(Object.fromEntries(Object.keys(given).map((field) => [field, read[field]])), given)
})

test('a change keeps the other fields and is audited with old and new values', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const { clientSecret, ...shop } = await newSystem({
    name: 'Shop',
    redirectUris: ['https://shop.example/cb'],
  })

  const changed = await platform.patch(`/admin/systems/${shop.id}`, { name: 'Store', requireMfa: true })

  assert.equal(changed.status, 200)
  assert.deepEqual(
    { ...changed.body, updatedAt: '' },
    { ...shop, name: 'Store', requireMfa: true, updatedAt: '' },
  )
  const [entry] = await audited({ targetId: shop.id, action: 'system.updated' })
  assert.deepEqual(entry?.changes, { name: ['Shop', 'Store'], requireMfa: [false, true] })
})

test('a change without effect writes no audit entry and keeps updatedAt', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const branding = { logoUrl: 'https://shop.example/logo.svg', color: '#00aaff' }
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop', branding })

  const answers = [
    await platform.patch(`/admin/systems/${shop.id}`, {}),
    await platform.patch(`/admin/systems/${shop.id}`, shop),
  ]

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body]),
    [
      [200, shop],
      [200, shop],
    ],
  )
  assert.deepEqual(await audited({ targetId: shop.id, action: 'system.updated' }), [])
})

test('P13: server-assigned fields cannot be set on creation or change', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop' })
  const forged = {
    id: unknown,
    clientId: 'mine',
    clientSecret: 'mine-mine-mine-mine',
    secretHash: 'x',
    platform: true,
    createdAt: '2000-01-01T00:00:00Z',
  }

  const lenient = { prefer: 'handling=lenient' }
  const { clientSecret: secret, secretHash, ...others } = forged
  const changed = await platform.patch(`/admin/systems/${shop.id}`, { ...others, clientType: 'public' })
  const withSecret = await platform.patch(`/admin/systems/${shop.id}`, { clientSecret: secret })
  const unknownField = await platform.patch(`/admin/systems/${shop.id}`, { secretHash })
  const created = await platform.post('/admin/systems', { name: 'Forged', ...forged }, lenient)

  assert.equal(changed.status, 400)
  assert.deepEqual(
    changed.body.errors.map(({ path }: { path: string }) => path),
    ['/id', '/clientId', '/platform', '/clientType'],
  )
  assert.match(withSecret.body.errors[0].message, /rotate-secret/)
  assert.deepEqual([unknownField.status, unknownField.body.errors[0].path], [400, '/secretHash'])
  assert.deepEqual((await platform.get(`/admin/systems/${shop.id}`)).body, shop)
  assert.equal(created.status, 201)
  for (const field of ['id', 'clientId', 'clientSecret', 'platform', 'createdAt'] as const)
    assert.notEqual(created.body[field], forged[field])
})

test('scopes are unique, among the four supported, and include openid', async (t) => {
  const { platform } = await startTestApp(t)

  const answers = await Promise.all(
    [['email'], [], ['openid', 'openid'], ['openid', 'admin'], 'openid'].map((allowedScopes) =>
      platform.post('/admin/systems', { name: 'Shop', allowedScopes }),
    ),
  )

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [400, 400, 400, 400, 400],
  )
  for (const answer of answers) assert.match(answer.body.errors[0].path, /^\/allowedScopes/)
})

test('branding accepts an https logo and a color only', async (t) => {
  const { platform } = await startTestApp(t)

  const kept = await platform.post(
    '/admin/systems',
    { name: 'Shop', branding: { color: '#a0b1c2', onload: 'alert(1)' } },
    { prefer: 'handling=lenient' },
  )
  const refused = await Promise.all(
    [
      { color: 'red' },
      { color: '#fff;}' },
      { logoUrl: 'javascript:alert(1)' },
      { logoUrl: 'http://localhost/logo.png' },
      { logoUrl: 'data:image/svg+xml,x' },
    ].map((branding) => platform.post('/admin/systems', { name: 'Shop', branding })),
  )

  assert.deepEqual([kept.status, kept.body.branding], [201, { color: '#a0b1c2' }])
  assert.deepEqual(
    refused.map((answer) => answer.status),
    refused.map(() => 400),
  )
  for (const answer of refused) assert.match(answer.body.errors[0].path, /^\/branding\/(color|logoUrl)$/)
})

test('P42: a field of a wrong type is refused by name, without coercion', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop' })
  const wrong = {
    text: ['name', [1, null, [], {}, true]],
    list: ['redirectUris', ['https://a.example/', 1, null, {}, [null], [1], [['https://a.example/']]]],
  } as const
  const cases = [
    ...FLAGS.map((flag) => [flag, ['false', 'true', 0, 1, null, [], {}]] as const),
    ...Object.values(wrong),
  ].flatMap(([field, values]) => values.map((value) => [field, value] as const))

  const answers = await Promise.all(
    cases.map(([field, value]) => platform.patch(`/admin/systems/${shop.id}`, { [field]: value })),
  )

  answers.forEach((answer, at) => {
    assert.equal(answer.status, 400, JSON.stringify(cases[at]))
    assert.ok(answer.body.errors[0].path.startsWith(`/${cases[at]![0]}`), JSON.stringify(answer.body))
  })
  assert.deepEqual((await platform.get(`/admin/systems/${shop.id}`)).body, shop)
})

test('the list is newest first, in pages, with a total', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const mark = crypto.randomUUID()
  const made: string[] = []
  for (const at of [1, 2, 3]) made.unshift((await newSystem({ name: `${mark} ${at}` })).id)

  const pages = await Promise.all(
    [1, 2, 3].map((page) =>
      platform.get(`/admin/systems?search=${mark.toUpperCase()}&pageSize=2&page=${page}`),
    ),
  )

  assert.deepEqual(
    pages.map(({ body }) => body.data.map((system: { id: string }) => system.id)),
    [made.slice(0, 2), made.slice(2), []],
  )
  assert.deepEqual(
    pages.map(({ body }) => [body.page, body.pageSize, body.total]),
    [
      [1, 2, 3],
      [2, 2, 3],
      [3, 2, 3],
    ],
  )
})

test('P40: search text is matched literally', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const mark = crypto.randomUUID()
  const names = [`${mark} 100%`, `${mark} a_b`, `${mark} c\\d`, `${mark} O'Neil`, `${mark} plain`]
  for (const name of names) await newSystem({ name })
  const found = async (search: string) =>
    (await platform.get(`/admin/systems?search=${encodeURIComponent(search)}`)).body.data.map(
      (system: { name: string }) => system.name,
    )

  const answers = await Promise.all(
    [
      `${mark} 100%`,
      `${mark} a_`,
      `${mark} c\\`,
      `${mark} o'`,
      `${mark} %`,
      `${mark} _`,
      `${mark}' OR 1=1--`,
      `${mark}'); DROP TABLE systems;--`,
    ].map(found),
  )

  assert.deepEqual(answers, [[names[0]], [names[1]], [names[2]], [names[3]], [], [], [], []])
  assert.equal((await platform.get('/admin/systems?search=%00')).status, 400)
})

test('P40: a malformed id is answered like an unknown one', async (t) => {
  const { platform } = await startTestApp(t)

  const answers = await Promise.all(
    ["' OR 1=1--", '%00', '\\', 'undefined', `${unknown}x`].map((id) =>
      platform.get(`/admin/systems/${encodeURIComponent(id)}`),
    ),
  )

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [404, 404, 404, 404, 404],
  )
  for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer.body), /select|syntax|uuid/i)
})

test('P42: a very long list is refused quickly and blocks no other request', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const scopes = Array.from({ length: 85_000 }, (_, number) => number)
  const bodies = [{ allowedScopes: scopes }, { redirectUris: Array(250_000).fill(0) }]

  const LENIENT = { prefer: 'handling=lenient' }
  const timed = async (all: object[]) => {
    const began = performance.now()
    const answers = await Promise.all(
      all.map((body) => platform.patch(`/admin/systems/${id}`, body, LENIENT)),
    )
    return { answers, took: performance.now() - began }
  }
  // The least of three times: other processes may delay one of them.
  const [whenIgnored, whenRefused]: [number[], number[]] = [[], []]
  let ignored: Awaited<ReturnType<typeof timed>>['answers'] = []
  let refused = ignored
  for (let round = 0; round < 3; round += 1) {
    const one = await timed(bodies.map((body) => ({ unknown: Object.values(body)[0] })))
    const other = await timed(bodies)
    whenIgnored.push(one.took)
    whenRefused.push(other.took)
    ;[ignored, refused] = [one.answers, other.answers]
  }

  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.errors]),
    ['allowedScopes', 'redirectUris'].map((field) => [
      400,
      [{ path: `/${field}`, message: 'has more than 1000 items' }],
    ]),
  )
  assert.ok(ignored.every(({ status }) => status === 200))
  const [took, base] = [Math.min(...whenRefused), Math.min(...whenIgnored)]
  assert.ok(took < 5 * base, `${took} ms, ${base} ms if the field is ignored`)
})
