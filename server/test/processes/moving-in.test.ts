/** Runs the programs of docs/moving-in.md on exports of Auth0 and Keycloak, and imports their output. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startTestApp } from '../support/testing.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/moving-in.md'), 'utf8')
const mail = () => `${crypto.randomUUID()}@x.test`

/** Runs the program whose first line has this name, and returns its output and what it reports. */
function run(name: string, input: string, files: string[] = []) {
  const program = new RegExp(`\`\`\`js\\n(// node ${name}\\.mjs[\\s\\S]+?)\`\`\``).exec(PAGE)?.[1]
  assert.ok(program, `docs/moving-in.md has a program ${name}.mjs`)
  const options = ['--input-type=module', '-e', program, '--', 'program.mjs', ...files]
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { input, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return { lines: stdout, report: stderr }
}

/** Lines of JSON in files, by their names. */
function filesOf(t: TestContext, contents: object[][]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'moving-in-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return contents.map((lines, at) => {
    const file = join(folder, `${at}.ndjson`)
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return file
  })
}

/** A credential as Keycloak exports it since version 8. */
const credential = (type: string, secretData: object, credentialData: object) => ({
  type,
  secretData: JSON.stringify(secretData),
  credentialData: JSON.stringify(credentialData),
})

/** Imports the lines. Returns each result, and whether each user can sign in. */
async function moveIn(
  app: Awaited<ReturnType<typeof startTestApp>>,
  lines: string,
  users: { email: string; password: string }[],
) {
  const system = await app.newSystem({ skipConsent: true })
  const answer = await app.platform.post('/admin/users/import', lines, {
    'content-type': 'application/x-ndjson',
  })
  const results = String(answer.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const signedIn = []
  for (const { email, password } of users) {
    const [{ id }] = (await app.platform.get(`/admin/users?email=${encodeURIComponent(email)}`)).body.data
    await app.newMembership({ userId: id, systemId: system.id })
    signedIn.push((await app.authorize(system, { email, password })).back.code !== undefined)
  }
  return { results, signedIn }
}

test('users imported from Auth0 sign in with their passwords, and those who are blocked there do not', async (t) => {
  const app = await startTestApp(t)
  const [ana, bob, eve, mia] = [mail(), mail(), mail(), mail()]
  const oid = (digit: number) => `5dea9f9c82dd7c0e76e4ec9${digit}`
  const passwordHash = '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i' // of abc
  const hashes = [
    { _id: { $oid: oid(1) }, email_verified: true, email: ana, passwordHash, tenant: 'shop' },
    {
      _id: { $oid: oid(2) },
      passwordHash,
      identifiers: [{ type: 'email', value: bob, verified: false }],
      alt_id: 'euclid',
    },
    { email: 'no id' },
    { _id: { $oid: oid(3) }, email: eve, passwordHash },
    { _id: { $oid: oid(4) }, email: mail(), passwordHash },
  ]
  const exported = [
    { user_id: `auth0|${oid(1)}`, email: ana, email_verified: true, given_name: 'Ana' },
    { user_id: 'auth0|euclid', email_verified: false },
    { user_id: 'sms|1', phone_number: '+351210000000' },
    { user_id: `auth0|${oid(3)}`, email: eve, email_verified: true, blocked: true },
    { user_id: 'google-oauth2|1', email: mia, email_verified: true },
  ]

  const files = filesOf(t, [exported, hashes])
  const { lines, report } = run('auth0', '', files)
  const { results, signedIn } = await moveIn(app, lines, [
    { email: ana, password: 'abc' },
    { email: bob, password: 'abc' },
    { email: eve, password: 'abc' },
  ])
  const withCode = await app.emailsTo(bob)

  assert.deepEqual(
    results.map(({ status, ignoredFields }) => [status, ignoredFields]),
    [1, 2, 3, 4].map(() => ['created', undefined]),
  )
  assert.deepEqual(signedIn, [true, false, false], 'an address that is not verified needs an emailed code')
  assert.deepEqual(
    withCode.map(({ kind }) => kind),
    ['mailed_code'],
  )
  const [of] = (await app.platform.get(`/admin/users?email=${bob}`)).body.data
  const [blocked] = (await app.platform.get(`/admin/users?email=${eve}`)).body.data
  assert.deepEqual([of.emailVerified, of.metadata], [false, { oldId: 'auth0|euclid' }])
  assert.equal(blocked.disabled, true)
  assert.match(report, /^\S+1\.ndjson, line 3: left out/m)
  assert.match(report, /line 3: left out \(sms\|1 has no email address\)$/m)
  assert.match(report, new RegExp(`^auth0\\|${oid(4)}: left out`, 'm'), 'a hash without a user')
})

test('users imported from Keycloak sign in with their passwords, for every hash algorithm', async (t) => {
  const app = await startTestApp(t)
  const [salt, password] = [Buffer.from('saltsaltsaltsalt'), 'correct horse']
  const pbkdf2 = (digest: string, algorithm: string, bytes: number) => ({
    secretData: {
      value: pbkdf2Sync(password, salt, 1_000, bytes, digest).toString('base64'),
      salt: salt.toString('base64'),
    },
    credentialData: { hashIterations: 1_000, algorithm, additionalParameters: {} },
  })
  const kinds = [
    pbkdf2('sha1', 'pbkdf2', 64),
    pbkdf2('sha256', 'pbkdf2-sha256', 64),
    pbkdf2('sha512', 'pbkdf2-sha512', 64),
    {
      // of password
      secretData: { value: 'bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc=', salt: 'c29tZXNhbHQ=' },
      credentialData: {
        hashIterations: 2,
        algorithm: 'argon2',
        additionalParameters: {
          hashLength: ['32'],
          memory: ['256'],
          type: ['id'],
          version: ['1.3'],
          parallelism: ['2'],
        },
      },
    },
  ]
  const logins = kinds.map((_, at) => ({ email: mail(), password: at === 3 ? 'password' : password }))
  const users = kinds.map(({ secretData, credentialData }, at) => ({
    id: crypto.randomUUID(),
    email: logins[at]!.email,
    emailVerified: true,
    firstName: 'Ana',
    attributes: { plan: ['gold'] },
    credentials: [
      { type: 'otp', secretData: '{}', credentialData: '{}' },
      {
        type: 'password',
        secretData: JSON.stringify(secretData),
        credentialData: JSON.stringify(credentialData),
      },
    ],
  }))

  const { lines } = run(
    'keycloak',
    JSON.stringify({ realm: 'shop', users: [...users, { id: '1', email: mail(), emailVerified: false }] }),
  )
  const { results, signedIn } = await moveIn(app, lines, logins)

  assert.deepEqual(
    results.map(({ status, ignoredFields }) => [status, ignoredFields]),
    [1, 2, 3, 4, 5].map(() => ['created', undefined]),
  )
  assert.deepEqual(signedIn, [true, true, true, true])
})

test('a user who is disabled in Keycloak is disabled, and one with a temporary password replaces it', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const [off, rui, bare] = [mail(), mail(), mail()]
  const salt = Buffer.from('saltsaltsaltsalt')
  // The default of Keycloak 24 and later for `pbkdf2`: four blocks of 1,300,000 rounds.
  const hash = pbkdf2Sync('correct horse', salt, 1_300_000, 64, 'sha1')
  const password = credential(
    'password',
    { value: hash.toString('base64'), salt: salt.toString('base64') },
    { hashIterations: 1_300_000, algorithm: 'pbkdf2', additionalParameters: {} },
  )
  const credentials = [password]
  const common = { emailVerified: true, requiredActions: [] as string[] }
  const users = [
    { ...common, id: '1', email: off, enabled: false, credentials },
    { ...common, id: '2', email: rui, enabled: true, requiredActions: ['UPDATE_PASSWORD'], credentials },
    { ...common, id: '3', email: bare, enabled: true, requiredActions: ['UPDATE_PASSWORD'], credentials: [] },
  ]

  const { lines } = run('keycloak', JSON.stringify({ realm: 'shop', users }))
  const { results, signedIn } = await moveIn(app, lines, [{ email: off, password: 'correct horse' }])
  const found = await Promise.all(
    results.map(async ({ id }) => (await app.platform.get(`/admin/users/${id}`)).body),
  )
  await app.newMembership({ userId: found[1].id, systemId: system.id })
  const { page } = await app.authorize(system, { email: rui, password: 'correct horse' })

  assert.deepEqual(
    found.map(({ disabled, mustChangePassword, hasPassword }) => [disabled, mustChangePassword, hasPassword]),
    [
      [true, false, true],
      [false, true, true],
      [false, false, false],
    ],
  )
  assert.deepEqual(signedIn, [false])
  assert.match(JSON.stringify(page.body), /change_password|passwordAgain/)
})

