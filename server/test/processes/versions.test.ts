/** Processes of two versions on one database. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import { adminClient, serviceToken } from '../support/testing.ts'
import { createVersion } from '../support/versions.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'
const CLIENT = { id: 'versions-platform', secret: 'a-secret-of-the-versions' }
type Env = Record<string, string>

const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
after(() => postgres?.close())

/** The next version: it needs a table, fills it, and can end an upgrade. */
const next = createVersion({
  version: '0.2.0',
  migrations: {
    '0001_expand_news': '-- Adds news.\ncreate table news (id int primary key, text text);',
    '0002_fill_news':
      '-- Fills the text.\n-- key: news.id\nupdate news set text = id where id between $1 and $2 and text is null;',
    '0003_contract_news': '-- Removes the text.\nalter table news drop column text;',
  },
  releases: { '0.1.0': 0 },
})
after(next.remove)

async function newDatabase(t: TestContext) {
  const database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  t.after(database.drop)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY,
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    MAIL_URL: 'smtp://127.0.0.1:9',
  }
  const query = async (statement: string) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    return client
      .query(statement)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }
  return { env, query }
}

const ofNext = (env: Env, words: string) => startToEnd(env, { args: words.split(' '), main: next.main })

async function installation(url: string) {
  const admin = adminClient(url, await serviceToken(url, CLIENT.id, CLIENT.secret))
  const { processes, migrations } = (await admin.get('/admin/installation')).body
  return {
    versions: processes.map((each: { version: string }) => each.version),
    missing: migrations.map((each: { name: string }) => each.name),
  }
}

test('fill and contract wait until the earlier version has stopped; afterwards that version is refused', async (t) => {
  const { env, query } = await newDatabase(t)
  const old = await startServer({ env })
  t.after(() => old.close())
  const server = await startServer({ env: { ...env, BASE_URL: old.url }, main: next.main })
  t.after(() => server.close())

  await query('insert into news select generate_series(1, 3000)')

  const both = await installation(server.url)
  const refused = await ofNext(env, 'migrate --finish')
  await old.kill('SIGTERM')
  const one = await installation(server.url)
  while ((await installation(server.url)).missing.length > 1) await pause(100)
  const [filled] = await query('select count(*)::int as count from news where text = id::text')
  const finished = await ofNext(env, 'migrate --finish --json')
  const started = await startToEnd(env)

  assert.deepEqual(both, { versions: ['0.1.0', '0.2.0'], missing: ['0002_fill_news', '0003_contract_news'] })
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(
    refused.stderr,
    /^The migration 0002_fill_news was not applied, because processes of earlier versions run: 1 of version 0\.1\.0\. Stop them[^\n]+\n$/,
  )
  assert.deepEqual([one.versions, filled.count], [['0.2.0'], 3_000])
  assert.equal(finished.stdout, '{"applied":["0003_contract_news"]}\n', finished.stderr)
  assert.equal((await fetch(`${server.url}/health`)).status, 200)
  assert.deepEqual([started.code, started.stdout], [1, ''])
  assert.match(
    started.stderr,
    /^The database was upgraded by Tenantry 0\.2\.0, and version 0\.1\.0 can no longer[^\n]+\n$/,
  )
})

test('a process that was not seen while a contract was applied ends with the reason', async (t) => {
  const { env, query } = await newDatabase(t)
  const old = await startServer({ env })
  t.after(() => old.close())
  old.signal('SIGSTOP')
  await query("update processes set seen_at = now() - interval '1 minute'") // as without a connection
  await ofNext(env, 'migrate --finish')
  old.signal('SIGCONT')

  while (!old.output().includes('can no longer use it')) await pause(100)

  const reached = await fetch(`${old.url}/health`).then(
    ({ status }) => status,
    () => 503,
  )
  assert.equal(reached, 503)
})

test('with WORKERS, all processes of a version that was not seen end with 3, and none is replaced', async (t) => {
  const { env, query } = await newDatabase(t)
  const old = await startServer({ env: { ...env, WORKERS: '2', DRAIN_DELAY: '0' } })
  t.after(() => old.close())
  const workers = old.children()
  for (const pid of workers) process.kill(pid, 'SIGSTOP')
  await query("update processes set seen_at = now() - interval '1 minute'")
  await ofNext(env, 'migrate --finish')
  for (const pid of workers) process.kill(pid, 'SIGCONT')

  const { code, stdout } = await old.ended()

  assert.deepEqual([workers.length, code], [2, 3])
  assert.match(stdout, /can no longer use it/)
})

test('a fill starts again when an earlier version has started again', async (t) => {
  const { env, query } = await newDatabase(t)
  await startToEnd(env, { args: ['migrate'] })
  await ofNext(env, 'migrate')
  await query(`insert into migrations (number, name, kind, hash, version, cursor, filled, finished_at)
    values (2, '0002_fill_news', 'fill', '', '0.2.0', '1', 1, now())`)

  const old = await startServer({ env })
  t.after(() => old.close())

  const rows = await query('select cursor, filled, finished_at from migrations where number = 2')
  assert.deepEqual(rows, [{ cursor: null, filled: '0', finished_at: null }])
})

test('with MIGRATIONS=check a version does not start before its migrations are applied', async (t) => {
  const { env } = await newDatabase(t)
  const checking = { ...env, MIGRATIONS: 'check' }
  const created = await startToEnd(checking, { args: ['keys', 'rotate'] })

  const refused = await ofNext(checking, 'start')
  await ofNext(checking, 'migrate')
  const accepted = await ofNext(checking, 'keys rotate')

  assert.equal(created.code, 0, created.stderr)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^The database lacks 0001_expand_news\. Run "tenantry migrate"[^\n]+\n$/)
  assert.equal(accepted.code, 0, accepted.stderr)
})
