import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNTING, hashesDuring } from '../../../test/support/hash-count.ts'
import { type Answer, PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'

const mail = () => `${crypto.randomUUID()}@x.test`
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]

test('a user requires an address only, and is read as created', async (t) => {
  const { platform } = await startTestApp(t)
  const email = mail()

  const made = await platform.post('/admin/users', { email })

  const { id, createdAt, updatedAt, ...rest } = made.body
  assert.equal(made.status, 201)
  assert.deepEqual(rest, {
    email,
    emailVerified: false,
    name: null,
    givenName: null,
    familyName: null,
    middleName: null,
    nickname: null,
    preferredUsername: null,
    profile: null,
    picture: null,
    website: null,
    gender: null,
    birthdate: null,
    zoneinfo: null,
    locale: null,
    phoneNumber: null,
    phoneNumberVerified: false,
    address: null,
    disabled: false,
    hasPassword: false,
    mustChangePassword: false,
    mfaEnabled: false,
    identities: [],
    metadata: {},
    lastLoginAt: null,
  })
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000 && updatedAt === createdAt)
  assert.deepEqual(await platform.get(`/admin/users/${id}`).then(({ status, body }) => [status, body]), [
    200,
    made.body,
  ])
})

test('every field given at creation is stored and audited, except the password', async (t) => {
  const { platform, audited, findEvents } = await startTestApp(t)
  const fields = {
    email: mail(),
    emailVerified: true,
    name: 'Ana <b>Lima</b>',
    givenName: 'Ana',
    familyName: 'Lima',
    locale: 'pt-BR',
    metadata: { plan: { tier: [1, null, 'ü'] } },
  }

  const { body } = await platform.post('/admin/users', { ...fields, password: 'correct horse' })

  assert.deepEqual({ ...body, ...fields }, body)
  assert.equal(body.hasPassword, true)
  const [entry] = await audited({ targetId: body.id })
  assert.deepEqual(
    [entry?.action, Object.keys(entry!.changes).sort()],
    ['user.created', Object.keys(fields).sort()],
  )
  const events = await findEvents({ userId: body.id })
  assert.deepEqual(
    events.map((event) => [event.type, event.data.user]),
    [['user.created', { id: body.id, email: fields.email }]],
  )
})

test('of 20 concurrent users with one address in any letter case one is created', async (t) => {
  const { platform, findEvents } = await startTestApp(t)
  const email = mail()

  const answers = await concurrently(20, (nth) =>
    platform.post('/admin/users', { email: nth % 2 ? email : email.toUpperCase() }),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
  assert.deepEqual(new Set(answers.map(({ body }) => body.code)), new Set([undefined, 'email_taken']))
  assert.equal((await platform.get(`/admin/users?email=${email}`)).body.total, 1)
  const made = answers.find(({ status }) => status === 201)!.body
  assert.equal((await findEvents({ userId: made.id, type: 'user.created' })).length, 1)
})

test('a password has 8 to 128 characters after NFC, otherwise /password is refused', async (t) => {
  const { platform } = await startTestApp(t)
  const post = (password: unknown, email = mail()) => platform.post('/admin/users', { email, password })
  const email = mail()

  const refused = []
  for (const bad of [
    '',
    '1234567',
    'x'.repeat(129),
    'é'.normalize('NFD').repeat(7),
    null,
    12345678,
    ['12345678'],
    'a\0bcdefgh',
  ])
    refused.push(await post(bad, email))
  const taken = []
  for (const good of ['12345678', '😀'.repeat(128), 'é'.normalize('NFD').repeat(128), ' '.repeat(8)])
    taken.push(await post(good))

  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.errors?.[0]?.path]),
    refused.map(() => [400, '/password']),
  )
  assert.deepEqual(
    taken.map(({ status, body }) => [status, body.hasPassword]),
    taken.map(() => [201, true]),
  )
  assert.equal((await platform.get(`/admin/users?email=${email}`)).body.total, 0)
})

test('P43: a password of 60 kB is refused without hashing', async (t) => {
  const { url, platform } = await startTestApp(t, COUNTING)
  const create = (password: string) => platform.post('/admin/users', { email: mail(), password })
  let answers: Answer[] = []

  const hashes = await hashesDuring(url, async () => {
    answers = await Promise.all(Array.from({ length: 20 }, () => create('x'.repeat(60_000))))
  })
  const ofValid = await hashesDuring(url, () => create('x'.repeat(60)))

  assert.deepEqual(
    answers.map(outcome),
    answers.map(() => [400, 'invalid_request']),
  )
  assert.deepEqual([hashes, ofValid], [0, 1])
})

