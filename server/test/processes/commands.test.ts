/**
 * The commands of `tenantry`, as an operator runs them. Those that rotate or verify have tests of their own.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDatabase, freePort } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { adminClient, PASSWORD, serviceToken } from '../support/testing.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'
const SECRET = 'a-secret-of-the-platform'
const onPostgres = process.env.DATABASE_URL

/** Settings of an installation whose server was started, and stopped. */
async function usedSettings(t: TestContext, more: Record<string, string> = {}) {
  const { DATA_DIR: _, ...settings } = { ...(await newSettings(t)), ...more }
  const server = await startServer({ env: settings })
  t.after(() => server.close())
  await server.kill('SIGTERM')
  return { server, env: { ...settings, DATA_DIR: server.dataDir } as Record<string, string> }
}

/** Settings of an installation that was not started yet. */
async function newSettings(t: TestContext): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-commands-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const database = onPostgres ? await createDatabase(onPostgres) : undefined
  if (database) t.after(database.drop)
  return { DATA_DIR: join(folder, 'data'), SECRET_KEY, ...(database && { DATABASE_URL: database.url }) }
}

const command = (words: string, env: Record<string, string> = {}) =>
  startToEnd(env, { args: words.split(' ').filter(Boolean) })

const json = async (words: string, env: Record<string, string>): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await command(`${words} --json`, env)
  assert.equal(stdout.trimEnd().split('\n').length, 1, stdout + stderr)
  const printed: Record<string, unknown> = JSON.parse(stdout)
  return { ...printed, code }
}

type Checks = { name: string; ok: boolean; state: string; detail: string }[]
const checked = async (env: Record<string, string>) => {
  const { code, checks } = await json('check', env)
  return { code, failed: (checks as Checks).filter(({ ok }) => !ok).map(({ name }) => name) }
}

test('migrate --plan names what is missing and changes nothing; migrate applies it once', async (t) => {
  const env = await newSettings(t)

  const planned = [await json('migrate --plan', env), await json('migrate --plan', env)]
  const applied = [await json('migrate', env), await json('migrate', env)]
  const after = await json('migrate --plan', env)

  const missing = planned[0]?.missing as { name: string; kind: string; when: string; isDue: boolean }[]
  const { name, kind, when, isDue } = missing[0]!
  assert.deepEqual([name, kind, when, isDue], ['0000_init', 'init', 'start', true])
  assert.deepEqual(planned, [
    { code: 2, missing },
    { code: 2, missing },
  ])
  assert.deepEqual(applied, [
    { code: 0, applied: missing.map((each) => each.name) },
    { code: 0, applied: [] },
  ])
  assert.deepEqual(after, { code: 0, missing: [] })
})

test('check finds a new and a used installation in order, and creates nothing', async (t) => {
  const env = await newSettings(t)
  const before = await checked(env)
  const isUntouched = !existsSync(env.DATA_DIR!)
  const used = await usedSettings(t)

  const after = await checked(used.env)

  assert.deepEqual(
    [before, after],
    [
      { code: 0, failed: [] },
      { code: 0, failed: [] },
    ],
  )
  assert.ok(isUntouched || onPostgres)
})

test('check names each fault and exits with 1', async (t) => {
  const { env } = await usedSettings(t)
  const nobody = `127.0.0.1:${await freePort()}`

  const key = await checked({ ...env, SECRET_KEY: 'another key, also of 32 characters or more' })
  const mail = await checked({ ...env, MAIL_URL: `smtp://${nobody}` })
  const settings = await checked({ ...env, PORT: 'many', WORKERS: '0' })
  const database = await checked({ ...env, DATABASE_URL: `postgres://a:hush@${nobody}/tenantry` })

  assert.deepEqual(
    { key, mail, settings, database },
    {
      key: { code: 1, failed: ['keys'] },
      mail: { code: 1, failed: ['mail'] },
      settings: { code: 1, failed: ['settings', 'settings'] },
      database: { code: 1, failed: ['database'] },
    },
  )
})