test('a user of Keycloak whose credential cannot be read is named, and the others are imported', async (t) => {
  const app = await startTestApp(t)
  const [old, odd, none, last] = [mail(), mail(), mail(), mail()]
  const salt = Buffer.from('saltsaltsaltsalt')
  const value = pbkdf2Sync('correct horse', salt, 27_500, 64, 'sha256').toString('base64')
  const [v4, other, faulty] = [
    {
      type: 'password',
      algorithm: 'pbkdf2-sha256',
      hashIterations: 27_500,
      hashedSaltedValue: value,
      salt: salt.toString('base64'),
    },
    credential('password', { value: 'x' }, { algorithm: 'bcrypt', hashIterations: 10 }),
    { type: 'password' },
  ]
  const users = [
    { id: '1', email: none, credentials: [faulty] },
    { id: '2', email: odd, credentials: [other, credential('otp', {}, {})] },
    { id: '3', username: 'nomail', credentials: [] },
    { id: '4', email: old, emailVerified: true, credentials: [v4] },
    { id: '5', email: last },
  ]

  const { lines, report } = run('keycloak', JSON.stringify({ users }))
  const { results, signedIn } = await moveIn(app, lines, [{ email: old, password: 'correct horse' }])

  assert.deepEqual(
    results.map(({ status }) => status),
    [1, 2, 3, 4].map(() => 'created'),
  )
  assert.deepEqual(signedIn, [true], 'the form of a credential before Keycloak 8 is read')
  assert.deepEqual(
    report
      .trim()
      .split('\n')
      .map((line) => line.replace(/ \(.*/, '')),
    [
      `${none}: the password is left out`,
      `${odd}: the password is left out`,
      `${odd}: the second factor is left out`,
      'nomail: left out',
    ],
  )
})