test('an invalid address, or one with a header injection, is refused at /email', async (t) => {
  const { platform } = await startTestApp(t)
  const bad = [
    '',
    'a',
    '@x.test',
    'a@',
    'a b@x.test',
    'a@x.test\r\nBcc: y@x.test',
    '"a\r\nBcc: y"@x.test',
    'a@b@c',
    'a,b@x.test',
    'a@x.test\u0000',
    `${'a'.repeat(65)}@x.test`,
    `a@${'b'.repeat(255)}`,
    null,
    1,
    ['a@x.test'],
    { $ne: null },
  ]

  const answers = []
  for (const email of bad) answers.push(await platform.post('/admin/users', { email }))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errors?.[0]?.path]),
    answers.map(() => [400, '/email']),
  )
})

test('search matches part of the address literally in any letter case, newest first', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const tag = crypto.randomUUID().slice(0, 8)
  const [plain, percent, under] = [
    await newUser({ email: `ann.${tag}@x.test` }),
    await newUser({ email: `a%n.${tag}@x.test` }),
    await newUser({ email: `A_N.${tag}@x.test` }),
  ]
  const found = async (search: string) =>
    (await platform.get(`/admin/users?search=${encodeURIComponent(search)}`)).body

  const answers = [
    await found(`.${tag.toUpperCase()}@X`),
    await found(`a%n.${tag}`),
    await found(`a_n.${tag}`),
    await found(`\\.${tag}`),
    await found(`a%.${tag}`),
  ]

  assert.deepEqual(
    answers.map(({ data }) => data.map((user: { id: string }) => user.id)),
    [[under.id, percent.id, plain.id], [percent.id], [under.id], [], []],
  )
  assert.deepEqual(
    answers.map(({ total }) => total),
    [3, 1, 1, 0, 0],
  )
})

test('pages are disjoint and complete', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const tag = crypto.randomUUID().slice(0, 8)
  const made = await Promise.all([1, 2, 3, 4, 5].map((n) => newUser({ email: `${n}.${tag}@x.test` })))

  const pages = []
  for (const page of [1, 2, 3, 4])
    pages.push((await platform.get(`/admin/users?search=${tag}&pageSize=2&page=${page}`)).body)

  assert.deepEqual(
    pages.map(({ data, total, page, pageSize }) => [data.length, total, page, pageSize]),
    [
      [2, 5, 1, 2],
      [2, 5, 2, 2],
      [1, 5, 3, 2],
      [0, 5, 4, 2],
    ],
  )
  const seen = pages.flatMap(({ data }) => data.map((user: { id: string }) => user.id))
  assert.deepEqual(seen.sort(), made.map(({ id }) => id).sort())
})

test('a change sets the given fields, and one without effect does nothing', async (t) => {
  const { platform, newUser, audited, findEvents } = await startTestApp(t)
  const user = await newUser({ name: 'Ana', metadata: { a: 1, b: [2] } })
  const path = `/admin/users/${user.id}`

  const named = await platform.patch(path, { name: null, locale: 'es', metadata: { b: [2] } })
  const same = await platform.patch(path, {
    name: null,
    locale: 'es',
    metadata: { b: [2] },
    email: user.email,
  })
  const empty = await platform.patch(path, {})

  assert.deepEqual(
    [named.body.name, named.body.locale, named.body.metadata, named.body.email],
    [null, 'es', { b: [2] }, user.email],
  )
  assert.deepEqual([same.status, same.body, empty.body], [200, named.body, named.body])
  assert.deepEqual(
    (await audited({ targetId: user.id, action: 'user.updated' })).map(({ changes }) => changes),
    [{ name: ['Ana', null], locale: [null, 'es'], metadata: [{ a: 1, b: [2] }, { b: [2] }] }],
  )
  assert.deepEqual(
    (await findEvents({ userId: user.id, type: 'user.updated' })).map(({ data }) => data.changed),
    [['name', 'locale', 'metadata']],
  )
})

test('a new address is unverified unless stated; another letter case is the same address', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const user = await newUser({ emailVerified: true })
  const patch = async (body: object) =>
    (await platform.patch(`/admin/users/${user.id}`, body)).body.emailVerified

  const verified = [
    await patch({ email: user.email.toUpperCase() }),
    await patch({ email: mail() }),
    await patch({ email: mail(), emailVerified: true }),
  ]

  assert.deepEqual(verified, [true, false, true])
})

test('an address in use is email_taken, and no part of the change is made', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const [one, other] = [await newUser(), await newUser()]

  const answer = await platform.patch(`/admin/users/${one.id}`, {
    name: 'New',
    email: other.email.toUpperCase(),
  })

  assert.deepEqual(outcome(answer), [409, 'email_taken'])
  assert.deepEqual((await platform.get(`/admin/users/${one.id}`)).body, one)
})

