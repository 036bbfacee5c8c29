/** Runs the programs of docs/moving-in.md on exports of Auth0 and Keycloak, and imports their output. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from '../support/testing.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/moving-in.md'), 'utf8')
const mail = () => `${crypto.randomUUID()}@x.test`

/** Runs the program whose first line has this name, and returns its output. */
function run(name: string, input: string): string {
  const program = new RegExp(`\`\`\`js\\n(// node ${name}\\.mjs[\\s\\S]+?)\`\`\``).exec(PAGE)?.[1]
  assert.ok(program, `docs/moving-in.md has a program ${name}.mjs`)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    input,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return stdout
}

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

test('users imported from Auth0 sign in with their passwords', async (t) => {
  const app = await startTestApp(t)
  const [ana, bob, eve] = [mail(), mail(), mail()]
  const oid = { $oid: '5dea9f9c82dd7c0e76e4ec93' }
  const passwordHash = '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i' // of abc
  const exported = [
    {
      _id: oid,
      email_verified: true,
      email: ana,
      passwordHash,
      tenant: 'shop',
      connection: 'Username-Password-Authentication',
    },
    {
      _id: oid,
      passwordHash,
      identifiers: [{ type: 'email', value: bob, verified: false }],
      alt_id: 'euclid',
    },
    { _id: oid, email: eve },
  ]

  const lines = run('auth0', exported.map((user) => `${JSON.stringify(user)}\n`).join(''))
  const { results, signedIn } = await moveIn(app, lines, [
    { email: ana, password: 'abc' },
    { email: bob, password: 'abc' },
  ])
  const withCode = await app.emailsTo(bob)

  assert.deepEqual(
    results.map(({ status, ignoredFields }) => [status, ignoredFields]),
    [1, 2, 3].map(() => ['created', undefined]),
  )
  assert.deepEqual(signedIn, [true, false], 'an address that is not verified needs an emailed code')
  assert.deepEqual(
    withCode.map(({ kind }) => kind),
    ['mailed_code'],
  )
  const [of] = (await app.platform.get(`/admin/users?email=${bob}`)).body.data
  assert.deepEqual([of.emailVerified, of.metadata], [false, { oldId: 'auth0|euclid' }])
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

  const lines = run(
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
