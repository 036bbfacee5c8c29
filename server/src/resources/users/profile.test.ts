/** Standard claims as fields of a user, and where each statement is valid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Driver, formOf, newBrowser, startTestApp } from '../../../test/support/testing.ts'
import { and, eq } from '../../database/drizzle.ts'
import { events } from '../../database/schema.ts'

const NUMBER = '+351210000000'
const FIELDS = {
  name: 'Ana Lima',
  givenName: 'Ana',
  familyName: 'Lima',
  middleName: 'M.',
  nickname: 'Aninha',
  preferredUsername: 'ana',
  profile: 'https://ana.example/about?lang=pt#me',
  picture: 'http://ana.example/p.jpg',
  website: 'https://ana.example',
  gender: 'female',
  birthdate: '1988-02-29',
  zoneinfo: 'Europe/Lisbon',
  locale: 'pt',
  phoneNumber: NUMBER,
  phoneNumberVerified: true,
  address: { streetAddress: 'Rua A\n1', locality: 'Lisboa', postalCode: '1000', country: 'PT' },
}
const CLAIMS = {
  middle_name: 'M.',
  nickname: 'Aninha',
  preferred_username: 'ana',
  profile: FIELDS.profile,
  picture: FIELDS.picture,
  website: FIELDS.website,
  gender: 'female',
  birthdate: '1988-02-29',
  zoneinfo: 'Europe/Lisbon',
}
const PHONE = { phone_number: NUMBER, phone_number_verified: true }
const ADDRESS = {
  address: { street_address: 'Rua A\n1', locality: 'Lisboa', postal_code: '1000', country: 'PT' },
}
const ALL = ['openid', 'profile', 'phone', 'address']
const OPTIONS = { allowedScopes: ALL, skipConsent: true, allowClientCredentials: true }

/** The claims of `names` in the ID token of a new sign-in, which are also those of /me. */
async function claimsOf(app: Driver, system: Parameters<Driver['signIn']>[0], email: string) {
  const tokens = await app.signIn(system, { email })
  const [idToken, me] = [decodeJwt(tokens.id_token), (await app.me(tokens.access_token)).body]
  const ours = [...Object.keys({ ...CLAIMS, ...PHONE, ...ADDRESS })]
  const of = (claims: Record<string, unknown>) =>
    Object.fromEntries(ours.filter((name) => name in claims).map((name) => [name, claims[name]]))
  assert.deepEqual(of(idToken), of(me))
  assert.deepEqual(of(decodeJwt(tokens.access_token)), {}, 'an access token has none of them')
  return of(me)
}

test('the standard claims are stored by the admin API, and in tokens with their scope', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember(OPTIONS)
  const path = `/admin/users/${user.id}`

  const set = await app.platform.patch(
    path,
    { ...FIELDS, address: { ...FIELDS.address, planet: 'Earth' } },
    { prefer: 'handling=lenient' },
  )
  const all = await claimsOf(app, system, user.email)
  const { id_token } = await app.signIn(system, { email: user.email, parameters: { scope: 'openid phone' } })
  const same = await app.platform.patch(path, set.body)
  await app.platform.patch(path, Object.fromEntries(Object.keys(CLAIMS_FIELDS).map((name) => [name, null])))
  const none = await claimsOf(app, system, user.email)

  assert.deepEqual([set.status, { ...set.body, ...FIELDS }], [200, set.body])
  assert.deepEqual(all, { ...CLAIMS, ...PHONE, ...ADDRESS })
  const { nickname, address, phone_number } = decodeJwt(id_token)
  assert.deepEqual([nickname, address, phone_number], [undefined, undefined, NUMBER])
  assert.deepEqual([same.status, same.body.updatedAt], [200, set.body.updatedAt])
  assert.deepEqual(none, {})
})

const { phoneNumberVerified: _, ...CLAIMS_FIELDS } = FIELDS

