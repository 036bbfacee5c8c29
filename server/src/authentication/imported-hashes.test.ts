import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { passwords } from '../database/schema.ts'

const mail = () => `${crypto.randomUUID()}@x.test`

/** Published test vectors, with their sources. None was computed by the libraries under test. */
const FOREIGN = [
  // Test vectors of crypt_blowfish, https://www.openwall.com/crypt.
  ['bcrypt $2a$', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  [
    'bcrypt $2a$ of cost 6, of jBCrypt',
    '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
    'abc',
  ],
  [
    'bcrypt $2b$ of cost 10, of Node',
    '$2b$10$./p3Txs3ULys2q9RbHgTsOWnUXw9Okpa4.EhkIJP.w03wD4Xcdtju',
    'password',
  ],
  [
    "bcrypt $2y$, of Apache's htpasswd",
    '$2y$05$sBsSqk0OpSD1uTZkHXc4FeJ0Z70wLQdAX/82UiHuQOKbNbBrzs63m',
    'testpassword',
  ],
  // Tests of the reference implementation, https://github.com/P-H-C/phc-winner-argon2.
  [
    'argon2id of 2 lanes',
    '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
    'password',
  ],
  [
    'argon2i',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
    'password',
  ],
  // Computed by a web page that runs the reference implementation.
  ['argon2d', '$argon2d$v=19$m=16,t=2,p=1$cTdzWUJjMGFmRDB4RVRuNQ$nllqyj2CadDpydSSPozmbw', 'password'],
  // RFC 7914 section 12.
  [
    'scrypt of 64 bytes',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
    'pleaseletmein',
  ],
  // Manuals of libpasta and passlib.
  [
    'scrypt of libpasta',
    '$scrypt$ln=14,r=8,p=1$6MFy2ynsD3eZcp8FCZcunw$zrdE1fOrCIZYFO0xHGopxBUnody4AZ4LQ640LkRXU9A',
    'hunter2',
  ],
  [
    'PBKDF2-SHA256 of passlib',
    '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    'password',
  ],
  [
    'PBKDF2-SHA256, PHC',
    '$pbkdf2-sha256$i=6400,l=32$+6UI/S+nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    'password',
  ],
  [
    'PBKDF2-SHA512 of passlib',
    '$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww',
    'password',
  ],
  [
    'PBKDF2-SHA1 of passlib',
    '$pbkdf2$10000$oLs2Pk11k85ekfB97qr9Nw$QvsHZBmsOgjmd8/SZK5EUf/TQ.0',
    'password123',
  ],
  // RFC 6070 (PBKDF2-HMAC-SHA1), there in hex.
  [
    'PBKDF2-SHA1, PHC, of more than a block',
    '$pbkdf2-sha1$i=4096,l=25$c2FsdFNBTFRzYWx0U0FMVHNhbHRTQUxUc2FsdFNBTFRzYWx0$PS7sT+QchJuAyNg2YsDkSospGpZM8vBwOA',
    'passwordPASSWORDpassword',
  ],
] as const

/** The stored password hash of a user. */
async function storedHash({ db }: Awaited<ReturnType<typeof startTestApp>>, id: string): Promise<string> {
  const [row] = await db.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.userId, id))
  return row?.hash ?? ''
}

for (const [kind, passwordHash, password] of FOREIGN) {
  test(`a user with a ${kind} hash signs in with its password only and is rehashed`, async (t) => {
    const app = await startTestApp(t)
    const system = await app.newSystem({ skipConsent: true })
    const user = await app.newUser({ password: undefined, passwordHash, emailVerified: true })
    await app.newMembership({ userId: user.id, systemId: system.id })
    const attempt = (given: string) => app.authorize(system, { email: user.email, password: given })

    const wrong = await attempt(`${password}x`)
    const kept = await storedHash(app, user.id)
    const first = await attempt(password)
    const ours = await storedHash(app, user.id)
    const second = await attempt(password)
    const later = await attempt(`${password}x`)

    assert.equal(user.hasPassword, true)
    assert.deepEqual([wrong.page.status, wrong.back.code, kept], [401, undefined, passwordHash])
    assert.ok(first.back.code && second.back.code)
    assert.match(ours, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await storedHash(app, user.id), ours)
    assert.deepEqual([later.page.status, later.back.code], [401, undefined])
  })
}

test('rehashing the same password ends no session and sends no email', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true, allowedScopes: ['openid'] })
  const user = await app.newUser({ password: undefined, passwordHash: FOREIGN[0][1], emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const first = await app.signIn(system, { email: user.email, password: 'U*U' })
  const second = await app.signIn(system, { email: user.email, password: 'U*U' })

  assert.deepEqual(
    [(await app.me(first.access_token)).status, (await app.me(second.access_token)).status],
    [200, 200],
  )
  assert.deepEqual(
    (await app.audited({ targetId: user.id })).map(({ action }) => action),
    ['user.created', 'user.login', 'user.login'],
  )
  const { updatedAt } = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(updatedAt, user.updatedAt)
})