test('P13: read-only fields are refused on creation and in a change', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const victim = await newUser()
  const foreign = {
    id: crypto.randomUUID(),
    isAdmin: true,
    mfaEnabled: true,
    createdAt: '2000-01-01T00:00:00Z',
    lastLoginAt: null,
    identities: [{}],
    hasPassword: true,
  }

  const refused = await platform.post('/admin/users', { email: mail(), ...foreign })
  const lenient = { prefer: 'handling=lenient' }
  const made = await platform.post('/admin/users', { email: mail(), ...foreign }, lenient)
  const unknown = await platform.patch(`/admin/users/${victim.id}`, foreign)
  const { isAdmin, ...readOnly } = foreign
  const temporary = { ...readOnly, mustChangePassword: true } // of a new password only
  const patched = await platform.patch(`/admin/users/${victim.id}`, temporary)

  assert.deepEqual([refused.status, made.status, patched.status], [400, 201, 400])
  assert.notEqual(made.body.id, foreign.id)
  assert.deepEqual([made.body.hasPassword, made.body.mfaEnabled, made.body.identities], [false, false, []])
  assert.deepEqual((await platform.get(`/admin/users/${victim.id}`)).body, victim)
  assert.deepEqual(
    patched.body.errors.map(({ path }: { path: string }) => path),
    ['/id', '/identities', '/mustChangePassword'],
  )
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, '/isAdmin'])
  assert.equal(made.headers.get('ignored-fields'), Object.keys(foreign).join(', '))
})

test('set-password applies the same limits and audits no password', async (t) => {
  const { platform, newUser, audited } = await startTestApp(t)
  const user = await newUser()
  const path = `/admin/users/${user.id}/set-password`

  const short = await platform.post(path, { password: '1234567' })
  const missing = await platform.post(path, {})
  const set = await platform.post(path, { password: 'hunter2 hunter2' })
  const forced = await platform.post(path, { password: 'hunter2 hunter2', mustChangePassword: true })

  assert.deepEqual(
    [short, missing].map(({ status, body }) => [status, body.errors[0].path]),
    [
      [400, '/password'],
      [400, '/password'],
    ],
  )
  assert.deepEqual(
    [set, forced].map(({ status, body }) => [status, body.hasPassword, body.mustChangePassword]),
    [
      [200, true, false],
      [200, true, true],
    ],
  )
  const entries = await audited({ targetId: user.id, action: 'user.password_set' })
  assert.equal(entries.length, 2)
  assert.doesNotMatch(JSON.stringify([entries, set.body, forced.body]), /hunter2|argon2/)
})

test('a list can be limited to the users of a system', async (t) => {
  const { platform, serviceOf, newSystem, newMember } = await startTestApp(t)
  const { user, system } = await newMember({ allowClientCredentials: true })
  const [empty, own] = [await newSystem(), await serviceOf(system)]
  const ids = async (client: typeof platform, query: string) =>
    (await client.get(`/admin/users?${query}`)).body.data.map(({ id }: { id: string }) => id)
  const email = encodeURIComponent(user.email)

  assert.deepEqual(await ids(platform, `systemId=${system.id}`), [user.id])
  assert.deepEqual(await ids(platform, `systemId=${system.id}&email=${email}`), [user.id])
  assert.deepEqual(await ids(platform, `systemId=${empty.id}`), [])
  assert.deepEqual(await ids(platform, `systemId=${empty.id}&email=${email}`), [])
  assert.deepEqual(await ids(own, `systemId=${system.id}`), [user.id])
  assert.deepEqual(await ids(own, `systemId=${empty.id}`), [])
})

test('a user can be created disabled, everywhere or in a system, and signs in once enabled', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true, skipConsent: true })
  const service = await app.serviceOf(system)

  for (const client of [app.platform, service]) {
    const { status, body } = await client.post('/admin/users', {
      email: mail(),
      password: PASSWORD,
      disabled: true,
    })
    await app.newMembership({ userId: body.id, systemId: system.id })
    const refused = await app.authorize(system, { email: body.email })
    await client.patch(`/admin/users/${body.id}`, { disabled: false })
    const opened = await app.authorize(system, { email: body.email })

    assert.deepEqual([status, body.disabled], [201, true])
    assert.deepEqual([refused.back.code, opened.back.code === undefined], [undefined, false])
  }
})

test('set-password with `temporary` asks for a new password at the next sign-in', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const { id } = await newUser()

  const set = await platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD, temporary: true })

  assert.deepEqual([set.status, set.body.mustChangePassword], [200, true])
})
