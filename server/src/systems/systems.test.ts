import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CLIENT_CACHE_MS } from '../oidc/clients.ts'
import { type Answer, startTestApp } from '../testing.ts'

const unknown = '00000000-0000-4000-8000-000000000000'
const FLAGS = [
  'multiAccount',
  'allowSelfRegister',
  'requireAdminActivation',
  'allowClientCredentials',
  'requireEmailOtp',
  'requireMfa',
  'skipConsent',
]

const SERVICE = { grant_type: 'client_credentials' }
/** A process may hold a client for this long. */
const everyProcessKnows = () => pause(CLIENT_CACHE_MS + 100)

/** An answer without what differs in every answer. */
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })

test('a system made from a name alone has every flag off, the three plain scopes, a client id and a secret', async (t) => {
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

test('every field given at creation is the one that is read', async (t) => {
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

test('a change keeps what it does not name, and is audited with the old and the new value', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop', redirectUris: ['https://shop.example/cb'] })

  const changed = await platform.patch(`/admin/systems/${shop.id}`, { name: 'Store', requireMfa: true })

  assert.equal(changed.status, 200)
  assert.deepEqual({ ...changed.body, updatedAt: '' }, { ...shop, name: 'Store', requireMfa: true, updatedAt: '' })
  const [entry] = await audited({ targetId: shop.id, action: 'system.updated' })
  assert.deepEqual(entry?.changes, { name: ['Shop', 'Store'], requireMfa: [false, true] })
})

test('a change that changes nothing leaves no audit entry and the same updatedAt', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const branding = { logoUrl: 'https://shop.example/logo.svg', color: '#00aaff' }
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop', branding })

  const answers = [await platform.patch(`/admin/systems/${shop.id}`, {}), await platform.patch(`/admin/systems/${shop.id}`, shop)]

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body]),
    [
      [200, shop],
      [200, shop],
    ],
  )
  assert.deepEqual(await audited({ targetId: shop.id, action: 'system.updated' }), [])
})

test('P13: what the server assigns can not be given by a caller, at creation or later', async (t) => {
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

  const changed = await platform.patch(`/admin/systems/${shop.id}`, { ...forged, clientType: 'public' })
  const created = await platform.post('/admin/systems', { name: 'Forged', ...forged })

  assert.deepEqual([changed.status, changed.body], [200, shop])
  assert.equal(changed.headers.get('ignored-fields'), 'id, clientId, clientSecret, secretHash, platform, createdAt, clientType')
  assert.equal(created.status, 201)
  for (const field of ['id', 'clientId', 'clientSecret', 'platform', 'createdAt'] as const)
    assert.notEqual(created.body[field], forged[field])
})

test('P38: the secret is in the answers that make it and nowhere else', async (t) => {
  const { platform, newSystem, audited, happened } = await startTestApp(t)
  const shop = await newSystem({ name: 'Secretive' })

  const rotated = await platform.post(`/admin/systems/${shop.id}/rotate-secret`)
  const elsewhere = JSON.stringify([
    (await platform.get('/admin/systems?search=secretive')).body,
    (await platform.get(`/admin/systems/${shop.id}`)).body,
    (await platform.patch(`/admin/systems/${shop.id}`, { name: 'Secretive too' })).body,
    await audited({ systemId: shop.id }),
    await happened({ systemId: shop.id }),
  ])

  assert.deepEqual(
    [rotated.status, Object.keys(rotated.body).sort(), rotated.body.clientId],
    [200, ['clientId', 'clientSecret'], shop.clientId],
  )
  assert.notEqual(rotated.body.clientSecret, shop.clientSecret)
  assert.doesNotMatch(elsewhere, /secretHash|clientSecret/)
  for (const secret of [shop.clientSecret, rotated.body.clientSecret]) assert.ok(!elsewhere.includes(secret))
  assert.deepEqual((await happened({ systemId: shop.id, type: 'system.secret_rotated' })).length, 1)
  assert.deepEqual((await audited({ targetId: shop.id, action: 'system.secret_rotated' })).length, 1)
})