test('concurrent first sign-ins of a user with an imported hash all succeed', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const user = await app.newUser({ password: undefined, passwordHash: FOREIGN[0][1], emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const codes = await Promise.all(
    [1, 2, 3].map(
      async () => (await app.authorize(system, { email: user.email, password: 'U*U' })).back.code,
    ),
  )

  assert.deepEqual(
    codes.map((code) => typeof code),
    ['string', 'string', 'string'],
  )
})

test('a password changed while an imported hash is being verified is not overwritten', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const user = await app.newUser({ password: undefined, passwordHash: FOREIGN[2][1], emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const signIn = app.authorize(system, { email: user.email, password: 'password' }).catch(() => undefined)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  await signIn

  assert.ok((await app.authorize(system, { email: user.email })).back.code)
  assert.equal((await app.authorize(system, { email: user.email, password: 'password' })).page.status, 401)
})

test('a password is also verified as typed, without normalization', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const typed = 'contrase\u0303a\u0301' // n and a with combining marks
  // python3 -c 'import hashlib; hashlib.pbkdf2_hmac("sha256", typed.encode(), b"saltsaltsaltsalt", 1000)'
  const passwordHash =
    '$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0c2FsdA$fxucGBHnrLVEKld4M5infTrfbTW+y71TS9qw2nB40Cc'
  const user = await app.newUser({ password: undefined, passwordHash, emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const first = await app.authorize(system, { email: user.email, password: typed })
  const composed = await app.authorize(system, { email: user.email, password: typed.normalize('NFC') })

  assert.ok(first.back.code && composed.back.code)
})

test('P43: a hash with excessive cost parameters is rejected, and no user is created', async (t) => {
  const { platform } = await startTestApp(t)
  const [salt, hash] = ['c29tZXNhbHQ', 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc']
  const email = mail()
  const excessive = [
    '$argon2id$v=19$m=4194304,t=1,p=1$',
    '$argon2id$v=19$m=262145,t=1,p=1$',
    '$argon2id$v=19$m=262144,t=10,p=1$',
    '$argon2id$v=19$m=1024,t=9999,p=1$',
    '$argon2id$v=19$m=65536,t=1,p=255$',
    '$scrypt$ln=63,r=8,p=1$',
    '$scrypt$ln=19,r=8,p=1$',
    '$scrypt$ln=1,r=9999,p=9999$',
    '$pbkdf2-sha256$i=99999999$',
    '$pbkdf2-sha256$2000001$',
    '$pbkdf2-sha1$i=2000001$',
  ].map((form) => `${form}${salt}$${hash}`)
  for (const cost of ['15', '31', '99']) excessive.push(FOREIGN[0][1].replace('$05$', `$${cost}$`))

  /** The answers to all these hashes, and the time of the quickest of three repetitions, in ms. */
  const timed = async (hashes: string[], newEmail: () => string) => {
    const [answers, times]: [Answer[], number[]] = [[], []]
    for (let round = 0; round < 3; round++) {
      const start = performance.now()
      for (const passwordHash of hashes)
        answers.push(await platform.post('/admin/users', { email: newEmail(), passwordHash }))
      times.push(performance.now() - start)
    }
    return { answers, least: Math.min(...times) }
  }
  const refused = await timed(excessive, () => email)
  const created = await timed(Array(excessive.length).fill(FOREIGN[0][1]), mail)

  assert.deepEqual(
    refused.answers.map(({ status, body }) => [status, body.errors?.[0]?.path]),
    refused.answers.map(() => [400, '/passwordHash']),
  )
  assert.deepEqual([...new Set(created.answers.map(({ status }) => status))], [201])
  // Any one of them would take a hundred times as long to compute as a user takes to create.
  assert.ok(refused.least < 3 * created.least, `${refused.least} ms, ${created.least} ms if accepted`)
  assert.equal((await platform.get(`/admin/users?email=${email}`)).body.total, 0)
})

test('an unknown hash format, or a hash with a password, is rejected at /passwordHash', async (t) => {
  const { platform } = await startTestApp(t)
  const [argon2, scrypt] = [FOREIGN[4][1], FOREIGN[8][1]]
  const bad = [
    '',
    'password',
    '$argon2id$x',
    argon2.replace('v=19', 'v=16'),
    argon2.replace('m=256', 'm=0256'),
    argon2.replace('m=256', 'm=15'),
    argon2.replace('p=2', 'p=0'),
    argon2.replace('p=2', 'p=2,keyid=x'),
    argon2.replace('c29tZXNhbHQ', 'c2FsdA'),
    argon2.replace('c29tZXNhbHQ', 'c29tZXNhbHR'),
    `${argon2}=`,
    `${argon2}\n`,
    `${argon2}\0x`,
    argon2.slice(0, -30),
    FOREIGN[0][1].slice(0, -1),
    `${FOREIGN[0][1]}x`,
    FOREIGN[0][1].replace('$2a$', '$2x$'),
    FOREIGN[0][1].replace('$05$', '$03$'),
    FOREIGN[0][1].replace('CC.E5', 'CC/E5'),
    scrypt.replace('ln=14', 'ln=0'),
    scrypt.replace('ln=14,r=8', 'ln=16,r=1'),
    '$pbkdf2-md5$1000$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$pbkdf2-sha256$i=1000,l=31$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    'pbkdf2_sha256$1000$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    argon2.padEnd(60_000, 'A'),
    null,
    1,
    [argon2],
  ]

  const answers = []
  for (const passwordHash of bad)
    answers.push(await platform.post('/admin/users', { email: mail(), passwordHash }))
  answers.push(
    await platform.post('/admin/users', { email: mail(), password: PASSWORD, passwordHash: argon2 }),
  )

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.errors?.[0]?.path]),
    answers.map(() => [400, '/passwordHash']),
  )
})

test('a hash appears in no response, audit entry or event', async (t) => {
  const { platform, audited, findEvents } = await startTestApp(t)

  const made = await platform.post('/admin/users', {
    email: mail(),
    passwordHash: FOREIGN[0][1],
    emailVerified: true,
  })

  const outputs = [
    made.body,
    await audited({ targetId: made.body.id }),
    await findEvents({ userId: made.body.id }),
  ]
  assert.equal(made.status, 201)
  assert.doesNotMatch(
    JSON.stringify([...outputs, (await platform.get(`/admin/users/${made.body.id}`)).body]),
    /passwordHash|\$2a\$/,
  )
})
