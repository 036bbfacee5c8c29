/**
 * `npm run bench:soak`: sign-ins and refreshes for 15 minutes with lifetimes of one minute, while expired
 * rows are deleted. Prints every ten seconds table sizes, and memory, open files and connections of the
 * server. They must level off: the rate and the lifetimes determine the live rows, the frequency of
 * autovacuum the dead rows. At the end, times of the requests by quarter of the run. Linux only.
 *
 *   --minutes N   default 15; rows are deleted five minutes after they expire, so tables grow for six minutes
 *   --rate N      default 20 operations per second, a third of them sign-ins with a password
 *   --backlog N   default 100000 expired artifacts, sessions and audit entries each at the start
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { readConfig } from '../server/src/config/config.ts'
import { openPostgres } from '../server/src/database/connections/postgres.ts'
import { deleteAll } from '../server/src/jobs/cleanup/cleanup.ts'
import { startPostgres } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { fill, SETTINGS } from './fill.ts'
import { prepare } from './paths.ts'
import { CLIENT_SECRET, PASSWORD, SECRET_KEY } from './world.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    rate: { type: 'string', default: '20' },
    backlog: { type: 'string', default: '100000' },
  },
})
const [minutes, rate, backlog] = [Number(values.minutes), Number(values.rate), Number(values.backlog)]
/** Seconds. */
const SAMPLE = 10
const LIFETIMES = {
  TTL_REFRESH_TOKEN: '60',
  TTL_REFRESH_TOKEN_MAX: '120',
  TTL_SESSION_IDLE: '60',
  TTL_SESSION_MAX: '120',
  TTL_INTERACTION: '60',
  TTL_CODE: '30',
}
/** Five minutes, in days: replaces the retention settings. */
const SHORT = 300 / 86_400
const RETENTION = {
  RETENTION_SESSIONS_DAYS: SHORT,
  RETENTION_AUDIT_DAYS: SHORT,
  RETENTION_EVENTS_DAYS: SHORT,
}
/** Time after which a worker signs in again, in ms: less than TTL_REFRESH_TOKEN_MAX. */
const SIGNED_IN = 90_000
const TABLES = ['artifacts', 'sessions', 'audit', 'events', 'limits']
const WORKERS = 8

const print = (text: string) => void process.stdout.write(`${text}\n`)

/** Inserts rows that expired long ago. */
const backlogOf = (count: number) => `
  insert into artifacts (model, id_hash, payload, expires_at, created_at)
    select 'RefreshToken', sha256(convert_to('over' || n, 'UTF8')), (select payload from artifacts where model = 'RefreshToken' limit 1), now() - interval '1 day', now() - interval '2 days' from generate_series(1, ${count}) n;
  insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", created_at, last_seen_at, expires_at)
    select 'over' || n, system_id, user_id, account_id, membership_id, "grant", now() - interval '2 days', now() - interval '2 days', now() - interval '1 day'
    from (select * from sessions limit 1) s, generate_series(1, ${count}) n;
  insert into audit (time, action, outcome, actor_type) select now() - interval '400 days', 'user.login', 'success', 'user' from generate_series(1, ${count}) n;`

type Operation = { kind: 'password' | 'refresh'; run(): Promise<unknown>; busy: boolean }
type Took = {
  ms: number
  kind: string
  deleting: boolean
  /** In ms since the beginning. */
  at: number
}

/**
 * Starts an operation whenever one is due, with an idle worker. Without one, the operation counts as failed.
 */
async function load(
  operations: Operation[],
  until: number,
  state: { deleting: boolean },
): Promise<{ took: Took[]; failed: number }> {
  const took: Took[] = []
  const start = performance.now()
  let failed = 0
  const under = new Set<Promise<void>>()
  for (let nth = 0; performance.now() < until; nth += 1) {
    const kind = nth % 3 === 0 ? 'password' : 'refresh'
    const next = operations.find((each) => each.kind === kind && !each.busy)
    if (next) {
      next.busy = true
      const [began, deleting] = [performance.now(), state.deleting]
      const running = next
        .run()
        .then(
          () =>
            void took.push({
              ms: performance.now() - began,
              kind,
              deleting: deleting || state.deleting,
              at: began - start,
            }),
          () => {
            failed += 1
          },
        )
        .finally(() => {
          operations.splice(operations.indexOf(next), 1)
          operations.push(next) // the longest idle one is the next
          next.busy = false
          under.delete(running)
        })
      under.add(running)
    } else failed += 1
    await pause(1_000 / rate)
  }
  await Promise.all(under)
  return { took, failed }
}

async function sample(
  client: pg.Client,
): Promise<Record<string, { live: number; dead: number; bytes: number }>> {
  const { rows } = await client.query<{ name: string; live: number; dead: number; bytes: number }>(
    `
    select relname as name, n_live_tup::int as live, n_dead_tup::int as dead, pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables where relname = any($1)`,
    [TABLES],
  ) // prettier-ignore
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size]))
}

