/** The files that a server writes are for its user only (data-dir.ts). */
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigError } from '../../src/config/config.ts'
import { openDataDir } from '../../src/data-dir.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import { adminClient, serviceToken } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }

/** An empty folder that other users can enter. */
function openFolder(t: TestContext, mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-open-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, mode)
  return folder
}

const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0

test('a DATA_DIR that was made for everybody, and each file in it, is for the user of the server', async (t) => {
  const folder = openFolder(t)
  mkdirSync(join(folder, 'outbox'), { mode: 0o755 })
  for (const [name, content] of [
    ['lock', ''],
    ['secret-key', 'a key for tests, 32 characters or more\n'],
  ] as const) {
    writeFileSync(join(folder, name), content)
    chmodSync(join(folder, name), 0o644)
  }
  const env = { DATA_DIR: folder, ADMIN_CLIENT_ID: CLIENT.id, ADMIN_CLIENT_SECRET: CLIENT.secret }
  const server = await startServer({ env, createsDatabase: true })
  t.after(() => server.close())
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  const { body } = await platform.post('/admin/users', { email: 'a@example.test' })
  assert.equal((await platform.post(`/admin/users/${body.id}/send-password-reset`)).status, 202)
  const outbox = join(folder, 'outbox')
  await t.waitFor(() => assert.equal(readdirSync(outbox).filter((name) => /^\w/.test(name)).length, 1), SOON)

  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

  assert.ok(paths.length > 100 && existsSync(join(folder, 'database')))
  // PGlite creates files for everybody, in a folder that only this user can enter.
  const ownPaths = paths.filter((path) => !path.startsWith(join(folder, 'database/')))
  const open = [folder, ...ownPaths].filter((path) => existsSync(path) && isOpen(path))
  assert.deepEqual(
    open.map((path) => relative(folder, path)),
    [],
  )
})

test('a DATA_DIR with files of others is not closed to them: the start is refused with a sentence', async (t) => {
  const folder = openFolder(t)
  writeFileSync(join(folder, 'notes'), '')

  const { code, stdout, stderr } = await startToEnd({ DATA_DIR: folder })

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^DATA_DIR \S+ is open to other users, and has files of others\. [^\n]*chmod 700 \S+\n$/,
  )
  assert.equal(statSync(folder).mode & 0o777, 0o755)
  assert.ok(!existsSync(join(folder, 'lock')) && !existsSync(join(folder, 'database')))
})

test('a DATA_DIR of another user that others can write to is refused', (t) => {
  const isRoot = process.getuid?.() === 0
  const folder = isRoot ? openFolder(t, 0o777) : tmpdir()
  if (isRoot) process.seteuid?.(65_534)
  try {
    assert.throws(() => openDataDir(folder), ConfigError)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

for (const [issuer, hasLink] of [
  ['https://id.example.test', false],
  ['', true],
] as const)
  test(`the log has ${hasLink ? 'the link' : 'no link'} of an email if the issuer is ${issuer || 'this machine'}`, async (t) => {
    const server = await startServer({
      env: {
        LOG_LEVEL: 'debug',
        ADMIN_CLIENT_ID: CLIENT.id,
        ADMIN_CLIENT_SECRET: CLIENT.secret,
        BASE_URL: issuer,
      },
    })
    t.after(() => server.close())
    const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
    const { body } = await platform.post('/admin/users', { email: 'a@example.test' })
    await platform.post(`/admin/users/${body.id}/send-password-reset`)
    await t.waitFor(() => assert.match(server.output(), /email written to the outbox/), SOON)

    const { stdout, stderr } = await server.kill('SIGTERM')

    const outbox = join(server.dataDir, 'outbox')
    const mail = readFileSync(join(outbox, readdirSync(outbox)[0]!), 'utf8')
    const token = /token=([\w-]{20,})/.exec(mail)![1]!
    assert.equal((stdout + stderr).includes(token), hasLink)
  })