test('a public client has no secret, none to rotate, and no service tokens', async (t) => {
  const { platform, newSystem } = await startTestApp(t)

  const app = await newSystem({ name: 'App', clientType: 'public' })

  const refusals = [
    await platform.post(`/admin/systems/${app.id}/rotate-secret`),
    await platform.patch(`/admin/systems/${app.id}`, { allowClientCredentials: true }),
    await platform.post('/admin/systems', { name: 'App', clientType: 'public', allowClientCredentials: true }),
  ]
  assert.ok(!('clientSecret' in app))
  assert.deepEqual(
    refusals.map((answer) => [answer.status, answer.body.code]),
    refusals.map(() => [400, 'invalid_request']),
  )
  assert.equal((await platform.get(`/admin/systems/${app.id}`)).body.allowClientCredentials, false)
})

test('P38: after a rotation the old secret is dead and the new one is good', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })
  const before = await token(shop, SERVICE)

  const rotated = (await platform.post(`/admin/systems/${shop.id}/rotate-secret`)).body
  await everyProcessKnows()

  const answers = [before, await token(shop, SERVICE), await token({ ...shop, ...rotated }, SERVICE)]
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.error]),
    [
      [200, undefined],
      [401, 'invalid_client'],
      [200, undefined],
    ],
  )
})

test('P38: graceSeconds keeps the last secret good that long, and no older one', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })
  const rotate = async (graceSeconds: number) => ({
    ...shop,
    ...(await platform.post(`/admin/systems/${shop.id}/rotate-secret`, { graceSeconds })).body,
  })

  const [second, third] = [await rotate(60), await rotate(3)]
  await everyProcessKnows()
  const within = [await token(shop, SERVICE), await token(second, SERVICE), await token(third, SERVICE)]
  await pause(3_000)

  assert.deepEqual(
    within.map((answer) => answer.status),
    [401, 200, 200],
  )
  assert.deepEqual([(await token(second, SERVICE)).status, (await token(third, SERVICE)).status], [401, 200])
})

test('P38: of ten parallel rotations exactly one secret stays', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const shop = await newSystem({ allowClientCredentials: true })

  const rotations = await Promise.all(Array.from({ length: 10 }, () => platform.post(`/admin/systems/${shop.id}/rotate-secret`)))
  await everyProcessKnows()

  const statuses: number[] = []
  for (const { body } of rotations) statuses.push((await token({ ...shop, ...body }, SERVICE)).status)
  assert.deepEqual(statuses.sort(), [200, ...Array(9).fill(401)])
})

test('P24: client_credentials is for systems that allow it, from then on and no longer', async (t) => {
  const { platform, newSystem, serviceOf, token } = await startTestApp(t)
  const shop = await newSystem()
  const allow = async (allowClientCredentials: boolean) => {
    await platform.patch(`/admin/systems/${shop.id}`, { allowClientCredentials })
    await everyProcessKnows()
  }

  const closed = await token(shop, SERVICE)
  await allow(true)
  const service = await serviceOf(shop)
  const open = await service.get(`/admin/systems/${shop.id}`)
  await allow(false)

  assert.deepEqual([closed.status, closed.body.error, open.status], [400, 'unauthorized_client', 200])
  assert.equal((await token(shop, SERVICE)).body.error, 'unauthorized_client')
  assert.equal((await service.get(`/admin/systems/${shop.id}`)).status, 401)
})

test('graceSeconds is a whole number of seconds up to 30 days', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const shop = await newSystem()

  const answers = await Promise.all(
    [-1, 1.5, '60', null, 2_592_001].map((graceSeconds) =>
      platform.post(`/admin/systems/${shop.id}/rotate-secret`, { graceSeconds }),
    ),
  )

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.errors?.[0].path]),
    answers.map(() => [400, '/graceSeconds']),
  )
})