/** In ms, of those that match: the number of times, and the time that a part of them does not exceed. */
function timesOf(took: Took[], isMeant: (each: Took) => boolean) {
  const times = took
    .filter(isMeant)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b)
  return {
    count: times.length,
    at: (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`,
  }
}

function latency(took: Took[], failed: number): void {
  for (const kind of ['password', 'refresh'])
    for (const deleting of [true, false]) {
      const { count, at } = timesOf(took, (each) => each.kind === kind && each.deleting === deleting)
      print(
        `${kind}, ${deleting ? 'while batches were deleted' : 'else'}: ${count} times, median ${at(0.5)}, p99 ${at(0.99)}`,
      )
    } // prettier-ignore
  print(`${failed} failed or were late.`)
}

/** Whether the requests become slower in the course of the run. */
function drift(took: Took[]): void {
  const quarterOf = ({ at }: Took) => Math.floor((4 * at) / (minutes * 60_000))
  for (const kind of ['password', 'refresh']) {
    const p99s = [0, 1, 2, 3].map((nth) =>
      timesOf(took, (each) => each.kind === kind && quarterOf(each) === nth).at(0.99),
    )
    print(`${kind}, p99 of each quarter: ${p99s.join(', ')}`)
  }
}

/** The memory, files and connections of the server process; up to three connections are of this program. */
async function held(client: pg.Client, pid: number): Promise<string> {
  const [, kB] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const files = readdirSync(`/proc/${pid}/fd`).length
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where application_name = 'tenantry'",
  )
  return `memory ${Math.round(Number(kB) / 1_024)} MB, ${files} files, ${rows[0]!.count} connections`
}

/** The operations that create rows: workers that sign in, and workers that refresh. */
async function openWorkers(origin: string, emails: string[]) {
  const target = {
    kind: 'ours' as const,
    origin,
    issuer: origin,
    client: { id: 'shop', secret: CLIENT_SECRET },
    redirectUri: 'https://shop.example/callback',
    scope: 'openid email offline_access',
    password: PASSWORD,
  }
  const signing = await prepare({ ...target, emails: emails.slice(0, WORKERS) }, 'password', WORKERS)
  const refreshing = await Promise.all(
    emails.slice(WORKERS).map((email) => openRefresher({ ...target, emails: [email] })),
  )
  const operations: Operation[] = [
    ...signing.operations.map((run) => ({ kind: 'password' as const, run, busy: false })),
    ...refreshing.map(({ run }) => ({ kind: 'refresh' as const, run, busy: false })),
  ]
  return { operations, close: () => [signing, ...refreshing].forEach(({ close }) => void close()) }
}

/** A worker that refreshes, and signs in again before the session expires. */
async function openRefresher(target: Parameters<typeof prepare>[0]) {
  const open = async () => ({
    worker: await prepare(target, 'refresh', 1),
    until: performance.now() + SIGNED_IN,
  })
  let current = await open()
  const run = async () => {
    if (performance.now() > current.until) {
      current.worker.close()
      current = await open()
    }
    return current.worker.operations[0]!()
  }
  return { run, close: () => current.worker.close() }
}

async function soak(url: string, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ email: string }>(`
    select u.email from users u join memberships m on m.user_id = u.id join systems s on s.id = m.system_id
    where s.client_id = 'shop' and m.status = 'active' and not u.disabled and u.email !~ '[+]' limit ${2 * WORKERS}`)
  const server = await startServer({
    env: { NODE_ENV: 'production', DATABASE_URL: url, SECRET_KEY, ...LIFETIMES },
  })
  const { operations, close } = await openWorkers(
    server.url,
    rows.map(({ email }) => email),
  ) // prettier-ignore
  const { db, close: closeDb } = await openPostgres(url, 2)
  await client.query(backlogOf(backlog))
  const [began, until] = [performance.now(), performance.now() + minutes * 60_000]
  const state = { deleting: false }
  const loading = load(operations, until, state)
  const config = { ...readConfig({}), ...RETENTION }
  while (performance.now() < until) {
    const sizes = await sample(client)
    const all = TABLES.map(
      (name) =>
        `${name} ${sizes[name]?.live}+${sizes[name]?.dead} ${((sizes[name]?.bytes ?? 0) / 1e6).toFixed(1)} MB`,
    )
    const next = pause(SAMPLE * 1_000)
    state.deleting = true
    const deleted = await deleteAll({ db, config }, new AbortController().signal)
    state.deleting = false
    print(
      `${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${all.join('  ')}  deleted ${JSON.stringify(deleted)}  ${await held(client, server.pid())}`,
    )
    await next
  }
  const { took, failed } = await loading
  latency(took, failed)
  drift(took)
  const { rows: vacuums } = await client.query(
    'select relname, autovacuum_count::int as vacuums, n_tup_hot_upd::int as hot, n_tup_upd::int as updates from pg_stat_user_tables where relname = any($1)',
    [TABLES],
  )
  for (const row of vacuums) print(JSON.stringify(row))
  close()
  await closeDb()
  await server.close()
}

const postgres = await startPostgres({ durable: true, settings: SETTINGS })
try {
  await (await openPostgres(postgres.url, 1)).close()
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await fill(client, 10_000)
  await client.query('reset all')
  await soak(postgres.url, client)
  await client.end()
} finally {
  await postgres.close()
}
process.exit()
