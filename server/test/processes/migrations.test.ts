/** Migrations of a next version, applied by its command `migrate` to a database of this version. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startToEnd } from '../support/servers.ts'
import { createVersion } from '../support/versions.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'

const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
after(() => postgres?.close())
const serverUrl = process.env.DATABASE_URL ?? postgres!.url

/** A database with the tables of this version, and a connection to it. */
async function openDatabase(t: TestContext) {
  const database = await createDatabase(serverUrl)
  t.after(database.drop)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: '/nonexistent',
    MAIL_URL: 'smtp://localhost',
  }
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => {}) // the database is dropped
    await client.connect()
    return client
  }
  const client = await connect()
  t.after(() => client.end())
  const rows = async (statement: string) => (await client.query({ text: statement, rowMode: 'array' })).rows
  const columns = async (table: string) =>
    (await rows(`select column_name from information_schema.columns where table_name = '${table}'`)).flat()
  await run(env, undefined, 'migrate')
  return { env, rows, columns, connect }
}

type Env = Record<string, string>

const run = (env: Env, main: string | undefined, words: string, killed?: AbortSignal) =>
  startToEnd(env, { args: words.split(' '), ...(main && { main }), ...(killed && { killed }) })

const json = async (env: Env, main: string, words: string) => {
  const { code, stdout, stderr } = await run(env, main, `${words} --json`)
  return { code, stderr, ...JSON.parse(stdout || '{}') }
}

/** The next version, with migrations. */
function next(
  t: TestContext,
  migrations: Record<string, string>,
  releases: Record<string, number> = { '0.1.0': 0 },
): string {
  const commented = Object.entries(migrations).map(([name, text]) => [name, `-- For a test.\n${text}`])
  const { main, remove } = createVersion({
    version: '0.2.0',
    migrations: Object.fromEntries(commented),
    releases,
  })
  t.after(remove)
  return main
}

const MIGRATIONS = {
  '0001_expand_news': 'create table news (id int primary key, text text);',
  '0002_fill_news':
    '-- key: news.id\nupdate news set text = id::text where id between $1 and $2 and text is null;',
  '0003_contract_news': 'alter table news drop column text;',
  '0004_expand_news_index': 'create index concurrently if not exists news_id on news (id);',
}
const [EXPAND, FILL, CONTRACT, INDEX] = Object.keys(MIGRATIONS)

test('migrate applies each expand; --finish applies fills and then contracts; the plan tells them apart', async (t) => {
  const { env, columns, rows } = await openDatabase(t)
  const main = next(t, MIGRATIONS)

  const plan = await json(env, main, 'migrate --plan')
  const started = await json(env, main, 'migrate')
  const isKept = (await columns('news')).includes('text')
  const after = [await json(env, main, 'migrate --plan'), await json(env, main, 'migrate --plan --finish')]
  const finished = await json(env, main, 'migrate --finish')

  const shown = (plan.missing as { name: string; when: string }[]).map(({ name, when }) => [name, when])
  assert.deepEqual(shown, [
    [EXPAND, 'start'],
    [INDEX, 'start'],
    [FILL, 'background'],
    [CONTRACT, 'finish'],
  ])
  assert.deepEqual([started.code, started.applied, isKept], [0, [EXPAND, INDEX], true])
  assert.deepEqual(
    after.map(({ code, missing }) => [code, missing.length]),
    [
      [0, 2],
      [2, 2],
    ],
  )
  assert.deepEqual([finished.code, finished.applied], [0, [FILL, CONTRACT]])
  assert.deepEqual(await columns('news'), ['id'])
  assert.deepEqual(await rows('select name from migrations where finished_at is null'), [])
})

test('migrations of an earlier release, which was not finished, are all applied before the own ones', async (t) => {
  const { env } = await openDatabase(t)
  const main = next(t, MIGRATIONS, { '0.1.0': 0, '0.1.1': 3 })

  const { code, applied } = await json(env, main, 'migrate')

  assert.deepEqual([code, applied], [0, [EXPAND, FILL, CONTRACT, INDEX]])
})

