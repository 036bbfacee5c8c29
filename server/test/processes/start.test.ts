/** Start and stop of the server, as its operator sees them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createDatabase, freePort } from '../support/postgres.ts'
import { type Exit, startServer, startToEnd, type TestServer } from '../support/servers.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'
const onPostgres = process.env.DATABASE_URL

/** Clean-ups after all tests, in reverse order; `after` inside a test belongs to that test. */
const cleanUps: (() => Promise<unknown>)[] = []
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

/** Settings of a server with its own database. */
async function freshSettings(): Promise<Record<string, string>> {
  if (!onPostgres) return {}
  const database = await createDatabase(onPostgres)
  cleanUps.push(database.drop)
  return { DATABASE_URL: database.url, SECRET_KEY }
}

const credentialsIn = (output: string) => {
  const [, id = '', secret = ''] =
    /curl http\S+\/token -u '([^':]+):([^']+)' -d grant_type=client_credentials/.exec(output) ?? []
  return { id, secret }
}

async function serviceToken(
  url: string,
  { id, secret }: { id: string; secret: string },
): Promise<{ status: number; token: string }> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return {
    status: response.status,
    token: ((await response.json()) as { access_token: string }).access_token,
  }
}

async function admin(url: string, token: string, path: string, body?: object) {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
  })
  return {
    status: response.status,
    body: (await response.json()) as { id: string; total: number; data: Record<string, unknown>[] },
  }
}

/** Asserts a single line that names the fault, without a stack. */
function assertRefused(exit: Exit, line: RegExp): void {
  assert.match(exit.stderr, line)
  assert.deepEqual(
    [exit.code, exit.stdout, exit.stderr.trimEnd().split('\n').length],
    [1, '', 1],
    exit.stderr,
  )
}

/** One server for the following tests, each of which may restart it. */
let first:
  | Promise<{
      server: TestServer
      output: string
      client: { id: string; secret: string }
      settings: Record<string, string>
    }>
  | undefined
const started = () => {
  first ??= freshSettings().then(async (settings) => {
    const server = await startServer({ env: settings, createsDatabase: true })
    cleanUps.push(server.close)
    return { server, settings, output: server.output(), client: credentialsIn(server.output()) }
  })
  return first
}
test('the first start prints the first administrator and a command for a service token', async () => {
  const { server, output, client } = await started()

  const { token } = await serviceToken(server.url, client)
  const users = await admin(server.url, token, '/admin/users')

  assert.match(output, /Administrator +admin@localhost\n +Password +\S{40,}/)
  assert.deepEqual(
    users.body.data.map((user) => [user.email, user.emailVerified]),
    [['admin@localhost', true]],
  )
})

test('a second start keeps data and secrets, and prints no secret', async () => {
  const { server, client } = await started()
  const before = await serviceToken(server.url, client)
  const created = await admin(server.url, before.token, '/admin/users', {
    email: `kept-${crypto.randomUUID()}@example.com`,
  })

  await server.kill('SIGTERM')
  await server.restart()

  const { token } = await serviceToken(server.url, client)
  assert.equal((await admin(server.url, token, `/admin/users/${created.body.id}`)).status, 200)
  const [ready, , console, account, api, emails, ...more] = server.output().split('\n')
  assert.equal(ready, `Tenantry is ready at ${server.url}`)
  assert.match(String(console), new RegExp(`^  Console +${server.url}/console$`))
  assert.match(String(account), new RegExp(`^  Account pages +${server.url}/account$`))
  assert.match(String(api), new RegExp(`^  API +${server.url}/docs$`))
  assert.match(String(emails), new RegExp(`^  Emails +${server.url}/outbox\\?key=[\\w-]{22}$`))
  assert.deepEqual(more, [''])
})

test('a given ADMIN_CLIENT_SECRET replaces the stored one and is not printed', async () => {
  const { server, client } = await started()
  const given = { id: client.id, secret: crypto.randomUUID() }

  await server.kill('SIGTERM')
  await server.restart({ ADMIN_CLIENT_SECRET: given.secret })

  assert.deepEqual(
    [(await serviceToken(server.url, given)).status, (await serviceToken(server.url, client)).status],
    [200, 401],
  )
  assert.ok(!server.output().includes(given.secret))
  await server.kill('SIGTERM')
  await server.restart({ ADMIN_CLIENT_SECRET: client.secret })
})

