/**
 * `npm run chaos:failover`: faults of a PostgreSQL cluster (Patroni, etcd, HAProxy, configured by
 * `ops/high-availability`) under continuous changes through two servers. Prints for each fault the longest
 * time without an acknowledged change, and exits with 1 if an acknowledged change is lost, a read misses
 * one, or a response is neither success nor 503 within 5 s. The control, with asynchronous replication,
 * loses changes.
 *
 * `--rounds 5`              number of times that each fault occurs
 * `--patroni FILE`          default: `patroni` in PATH; likewise `--etcd`, `--haproxy`
 * `--postgres-bin FOLDER`   default: /usr/lib/postgresql/15/bin
 * `--only control`          only a part: `faults` or `control`
 * `--pooler`                with PgBouncer before HAProxy: `PGBOUNCER`, or the one in PATH
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startServer, type TestServer } from '../support/servers.ts'
import { type Cluster, type Programs, startCluster, until } from './cluster.ts'
import { FAULTS, type Fault, UNREPLICATED } from './faults.ts'
import { startPooler } from './pooler.ts'
import { startWorkload, type Workload } from './workload.ts'

const CLIENT = { id: 'failover-platform', secret: 'a-secret-of-the-failover' }
/** The time of changes before a fault, and after it, in ms. */
const CALM = 2_000

type Row = { fault: string; windows: number[]; failed: number }

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

const startServers = (url: string): Promise<TestServer>[] =>
  [1, 2].map(() =>
    startServer({
      env: {
        DATABASE_URL: `${url}?target_session_attrs=read-write`,
        SECRET_KEY: 'a key for the failover, long enough!',
        BASE_URL: 'http://localhost:3000',
        ADMIN_CLIENT_ID: CLIENT.id,
        ADMIN_CLIENT_SECRET: CLIENT.secret,
        DATABASE_POOL: '10',
        TTL_SERVICE_TOKEN: '86400',
      },
    }),
  )

/** The longest time without an acknowledged change, in ms. */
async function windowOf(fault: Fault, cluster: Cluster, workload: Workload): Promise<number> {
  await pause(CALM)
  const measured = workload.watch()
  const end = await fault.cause(cluster)
  const before = workload.acknowledged.size
  await until('a change after the fault', async () => workload.acknowledged.size > before + 20 || undefined)
  await end()
  await cluster.settled()
  await pause(CALM)
  return measured().longest
}

/** Acknowledged memberships that the database does not have. */
async function lostOf(url: string, acknowledged: Set<string>): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select id from memberships').finally(() => client.end())
  const stored = new Set(rows.map(({ id }) => id))
  return [...acknowledged].filter((id) => !stored.has(id))
}

type Run = { rows: Row[]; acknowledged: number; lost: number; faults: string[] }

type Options = { synchronous: boolean; pooler: boolean }

async function run(programs: Programs, faults: Fault[], options: Options): Promise<Run> {
  const cluster = await startCluster(programs, options)
  const servers: TestServer[] = []
  let keep: 'keep logs' | undefined = 'keep logs'
  let pooler: Awaited<ReturnType<typeof startPooler>> | undefined
  try {
    if (options.pooler) pooler = await startPooler(cluster.url)
    for (const starting of startServers(pooler?.url ?? cluster.url)) servers.push(await starting)
    const workload = await startWorkload({ urls: servers.map(({ url }) => url), client: CLIENT })
    const rows = new Map<string, Row>()
    for (const fault of faults) {
      const row = rows.get(fault.name) ?? { fault: fault.name, windows: [], failed: 0 }
      const failedBefore = workload.failed()
      row.windows.push(await windowOf(fault, cluster, workload))
      row.failed += workload.failed() - failedBefore
      rows.set(fault.name, row)
      process.stderr.write(`${fault.name}: ${seconds(row.windows.at(-1)!)} s\n`)
    }
    await workload.stop()
    const lost = await lostOf(cluster.url, workload.acknowledged)
    keep = undefined
    return {
      rows: [...rows.values()],
      acknowledged: workload.acknowledged.size,
      lost: lost.length,
      faults: workload.faults,
    }
  } finally {
    for (const server of servers) await server.close()
    await pooler?.close()
    await cluster.close(keep)
  }
}

function print({ rows, acknowledged, lost, faults }: Run): void {
  const lines = rows.map(({ fault, windows, failed }) => {
    const [low, high] = [Math.min(...windows), Math.max(...windows)]
    return `| ${fault} | ${windows.length} | ${seconds(low)} to ${seconds(high)} s | ${failed} |`
  })
  const head = [
    '| Fault | Times | Longest time without an acknowledged change | Requests with 503 |',
    '| --- | --- | --- | --- |',
  ]
  process.stdout.write(`${[...head, ...lines].join('\n')}\n\n`)
  process.stdout.write(`${acknowledged} acknowledged memberships, ${lost} lost, ${faults.length} faults\n`)
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`)
}

function programsOf(values: Record<string, string | boolean | undefined>): Programs {
  const find = (name: string) =>
    String(values[name] ?? execFileSync('which', [name], { encoding: 'utf8' }).trim())
  const postgresBin = String(values['postgres-bin'] ?? '/usr/lib/postgresql/15/bin')
  if (!existsSync(postgresBin)) throw new Error(`--postgres-bin: ${postgresBin} does not exist`)
  return { patroni: find('patroni'), etcd: find('etcd'), haproxy: find('haproxy'), postgresBin }
}

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: text,
    patroni: text,
    etcd: text,
    haproxy: text,
    'postgres-bin': text,
    pooler: { type: 'boolean', default: false },
  },
})
const programs = programsOf(values)
const { pooler } = values
if (values.only !== 'control') {
  const rounds = Array.from({ length: Number(values.rounds) }, () => FAULTS).flat()
  const result = await run(programs, rounds, { synchronous: true, pooler })
  print(result)
  if (result.lost > 0 || result.faults.length > 0) process.exitCode = 1
}
if (values.only !== 'faults') {
  process.stdout.write('\nControl, with asynchronous replication:\n\n')
  const result = await run(programs, [UNREPLICATED], { synchronous: false, pooler })
  print(result)
  if (result.lost === 0) {
    process.stdout.write('The control has lost nothing: the run above shows nothing.\n')
    process.exitCode = 1
  }
}