test('scopes are of the four, once each, with openid among them', async (t) => {
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

test('branding takes an https logo and a colour, and keeps nothing else', async (t) => {
  const { platform } = await startTestApp(t)

  const kept = await platform.post('/admin/systems', { name: 'Shop', branding: { color: '#a0b1c2', onload: 'alert(1)' } })
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

test('P42: a field of another type is refused by its name, and nothing is taken for something else', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { clientSecret, ...shop } = await newSystem({ name: 'Shop' })
  const wrong = {
    text: ['name', [1, null, [], {}, true]],
    list: ['redirectUris', ['https://a.example/', 1, null, {}, [null], [1], [['https://a.example/']]]],
  } as const
  const cases = [...FLAGS.map((flag) => [flag, ['false', 'true', 0, 1, null, [], {}]] as const), ...Object.values(wrong)].flatMap(
    ([field, values]) => values.map((value) => [field, value] as const),
  )

  const answers = await Promise.all(
    cases.map(([field, value]) => platform.patch(`/admin/systems/${shop.id}`, { [field]: value })),
  )

  answers.forEach((answer, at) => {
    assert.equal(answer.status, 400, JSON.stringify(cases[at]))
    assert.ok(answer.body.errors[0].path.startsWith(`/${cases[at]![0]}`), JSON.stringify(answer.body))
  })
  assert.deepEqual((await platform.get(`/admin/systems/${shop.id}`)).body, shop)
})

test('the list is newest first, a page at a time, and counts what it found', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const mark = crypto.randomUUID()
  const made: string[] = []
  for (const at of [1, 2, 3]) made.unshift((await newSystem({ name: `${mark} ${at}` })).id)

  const pages = await Promise.all(
    [1, 2, 3].map((page) => platform.get(`/admin/systems?search=${mark.toUpperCase()}&pageSize=2&page=${page}`)),
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

test('P40: a search is text to look for, whatever it spells', async (t) => {
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

test('P40: an id that is none answers as an unknown one', async (t) => {
  const { platform } = await startTestApp(t)

  const answers = await Promise.all(
    ["' OR 1=1--", '%00', '\\', 'undefined', `${unknown}x`].map((id) => platform.get(`/admin/systems/${encodeURIComponent(id)}`)),
  )

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [404, 404, 404, 404, 404],
  )
  for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer.body), /select|syntax|uuid/i)
})

test('P37: a service token sees and changes its own system only; another is as one that does not exist', async (t) => {
  const { platform, newSystem, serviceOf, audited } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const { clientSecret, ...other } = await newSystem({ name: 'Other', allowClientCredentials: true })
  const service = await serviceOf(own)
  const attempts = (id: string) => [
    service.get(`/admin/systems/${id}`),
    service.patch(`/admin/systems/${id}`, { name: 'Taken' }),
    service.post(`/admin/systems/${id}/rotate-secret`),
  ]

  const [foreign, absent] = [await Promise.all(attempts(other.id)), await Promise.all(attempts(unknown))]

  assert.deepEqual(
    foreign.map((answer) => answer.body.code),
    foreign.map(() => 'system_not_found'),
  )
  assert.deepEqual(foreign.map(masked), absent.map(masked))
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}`)).body, other)
  assert.deepEqual(
    (await audited({ targetId: other.id })).map((entry) => entry.action),
    ['system.created'],
  )
  const listed = (await service.get('/admin/systems')).body
  assert.deepEqual([listed.total, listed.data.map((system: { id: string }) => system.id)], [1, [own.id]])
  assert.equal((await service.get('/admin/systems?search=other')).body.total, 0)
})

test('a service token patches its own system and rotates its secret, but neither makes nor deletes systems', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const service = await serviceOf(own)

  const patched = await service.patch(`/admin/systems/${own.id}`, { name: 'Renamed', redirectUris: ['https://own.example/cb'] })
  const refused = [
    await service.post('/admin/systems', { name: 'More' }),
    await service.delete(`/admin/systems/${own.id}`),
    await service.delete(`/admin/systems/${unknown}`),
  ]
  const rotated = await service.post(`/admin/systems/${own.id}/rotate-secret`, { graceSeconds: 60 })

  assert.deepEqual([patched.status, patched.body.name, rotated.status], [200, 'Renamed', 200])
  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.equal((await platform.get(`/admin/systems/${own.id}`)).status, 200)
})

test('a service token can not widen itself, but may send its system back as it read it', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const own = await newSystem({ name: 'Own', allowClientCredentials: true })
  const service = await serviceOf(own)
  const before = (await service.get(`/admin/systems/${own.id}`)).body

  const refused = await Promise.all(
    [{ multiAccount: true }, { skipConsent: true }, { allowClientCredentials: false }].map((patch) =>
      service.patch(`/admin/systems/${own.id}`, { ...patch, name: 'Widened' }),
    ),
  )
  const same = await service.patch(`/admin/systems/${own.id}`, before)

  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body.code]),
    refused.map(() => [403, 'insufficient_authority']),
  )
  assert.equal(same.status, 200)
  assert.deepEqual((await platform.get(`/admin/systems/${own.id}`)).body, before)
})

test('multiAccount goes back to false only while no user has two accounts and no account two members', async (t) => {
  const { platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const [twice, shared, plain] = [
    await newSystem({ multiAccount: true }),
    await newSystem({ multiAccount: true }),
    await newSystem({ multiAccount: true }),
  ]
  const [ann, bob] = [await newUser(), await newUser()]
  for (const accountName of ['one', 'two']) await newMembership({ userId: ann.id, systemId: twice.id, accountName })
  const { account } = await newMembership({ userId: ann.id, systemId: shared.id, accountName: 'team' })
  await newMembership({ userId: bob.id, accountId: account.id })
  await newMembership({ userId: ann.id, systemId: plain.id, accountName: 'only' })

  const answers = await Promise.all(
    [twice, shared, plain].map(({ id }) => platform.patch(`/admin/systems/${id}`, { name: 'Single', multiAccount: false })),
  )
  const second = await platform.post('/admin/memberships', { userId: ann.id, systemId: plain.id, accountName: 'more' })

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    [
      [409, 'account_taken'],
      [409, 'account_occupied'],
      [200, undefined],
    ],
  )
  assert.deepEqual([second.status, second.body.code], [409, 'account_taken'])
  const left = (await platform.get(`/admin/systems/${twice.id}`)).body
  assert.deepEqual([left.multiAccount, left.name], [true, twice.name])
})

test('deleting a system deletes what is below it and tells of each membership', async (t) => {
  const { platform, newSystem, newUser, newMembership, audited, happened } = await startTestApp(t)
  const [shop, other] = [await newSystem({ multiAccount: true }), await newSystem({ multiAccount: true })]
  const role = (await platform.post(`/admin/systems/${shop.id}/roles`, { name: 'owner', isAdmin: true })).body
  const [ann, bob] = [await newUser(), await newUser()]
  const annsPlace = await newMembership({ userId: ann.id, systemId: shop.id, accountName: 'a', roles: [role.id] })
  const bobsPlace = await newMembership({ userId: bob.id, systemId: shop.id, accountName: 'b', status: 'blocked' })
  const elsewhere = await newMembership({ userId: ann.id, systemId: other.id, accountName: 'c' })

  const answer = await platform.delete(`/admin/systems/${shop.id}`)

  assert.equal(answer.status, 204)
  const gone = await Promise.all(
    [`systems/${shop.id}`, `systems/${shop.id}/roles`, `memberships/${annsPlace.id}`].map((path) =>
      platform.get(`/admin/${path}`),
    ),
  )
  assert.deepEqual(
    gone.map(({ status }) => status),
    [404, 404, 404],
  )
  assert.equal((await platform.delete(`/admin/systems/${shop.id}`)).body.code, 'system_not_found')
  assert.equal((await platform.get(`/admin/memberships/${elsewhere.id}`)).status, 200)
  const events = (await happened({ systemId: shop.id, type: 'user.access_revoked' })).map((event) => event.data)
  assert.deepEqual(
    events.map(({ actor, ...data }) => data),
    [
      {
        user: { id: ann.id, email: ann.email },
        membershipId: annsPlace.id,
        accountId: annsPlace.account.id,
        systemId: shop.id,
        roles: ['owner'],
        isAdmin: true,
        status: 'active',
      },
      {
        user: { id: bob.id, email: bob.email },
        membershipId: bobsPlace.id,
        accountId: bobsPlace.account.id,
        systemId: shop.id,
        roles: [],
        isAdmin: false,
        status: 'blocked',
      },
    ],
  )
  assert.deepEqual((await audited({ targetId: shop.id, action: 'system.deleted' })).length, 1)
})

test('a platform system is not deleted', async (t) => {
  const { platform } = await startTestApp(t)
  const own = (await platform.get('/admin/systems?pageSize=100')).body.data.filter(
    (system: { platform: boolean }) => system.platform,
  )

  const answers = await Promise.all(own.map(({ id }: { id: string }) => platform.delete(`/admin/systems/${id}`)))

  assert.ok(own.length > 0)
  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    own.map(() => [409, 'platform_system']),
  )
})