test('a migration that fails leaves schema and rows as they were, and succeeds when it is repeated', async (t) => {
  const { env, columns, rows } = await openDatabase(t)
  await rows(
    "insert into signing_keys (kid, alg, public_jwk, sealed_private_jwk, active_from) values ('a', 'ES256', '{}', '', now())",
  )
  const before = await columns('users')
  const main = next(t, {
    '0001_expand_nick':
      'alter table users add column nick text;\n--> statement-breakpoint\nalter table signing_keys alter column kid type int using kid::int;',
  })

  const failed = await run(env, main, 'migrate')
  const during = await columns('users')
  const own = await run(env, undefined, 'migrate --plan')
  await rows("update signing_keys set kid = '1'")
  const repeated = await json(env, main, 'migrate')

  assert.match(
    failed.stderr,
    /^The migration 0001_expand_nick failed: invalid input syntax for type integer: "a"\. [^\n]*\n$/,
  )
  assert.deepEqual([failed.code, failed.stdout, during], [1, '', before])
  assert.deepEqual([own.code, own.stderr], [0, ''])
  assert.deepEqual([repeated.code, repeated.applied], [0, ['0001_expand_nick']])
  assert.ok((await columns('users')).includes('nick'))
})

test('a migration that waits for a table blocks its readers for half a second at most, and is repeated', async (t) => {
  const { env, connect, columns } = await openDatabase(t)
  const [holder, reader] = [await connect(), await connect()]
  t.after(() => Promise.all([holder.end(), reader.end()]))
  await holder.query('begin')
  await holder.query('select from users')
  const main = next(t, { '0001_expand_nick': 'alter table users add column nick text;' })

  const migrating = json(env, main, 'migrate')
  let isOver = false
  const ending = migrating.finally(() => {
    isOver = true
  })
  // PostgreSQL measures the wait: a read that waits four times as long fails.
  await reader.query("set lock_timeout = '2s'")
  let blocked = 0
  for (; blocked < 3; await pause(10)) {
    const began = performance.now()
    await reader.query('select from users')
    if (performance.now() - began > 250) blocked += 1
  }
  const isWaiting = !isOver
  await holder.query('commit')

  assert.deepEqual([(await ending).code, isWaiting], [0, true])
  assert.ok((await columns('users')).includes('nick'))
})

test('an index whose concurrent creation was interrupted is created again', async (t) => {
  const { env, rows } = await openDatabase(t)
  const main = next(t, {
    '0001_expand_index': 'create index concurrently if not exists "users_test" on users (id);',
  })
  await rows('create index users_test on users (id)')
  await rows("update pg_index set indisvalid = false where indexrelid = 'users_test'::regclass")

  const { code, applied } = await json(env, main, 'migrate')

  const isValid = "select indisvalid from pg_index where indexrelid = 'users_test'::regclass"
  assert.deepEqual([code, applied, await rows(isValid)], [0, ['0001_expand_index'], [[true]]])
})

/** Resolves when as many connections have asked for the lock of migrations: it was granted or refused. */
async function untilAsked(rows: (statement: string) => Promise<unknown[]>, count: number): Promise<void> {
  const seen = new Set<unknown>()
  while (seen.size < count) {
    const found = await rows(`select pid from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and (query like '%advisory_xact_lock%' or query = 'rollback')`)
    for (const [pid] of found as [number][]) seen.add(pid)
    await pause(20)
  }
}

test('a process that waits for another one, which creates an index concurrently, does not block it', async (t) => {
  const { env, connect, rows } = await openDatabase(t)
  const holder = await connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('select from users') // the first migration waits until both processes have asked
  const main = next(t, {
    '0001_expand_nick': 'alter table users add column nick text;',
    '0002_expand_nick_index': 'create index concurrently if not exists users_nick on users (nick);',
  })

  const migrating = [1, 2].map(() => json(env, main, 'migrate --finish'))
  await untilAsked(rows, 2)
  await holder.query('commit')
  const results = await Promise.all(migrating)

  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
  )
  const applied = results.map((result) => result.applied.length).sort()
  assert.deepEqual(applied, [0, 2], 'each is applied once')
})

test('a fill whose process was killed continues at its last batch', async (t) => {
  const { env, rows } = await openDatabase(t)
  const main = next(t, {
    ...MIGRATIONS,
    [FILL!]:
      '-- key: news.id\nupdate news set text = coalesce(text, $$$$) || id where id between $1 and $2 and pg_sleep(0.0002) is not null;',
  })
  await json(env, main, 'migrate')
  await rows('insert into news select generate_series(1, 4000)')

  const kill = new AbortController()
  const killed = run(env, main, 'migrate --finish', kill.signal)
  const state = async () =>
    (await rows(`select filled, cursor from migrations where name = '${FILL}'`)).flat().map(Number)
  while (!((await state())[0]! > 0)) await pause(20)
  kill.abort()
  const { signal } = await killed
  const [filled, cursor] = await state()
  const { code, applied } = await json(env, main, 'migrate --finish')

  assert.equal(signal, 'SIGKILL')
  assert.ok(filled! < 4_000 && filled === cursor, `${filled}, ${cursor}`)
  assert.deepEqual([code, applied], [0, [FILL, CONTRACT]])
})
