import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Driver, startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'

type Result = { line: number; status: string; id?: string; email?: string; code?: string }
type Client = Driver['platform']

const HASH = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const mail = () => `${crypto.randomUUID()}@x.test`
const NDJSON = { 'content-type': 'application/x-ndjson' }

async function send(client: Client, lines: unknown[], query = ''): Promise<Result[]> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const { status, body } = await client.post(`/admin/users/import${query}`, text, NDJSON)
  assert.equal(status, 200)
  return (typeof body === 'string' ? body.trim().split('\n') : [JSON.stringify(body)]).map((line) =>
    JSON.parse(line),
  )
}

/**
 * The number of rows of each table that no worker writes by itself, and the position of each sequence.
 * `asked_addresses` counts what a system asks, which a dry run does. `auditOf`: the system whose audit
 * entries are counted, without those that a timer of the server writes about requests of earlier tests.
 */
async function stateOf({ db }: Driver, auditOf?: string): Promise<unknown> {
  const read = async (query: string) => ((await db.execute(sql.raw(query))) as { rows: unknown[] }).rows
  const tables = (await read(
    `select tablename from pg_tables where schemaname = 'public'
      and tablename not in ('counters', 'activity', 'asked_addresses', 'daily', 'event_log', 'limits')
      order by 1`,
  )) as { tablename: string }[]
  const ofSystem: Record<string, string> =
    auditOf === undefined
      ? {}
      : {
          audit: `where system_id = '${auditOf}'`,
          audit_links: `where entry_id in (select id from audit where system_id = '${auditOf}')`,
        }
  const counts = tables.map(
    ({ tablename: name }) => `select '${name}' as name, count(*)::int from "${name}" ${ofSystem[name] ?? ''}`,
  )
  return [
    await read(`${counts.join(' union all ')} order by 1`),
    await read('select sequencename, last_value from pg_sequences order by 1'),
  ]
}

/** The state when the work that earlier tests have left to the process has ended. */
async function settledState(app: Driver, auditOf?: string): Promise<unknown> {
  for (let last = await stateOf(app, auditOf); ; ) {
    await new Promise((passed) => setTimeout(passed, 500))
    const next = await stateOf(app, auditOf)
    if (isDeepStrictEqual(next, last)) return next
    last = next
  }
}

/** 350 lines: new and existing users, addresses that repeat near and far, and lines that are not valid. */
function mixed(existing: string[]): unknown[] {
  const fresh = Array.from({ length: 300 }, (_, n) => ({
    email: mail(),
    name: `Person ${n}`,
    emailVerified: n % 2 === 0,
    ...(n % 3 === 0 && { passwordHash: HASH }),
    ...(n % 50 === 0 && { portrait: 'unknown' }),
  }))
  const addresses = fresh.map(({ email }) => email)
  return [
    ...fresh.slice(0, 40),
    ...existing.map((email) => ({ email, name: 'Another name' })),
    { email: addresses[3]!.toUpperCase() },
    '',
    '{"email": "',
    { name: 'nobody' },
    { email: mail(), password: 'correct horse battery' },
    { email: mail(), passwordHash: 'x' },
    { email: mail(), metadata: { long: 'x'.repeat(66_000) } },
    ...fresh.slice(40),
    ...addresses.slice(0, 20).map((email) => ({ email: email.replace('@x', '@X'), disabled: true })),
  ]
}

const withoutMade = ({ id, email, ...rest }: Result) => rest

test('a dry run of an import changes nothing, and the import does what it has reported', async (t) => {
  const app = await startTestApp(t)
  const existing = [(await app.newUser()).email, (await app.newUser()).email.toUpperCase()]
  const lines = mixed(existing)
  const before = await settledState(app)

  const reported = await send(app.platform, lines, '?dryRun=true')
  const again = await send(app.platform, lines, '?dryRun=true')
  const after = await stateOf(app)
  const done = await send(app.platform, lines, '?dryRun=false')

  assert.deepEqual(after, before)
  assert.deepEqual(again, reported)
  assert.deepEqual(done.map(withoutMade), reported.map(withoutMade))
  const codes = Object.groupBy(reported, ({ code }) => code ?? 'created')
  assert.deepEqual(Object.fromEntries(Object.entries(codes).map(([code, each]) => [code, each!.length])), {
    created: 300,
    email_taken: 23,
    invalid_request: 4,
    payload_too_large: 1,
  })
  for (const { status, id, email } of reported)
    assert.deepEqual([id, email !== undefined], [undefined, status === 'created'])
})

test('a dry run of a system reports as its import does, and names no user of another system', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const one = await app.serviceOf(system)
  const other = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))
  const foreign = (await other.post('/admin/users', { email: mail(), name: 'Of the other system' })).body
  const lines = [{ email: foreign.email }, { email: mail() }, { email: mail(), disabled: 'no' }]
  const before = await settledState(app, system.id)

  const reported = await send(one, lines, '?dryRun=true')
  const after = await stateOf(app, system.id)
  const done = await send(one, lines)

  assert.deepEqual(after, before)
  assert.deepEqual(done.map(withoutMade), reported.map(withoutMade))
  assert.deepEqual(reported[0], { line: 1, status: 'failed', code: 'email_taken' })
})

test('dryRun that is neither true nor false is refused, and nothing is imported', async (t) => {
  const app = await startTestApp(t)
  const email = mail()
  const line = JSON.stringify({ email })

  const answers = []
  for (const query of ['?dryRun=yes', '?dryRun=', '?dryRun=true&dryRun=false'])
    answers.push(await app.platform.post(`/admin/users/import${query}`, line, NDJSON))
  const keyed = await app.platform.post('/admin/users/import?dryRun=true', line, {
    ...NDJSON,
    'idempotency-key': crypto.randomUUID(),
  })

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code, body.errors?.[0]?.path]),
    answers.map(() => [400, 'invalid_request', '/query/dryRun']),
  )
  assert.deepEqual([keyed.status, keyed.body.code], [400, 'invalid_request'])
  assert.equal((await app.platform.get(`/admin/users?email=${email}`)).body.total, 0)
})