/** The changes of users that a system receives: names of fields. */
async function updatesIn({ db }: Driver, systemId: string): Promise<string[]> {
  const found = await db
    .select({ data: events.data })
    .from(events)
    .where(and(eq(events.systemId, systemId), eq(events.type, 'user.updated')))
    .orderBy(events.seq)
  return found.map(({ data }) => (data.changed as string[]).toSorted().join())
}

test('P37: what a system states about a user is in its own tokens only, and verifies no number elsewhere', async (t) => {
  const app = await startTestApp(t)
  const { system: own, user } = await app.newMember(OPTIONS)
  const other = await app.newSystem(OPTIONS)
  await app.newMembership({ userId: user.id, systemId: other.id })
  const path = `/admin/users/${user.id}`
  await app.platform.patch(path, { nickname: 'Global', phoneNumber: NUMBER })
  await claimsOf(app, other, user.email)
  const [service, foreign] = [await app.serviceOf(own), await app.serviceOf(other)]

  const stated = { ...CLAIMS_FIELDS, nickname: 'Theirs', phoneNumberVerified: true }
  const set = await service.patch(path, stated)
  const [mine, theirs] = [await claimsOf(app, own, user.email), await claimsOf(app, other, user.email)]
  const reads = [(await app.platform.get(path)).body, (await foreign.get(path)).body]
  const changes = await updatesIn(app, other.id)

  assert.deepEqual({ ...set.body, ...stated }, set.body)
  assert.deepEqual(mine, { ...CLAIMS, ...PHONE, ...ADDRESS, nickname: 'Theirs' })
  assert.deepEqual(theirs, { nickname: 'Global', phone_number: NUMBER, phone_number_verified: false })
  assert.deepEqual(
    reads.map(({ nickname, phoneNumber, phoneNumberVerified, picture, address }) => [
      [nickname, phoneNumber],
      [phoneNumberVerified, picture, address],
    ]),
    [
      [
        ['Global', NUMBER],
        [false, null, null],
      ],
      [
        ['Global', null],
        [false, null, null],
      ],
    ],
  )
  assert.deepEqual(changes, [])
})

test('P37: a verification is of one number: neither side verifies a number that the other states', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember(OPTIONS)
  const path = `/admin/users/${user.id}`
  const service = await app.serviceOf(system)
  const number = async () => {
    const { phoneNumber, phoneNumberVerified } = (await service.get(path)).body
    return [phoneNumber, phoneNumberVerified]
  }
  await claimsOf(app, system, user.email)

  await app.platform.patch(path, { phoneNumber: NUMBER, phoneNumberVerified: true })
  const inherited = await number()
  await service.patch(path, { phoneNumber: '+351210000009' })
  const replaced = await number()
  const everywhere = (await app.platform.get(path)).body
  await app.platform.patch(path, { phoneNumber: '+351210000001' })
  const changed = (await app.platform.get(path)).body
  const alone = await app.platform.patch(path, { phoneNumberVerified: true })
  const kept = (
    await app.platform.patch(path, { phoneNumber: '+351210000001', phoneNumberVerified: true, nickname: 'x' })
  ).body
  await service.patch(path, { phoneNumber: null })
  const cleared = await number()

  assert.deepEqual(await updatesIn(app, system.id), ['phoneNumber', 'nickname', 'phoneNumber'])
  assert.deepEqual(inherited, [null, false], 'read by the scope phone only')
  assert.deepEqual(replaced, ['+351210000009', false])
  assert.equal(everywhere.phoneNumberVerified, true)
  assert.deepEqual([changed.phoneNumber, changed.phoneNumberVerified], ['+351210000001', false])
  assert.deepEqual([alone.status, alone.body.errors[0].path], [400, '/phoneNumberVerified'])
  assert.equal(kept.phoneNumberVerified, true)
  assert.deepEqual(cleared, [null, false])
  for (const each of [app.platform, service])
    assert.deepEqual(
      (await each.patch(path, { phoneNumber: null, phoneNumberVerified: true })).body.errors[0].path,
      '/phoneNumberVerified',
    )
})