const PUBLIC = {
  BASE_URL: 'https://id.example.test',
  TRUST_PROXY: '127.0.0.1',
  MAIL_URL: 'smtp://mail.example.test',
}
/** Settings, and the warnings that they cause. */
const WARNED: [string, Record<string, string>, RegExp[]][] = [
  ['nothing', {}, []],
  ['a public issuer with a proxy and a mail server', PUBLIC, []],
  [
    'a public issuer without a proxy and a mail server',
    { BASE_URL: PUBLIC.BASE_URL },
    [/TRUST_PROXY is not set/, /MAIL_URL is not set/],
  ],
  [
    'calls into the own network',
    { ...PUBLIC, CONNECTIONS_ALLOW_PRIVATE: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' },
    [/CONNECTIONS_ALLOW_PRIVATE is true/, /WEBHOOK_ALLOW_PRIVATE is true/],
  ],
  ['metrics of a closed network', { METRICS_ENABLED: 'true' }, []],
  ['public metrics', { ...PUBLIC, METRICS_ENABLED: 'true' }, [/METRICS_ENABLED: everybody/]],
  ['metrics with a token', { ...PUBLIC, METRICS_ENABLED: 'true', METRICS_TOKEN: 'a-token-of-metrics' }, []],
  ['metrics on a port', { ...PUBLIC, METRICS_ENABLED: 'true', METRICS_PORT: '9464' }, []],
  [
    'a token and a port that have no effect',
    { METRICS_TOKEN: 'a-token-of-metrics', METRICS_PORT: '9464' },
    [/METRICS_TOKEN has no effect/, /METRICS_PORT has no effect/],
  ],
]

for (const [what, settings, expected] of WARNED)
  test(`check and the start warn about ${what}: ${expected.length}`, async (t) => {
    const env = { ...(await newSettings(t)), ...settings }
    const { checks } = await json('check', env)
    const { DATA_DIR: _, ...rest } = env
    const server = await startServer({ env: rest })
    t.after(() => server.close())
    const { stderr } = await server.kill('SIGTERM')

    const warned = (checks as Checks).filter(({ state }) => state === 'warning').map(({ detail }) => detail)
    const printed = [...stderr.matchAll(/^Warning: (.*)$/gm)].map(([, text]) => text!)
    const has = (found: string[], one: RegExp) => found.some((text) => one.test(text))
    assert.equal(warned.length, expected.length, warned.join())
    for (const one of expected) assert.ok(has(warned, one) && has(printed, one), String(one))
  })

test('check connects to the mail server', async (t) => {
  const env = await newSettings(t)
  const smtp = await startSmtpServer(t)

  assert.deepEqual(await checked({ ...env, MAIL_URL: `smtp://${smtp.address}` }), { code: 0, failed: [] })
})

test('admin reset gives the administrator a temporary password, and nobody else', async (t) => {
  const { server, env } = await usedSettings(t, {
    ADMIN_CLIENT_ID: 'the-platform',
    ADMIN_CLIENT_SECRET: SECRET,
    ADMIN_PASSWORD: PASSWORD,
  })
  await server.restart()
  const platform = adminClient(server.url, await serviceToken(server.url, 'the-platform', SECRET))
  await platform.post('/admin/users', { email: 'user@example.test', password: PASSWORD })
  await server.kill('SIGTERM')

  const refused = await command('admin reset --email user@example.test', env)
  const unknown = await command('admin reset --email nobody@example.test', env)
  const done = await json('admin reset --remove-second-factors', env)
  await server.restart()

  for (const { code, stdout, stderr } of [refused, unknown]) {
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^\w+@example\.test is not an administrator of the platform\.[^\n]*\n$/)
  }
  assert.deepEqual([done.code, done.email], [0, 'admin@localhost'])
  const again = adminClient(server.url, await serviceToken(server.url, 'the-platform', SECRET))
  const { body } = await again.get('/admin/users?email=admin@localhost')
  assert.equal(body.data[0].mustChangePassword, true)
  const { body: log } = await again.get('/admin/audit?action=user.password_reset')
  assert.deepEqual(
    log.data.map((entry: { actor: { type: string }; target: { id: string } }) => [
      entry.actor.type,
      entry.target.id,
    ]),
    [['server', body.data[0].id]],
  )
})

const MISTAKES: [string, RegExp][] = [
  ['strat', /^There is no command "strat"\. "tenantry help" lists all commands\.\n$/],
  ['keys rotat', /^There is no command "keys rotat"\. Use: keys rotate\.\n$/],
  ['start now', /^Unexpected argument 'now'[^\n]*\n$/],
  ['migrate --plans', /^Unknown option '--plans'[^\n]*\n$/],
  ['audit verify --checkpoint nowhere', /^--checkpoint: cannot read nowhere\.\n$/],
]

test('a mistake is one sentence, and exits with 1', async () => {
  for (const [words, sentence] of MISTAKES) {
    const { code, stdout, stderr } = await command(words)

    assert.match(stderr, sentence)
    assert.deepEqual([code, stdout], [1, ''])
  }
})

test('a secret can be in a file, but not in two places', async (t) => {
  const { SECRET_KEY: key = '', ...env } = (await usedSettings(t)).env
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-secrets-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'secret-key')
  writeFileSync(file, `${key}\n`)
  writeFileSync(join(folder, 'other'), 'another key, also of 32 characters or more')
  writeFileSync(join(folder, 'empty'), '\n')

  const same = await checked({ ...env, SECRET_KEY_FILE: file })
  const other = await checked({ ...env, SECRET_KEY_FILE: join(folder, 'other') })
  const twice = await command('check', { ...env, SECRET_KEY: key, SECRET_KEY_FILE: file })
  const absent = await command('check', { ...env, SECRET_KEY_FILE: join(folder, 'none') })
  const empty = await command('check', { ...env, MAIL_URL_FILE: join(folder, 'empty') })

  assert.deepEqual(
    [same, other],
    [
      { code: 0, failed: [] },
      { code: 1, failed: ['keys'] },
    ],
  )
  assert.match(twice.stdout, /FAULT +settings +SECRET_KEY and SECRET_KEY_FILE are both set\./)
  assert.match(absent.stdout, /FAULT +settings +SECRET_KEY_FILE: cannot read \S+none \(ENOENT\)\./)
  assert.match(empty.stdout, /FAULT +settings +MAIL_URL_FILE: \S+empty is empty\./)
})