test('SIGTERM finishes the current request, accepts no other and exits with 0', async (t) => {
  const { server, client } = await started()
  const { token } = await serviceToken(server.url, client)
  const body = JSON.stringify({ email: `late-${crypto.randomUUID()}@example.com` })
  const port = Number(new URL(server.url).port)
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(
    `POST /admin/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
  )
  await (await fetch(`${server.url}/health`)).text() // the server has processed the earlier input

  const ended = server.kill('SIGTERM')
  await refuses(port)
  socket.write(body.slice(1))
  const [answer] = (await once(socket, 'data')) as [Buffer]

  assert.match(answer.toString(), /^HTTP\/1\.1 201 /)
  assert.equal((await ended).code, 0)
  await server.restart()
})

/** Polls every 20 ms until the condition holds; limited by the timeout of the test. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-start-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Resolves when nothing listens on the port. */
async function refuses(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (!open) return
  }
}

test('a wrong SECRET_KEY stops the start with one line and leaves the database unchanged', async () => {
  const { server, client, settings } = await started()
  await server.kill('SIGTERM')

  const exit = await startToEnd({
    ...settings,
    DATA_DIR: server.dataDir,
    PORT: String(await freePort()),
    SECRET_KEY: 'another key for tests, 32 characters or more',
  })

  assertRefused(exit, /^SECRET_KEY is not the key of this database/)
  await server.restart()
  assert.equal((await serviceToken(server.url, client)).status, 200)
})

test('a port in use stops the start with one line', async (t) => {
  const { server, settings } = await started()
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await server.kill('SIGTERM')

  const exit = await startToEnd({ ...settings, DATA_DIR: server.dataDir, PORT: String(port) })

  assertRefused(exit, new RegExp(`^PORT ${port} is in use on 127\\.0\\.0\\.1`))
  await server.restart()
})

test('every invalid setting is named in a line of its own', async () => {
  const { code, stdout, stderr } = await startToEnd({
    PORT: 'many',
    STATS_ENABLED: 'yes',
    ADMIN_CLIENT_SECRET: 'short',
    TRUST_PROXY: '10.0.0.0/8, 10.0.0.0/33',
  })

  const named = stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0])
  assert.deepEqual(
    [code, stdout, named],
    [1, '', ['PORT', 'ADMIN_CLIENT_SECRET', 'STATS_ENABLED', 'TRUST_PROXY']],
  )
})

test('an ADMIN_CLIENT_ID of another system stops the start with one line', async () => {
  const { server, settings } = await started()
  await server.kill('SIGTERM')

  const exit = await startToEnd({
    ...settings,
    DATA_DIR: server.dataDir,
    PORT: String(await freePort()),
    ADMIN_CLIENT_ID: 'tenantry-console',
  })

  assertRefused(exit, /^ADMIN_CLIENT_ID must be the id of the platform's service client or a new one/)
  await server.restart()
})

if (onPostgres) {
  test('an unreachable database stops the start with one line without its password', async () => {
    const url = `postgres://tenantry:hush@127.0.0.1:${await freePort()}/tenantry`

    const exit = await startToEnd({ DATABASE_URL: url, SECRET_KEY })

    assertRefused(exit, /^DATABASE_URL: cannot use PostgreSQL at 127\.0\.0\.1:\d+\/tenantry: .*ECONNREFUSED/)
    assert.ok(!exit.stderr.includes('hush'))
  })

  test('a DATABASE_URL without a SECRET_KEY stops the start with one line', async () => {
    assertRefused(
      await startToEnd({ DATABASE_URL: onPostgres }),
      /^SECRET_KEY is required when DATABASE_URL is set/,
    )
  })

  test('two processes that start on an empty database create and print one platform', async (t) => {
    const settings = await freshSettings()

    const servers = await Promise.all([1, 2].map(() => startServer({ env: settings })))
    for (const server of servers) t.after(() => server.close())

    const announced = servers
      .map((server) => credentialsIn(server.output()))
      .filter((client) => client.id !== '')
    assert.equal(announced.length, 1)
    for (const { url } of servers) {
      const { token } = await serviceToken(url, announced[0]!)
      const counts = await Promise.all(
        ['/admin/systems', '/admin/users', '/admin/memberships'].map((path) => admin(url, token, path)),
      )
      assert.deepEqual(
        counts.map(({ body }) => body.total),
        [2, 1, 1],
      )
    }
  })

  test('with WORKERS a dead worker is replaced, and SIGTERM ends all with 0', async (t) => {
    const server = await startServer({ env: { ...(await freshSettings()), WORKERS: '2' } })
    t.after(() => server.close())
    const client = credentialsIn(server.output())
    const [doomed, spared] = server.children()

    process.kill(doomed!, 'SIGKILL')
    const replaced = () => server.children().length === 2 && !server.children().includes(doomed!)
    await until(replaced)

    assert.ok(server.children().includes(spared!))
    const { token } = await serviceToken(server.url, client)
    assert.equal((await admin(server.url, token, '/admin/users')).body.total, 1)
    assert.equal(server.output().match(/Password/g)?.length, 1)
    assert.equal((await server.kill('SIGTERM')).code, 0)
  })
} else {
  test('the secrets in the data folder are readable by their owner only', async () => {
    const { server } = await started()

    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

    assert.equal(mode(join(server.dataDir, 'secret-key')), '600')
    assert.equal(mode(join(server.dataDir, 'database')), '700')
  })

  test('a second process on the data folder is refused in one line', async () => {
    const { server, client } = await started()

    const exit = await startToEnd({ DATA_DIR: server.dataDir, PORT: String(await freePort()) })

    assertRefused(exit, /^DATA_DIR \S+ is in use by another process/)
    assert.equal((await serviceToken(server.url, client)).status, 200)
  })

  test('a data folder without write permission stops the start with one line', async (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'file'), '')

    assertRefused(
      await startToEnd({ DATA_DIR: join(folder, 'file', 'data') }),
      /^DATA_DIR must be a writable folder/,
    )
  })

  test('when two processes start with the same DATA_DIR, one runs', async (t) => {
    const folder = temporaryFolder(t)

    const starts = await Promise.allSettled([1, 2].map(() => startServer({ env: { DATA_DIR: folder } })))

    for (const start of starts) if (start.status === 'fulfilled') t.after(() => start.value.close())
    assert.deepEqual(starts.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.match(
      String(starts.find((start) => start.status === 'rejected')?.reason),
      /DATA_DIR \S+ is in use by another process/,
    )
  })

  test('a data folder whose first start was killed can be started again', async (t) => {
    const folder = temporaryFolder(t)
    // In ms: while the database is created, and about when it is ready.
    for (const killAfter of [1_200, 2_600])
      await startToEnd({ DATA_DIR: folder, PORT: String(await freePort()) }, { killAfter })

    const server = await startServer({ env: { DATA_DIR: folder } })
    t.after(() => server.close())

    assert.equal((await fetch(`${server.url}/health`)).status, 200)
  })
}