test('P37: a system reads the user’s own profile only after the user has entered it, and no phone or address', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser({ ...FIELDS })
  const system = await app.newSystem({ ...OPTIONS, multiAccount: true })
  const service = await app.serviceOf(system)
  await service.post('/admin/memberships', { userId: user.id, systemId: system.id, accountName: 'Acme' })

  const before = (await service.get(`/admin/users/${user.id}`)).body
  await claimsOf(app, system, user.email)
  const after = (await service.get(`/admin/users/${user.id}`)).body

  for (const field of Object.keys(CLAIMS_FIELDS)) assert.equal(before[field], null, field)
  assert.equal(before.phoneNumberVerified, false)
  const contact = { phoneNumber: null, phoneNumberVerified: false, address: null }
  assert.deepEqual({ ...after, ...FIELDS, ...contact }, after)
})

test('a user of whom only a phone number or an address is stated everywhere remains when a system removes them', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem(OPTIONS)
  const service = await app.serviceOf(system)
  const outcomes = []
  for (const fact of [{}, { phoneNumber: NUMBER }, { address: FIELDS.address }]) {
    const email = `${crypto.randomUUID()}@x.test`
    const { id } = (await service.post('/admin/users', { email })).body
    await app.platform.patch(`/admin/users/${id}`, fact)
    await service.delete(`/admin/users/${id}`)
    outcomes.push((await app.platform.get(`/admin/users/${id}`)).status)
  }

  assert.deepEqual(outcomes, [404, 200, 200])
})

test('P42: an invalid detail is refused with the path of its field', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const { id } = await newUser()
  const refused: [keyof typeof FIELDS, unknown[]][] = [
    [
      'website',
      ['javascript:alert(1)', 'ftp://a.test', 'a.test', 'https://u:p@a.test', 'https://a.test/<b>'],
    ],
    ['picture', [`https://a.test/${'x'.repeat(500)}`, 'data:image/png;base64,AA', '//a.test/x', '']],
    ['profile', ['https://a.test/" onload="x', 'https:/a.test', 1]],
    [
      'birthdate',
      ['1988-02-30', '1987-02-29', '0000', '88-01-01', '1988-13-01', '1988-1-1', '1988-02-29T00'],
    ],
    ['zoneinfo', ['Mars/Olympus', '+01:00', '', 'Europe/Lisbon ']],
    ['phoneNumber', ['210000000', '+0210000000', '+351 210 000 000', `+${'1'.repeat(16)}`, '']],
    ['gender', ['x'.repeat(51)]],
    ['address', ['Lisboa', { locality: '' }, { formatted: 'x'.repeat(301) }]],
  ]

  for (const [field, values] of refused)
    for (const value of values) {
      const { status, body } = await platform.patch(`/admin/users/${id}`, { [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      assert.equal(body.errors[0].path.split('/')[1], field)
    }
  for (const birthdate of ['1988', '0000-02-29', '1988-02-29'])
    assert.equal((await platform.patch(`/admin/users/${id}`, { birthdate })).body.birthdate, birthdate)
})

test('an import accepts the standard claims', async (t) => {
  const { platform } = await startTestApp(t)
  const lines = [
    { ...FIELDS, email: `${crypto.randomUUID()}@x.test` },
    { email: `${crypto.randomUUID()}@x.test`, phoneNumberVerified: true },
    { email: `${crypto.randomUUID()}@x.test`, birthdate: '1988-02-30' },
  ]

  const { body } = await platform.post(
    '/admin/users/import',
    lines.map((line) => JSON.stringify(line)).join('\n'),
    { 'content-type': 'application/x-ndjson' },
  )

  const [created, unnumbered, undated] = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const read = (await platform.get(`/admin/users/${created.id}`)).body
  assert.deepEqual({ ...read, ...FIELDS }, read)
  assert.deepEqual(
    [unnumbered.errors[0].path, undated.errors[0].path],
    ['/phoneNumberVerified', '/birthdate'],
  )
})

test('at /account users change their details, and a new number is not verified', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser({ phoneNumber: NUMBER, phoneNumberVerified: true, gender: 'female' })
  const browser = newBrowser(app.url)
  const login = await browser.follow(await browser.get('/account'))
  const page = await browser.follow(
    await browser.submit(login, { email: user.email, password: 'correct horse battery staple' }),
  )
  const save = (fields: Record<string, string>) =>
    browser.post('/account', { ...formFields(page), ...fields })

  await save({ nickname: 'Aninha', website: 'https://ana.example', zoneinfo: 'Asia/Tokyo' })
  const first = (await app.platform.get(`/admin/users/${user.id}`)).body
  const wrong = await save({ website: 'javascript:alert(1)', birthdate: '1988-02-30', zoneinfo: 'Mars' })
  await save({ phoneNumber: '+351 (210) 000-001', phoneNumberVerified: 'true', birthdate: '1988-02-29' })
  const second = (await app.platform.get(`/admin/users/${user.id}`)).body

  assert.deepEqual(
    [first.nickname, first.website, first.zoneinfo, first.phoneNumberVerified, first.gender],
    ['Aninha', 'https://ana.example', 'Asia/Tokyo', true, 'female'],
  )
  assert.equal(wrong.status, 400)
  for (const id of ['website', 'birthdate', 'zoneinfo'])
    assert.match(String(wrong.body), new RegExp(`id="${id}-error"`))
  assert.deepEqual(
    [second.phoneNumber, second.phoneNumberVerified, second.birthdate, second.website],
    ['+351210000001', false, '1988-02-29', 'https://ana.example'],
  )
})

const formFields = (page: Parameters<typeof formOf>[0]) => formOf(page).hidden

test('P09: with a password that it has set, a system reads no phone number or address of the user', async (t) => {
  const app = await startTestApp(t)
  const allowedScopes = ['openid', 'phone', 'address']
  for (const skipConsent of [false, true]) {
    const { system, user } = await app.newMember({ allowedScopes, skipConsent, allowClientCredentials: true })
    const path = `/admin/users/${user.id}`
    await app.platform.patch(path, { phoneNumber: NUMBER, address: FIELDS.address })
    const parameters = { scope: allowedScopes.join(' ') }
    const own = await app.signIn(system, { email: user.email, parameters })
    const service = await app.serviceOf(system)
    await service.post(`${path}/set-password`, { password: 'known to the system' })

    const theirs = await app.signIn(system, {
      email: user.email,
      password: 'known to the system',
      parameters,
    })

    const read = decodeJwt(theirs.id_token)
    assert.deepEqual([read.phone_number ?? null, read.address], [null, undefined])
    assert.equal((await app.me(theirs.access_token)).body.phone_number ?? null, null)
    assert.equal(decodeJwt(own.id_token).phone_number, NUMBER)
  }
})

test('P36: with skipConsent only the platform adds the scopes phone and address', async (t) => {
  const app = await startTestApp(t)
  const narrow = ['openid', 'profile']
  for (const [skipConsent, status] of [
    [true, 403],
    [false, 200],
  ] as const) {
    const system = await app.newSystem({ allowedScopes: narrow, skipConsent, allowClientCredentials: true })
    const service = await app.serviceOf(system)
    const path = `/admin/systems/${system.id}`

    assert.equal((await service.patch(path, { allowedScopes: ['openid', 'phone'] })).status, status)
    assert.equal((await service.patch(path, { allowedScopes: ['openid', 'email'] })).status, 200)
    assert.equal((await app.platform.patch(path, { allowedScopes: ['openid', 'address'] })).status, 200)
  }
})
