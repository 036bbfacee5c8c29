/**
 * `npm run chaos:events`: every acknowledged change has its event, and no other change has one, while
 * servers are killed. Two servers on one PostgreSQL; a process that changes memberships continuously
 * (chaos/writer.ts); a receiver of webhooks (chaos/receiver.ts); a reader that follows the log by cursor.
 * At random moments `kill -9` of one of the servers. At the end all records are compared
 * (chaos/check.ts). Exits with 1 on any difference.
 *
 * `--kills 100`  number of kills
 * `--seconds n`  no kill after this time
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { check, type Found, type LoggedRow, type Report } from './chaos/check.ts'
import type { Receipt } from './chaos/receiver.ts'
import type { Job, Line } from './chaos/writer.ts'

const CLIENT = { id: 'chaos-platform', secret: 'a-secret-of-the-chaos' }
/** Concurrent changes. */
const CALLERS = 6
/** Range of the delay after a server is ready again, in ms. */
const KILL_AFTER = { min: 50, max: 1_500 }
/** Timeout of the final delivery, in ms. Deliveries leased by a killed server wait for 30 s. */
const DRAIN_MAX = 180_000

export type Chaos = {
  kills: number
  /** No kill after this time. */
  seconds?: number
  /** Expires the leases of killed servers at the end instead of waiting 30 s. */
  expireLeases?: boolean
  /** PostgreSQL to create a database on. By default one is started. */
  databaseUrl?: string | undefined
}

type World = {
  servers: [TestServer, TestServer]
  token: string
  client: pg.Client
  systemId: string
  folder: string
}

/** Runs and checks. Keeps its files if a fault was found. */
export async function runChaos(chaos: Chaos): Promise<Report & { kills: number; folder: string }> {
  const postgres = chaos.databaseUrl ? undefined : await startPostgres({ durable: true })
  const database = await createDatabase(chaos.databaseUrl ?? postgres!.url)
  const closing: (() => unknown)[] = [() => postgres?.close(), () => database.drop()]
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-chaos-'))
  try {
    const world = await openWorld(database.url, folder, closing)
    const report = await runUnderKills(world, chaos, closing)
    if (report.faults.length === 0) rmSync(folder, { recursive: true })
    return { ...report, folder }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/**
 * Body of the response; throws on an error. Does not use testing.ts, which registers with the test runner.
 */
export async function post(
  url: string,
  body: object,
  authorization: string,
): Promise<Record<'id' | 'secret' | 'access_token', string>> {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<'id' | 'secret' | 'access_token', string>
}

async function openWorld(databaseUrl: string, folder: string, closing: (() => unknown)[]): Promise<World> {
  const env = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a key for the chaos, 32 characters or more',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    TTL_SERVICE_TOKEN: '86400',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SCHEDULE: Array(50).fill(1).join().replace('1', '0'),
  }
  const first = await startServer({ env })
  closing.push(() => first.close())
  const second = await startServer({ env: { ...env, BASE_URL: first.url } })
  closing.push(() => second.close())
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  closing.push(() => client.end())
  const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')
  const asked = { grant_type: 'client_credentials' }
  const { access_token: token } = await post(`${first.url}/token`, asked, `Basic ${basic}`)
  const { id: systemId } = await post(
    `${first.url}/admin/systems`,
    { name: 'Chaos', multiAccount: true },
    `Bearer ${token}`,
  )
  return { servers: [first, second], token, client, systemId, folder }
}

/** Starts a process outside of the test runner. */
export const start = (name: 'receiver' | 'writer', given: string): ChildProcess =>
  fork(join(import.meta.dirname, `chaos/${name}.ts`), [given], { execArgv: [] })

async function runUnderKills(
  world: World,
  chaos: Chaos,
  closing: (() => unknown)[],
): Promise<Report & { kills: number }> {
  const { servers, token, systemId, folder, client } = world
  const receiver = start('receiver', join(folder, 'received'))
  closing.push(() => receiver.kill())
  const [port] = (await once(receiver, 'message')) as [number]
  const created = (path: string, body: object) =>
    post(`${servers[0].url}/admin${path}`, body, `Bearer ${token}`)
  const roles = await Promise.all(['a', 'b'].map((name) => created(`/systems/${systemId}/roles`, { name })))
  const users = await Promise.all(
    Array.from({ length: 20 }, () => created('/users', { email: `${crypto.randomUUID()}@example.test` })),
  )
  const webhook = await created(`/systems/${systemId}/webhooks`, { url: `http://127.0.0.1:${port}/hook` })
  const urls = servers.map(({ url }) => url)
  const follower = follow(urls, token, systemId)
  const ids = (made: { id: string }[]) => made.map(({ id }) => id)
  const job: Job = {
    urls,
    token,
    systemId,
    users: ids(users),
    roles: ids(roles),
    log: join(folder, 'asked'),
    callers: CALLERS,
  }
  const writer = start('writer', JSON.stringify(job))
  closing.push(() => writer.kill())

  const kills = await killAtRandom(servers, chaos)
  writer.send('stop')
  await once(writer, 'exit')
  if (chaos.expireLeases) await freeWebhooks(world)
  const late = await drain(client, systemId)
  const followed = await follower.end()
  for (const server of servers) await server.kill('SIGTERM')

  const read = <T>(name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as T)
  const report = check({
    ...(await readDatabase(client, systemId)),
    lines: read<Line>('asked'),
    receipts: read<Receipt>('received'),
    followed,
    secret: webhook.secret,
  })
  return { ...report, faults: [...late, ...report.faults], kills }
}

async function killAtRandom(
  servers: TestServer[],
  { kills, seconds = Number.POSITIVE_INFINITY }: Chaos,
): Promise<number> {
  const until = performance.now() + seconds * 1_000
  let done = 0
  for (; done < kills && performance.now() < until; done += 1) {
    await wait(KILL_AFTER.min + Math.random() * (KILL_AFTER.max - KILL_AFTER.min))
    const server = servers[Math.floor(Math.random() * servers.length)]!
    await server.kill('SIGKILL')
    await server.restart()
  }
  return done
}

async function freeWebhooks({ servers, client }: World): Promise<void> {
  for (const server of servers) await server.kill('SIGTERM')
  await client.query('update webhooks set leased_until = now()')
  for (const server of servers) await server.restart()
}

/** Waits until every event is queued and delivered. */
export async function drain(client: pg.Client, systemId: string): Promise<string[]> {
  const late = performance.now() + DRAIN_MAX
  for (;;) {
    const { rows } = await client.query(
      `select (select count(*)::int from deliveries where status not in ('delivered', 'superseded')) as waiting,
         (select count(*)::int from events e, webhooks w where e.system_id = $1 and (e.position is null or e.position > w.followed)) as unqueued`,
      [systemId],
    )
    const { waiting, unqueued } = rows[0] as { waiting: number; unqueued: number }
    if (waiting + unqueued === 0) return []
    if (performance.now() > late)
      return [`in the end ${waiting} deliveries wait and ${unqueued} events are not queued`]
    await wait(200)
  }
}

/** Reads the log by cursor from any running server. */
export function follow(urls: string[], token: string, systemId: string): { end(): Promise<string[]> } {
  const state = { ending: false }
  const ids: string[] = []
  async function page(
    url: string,
    after: string | undefined,
  ): Promise<{ next: string; more: boolean } | undefined> {
    const query = new URLSearchParams({ systemId, limit: '500', ...(after && { after }) })
    const response = await fetch(`${url}/admin/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!response.ok) throw new Error(`GET /admin/events: ${response.status}`)
    const body = (await response.json()) as { data: { id: string }[]; next: string; more: boolean }
    ids.push(...body.data.map(({ id }) => id))
    return body
  }
  const reading = (async () => {
    let after: string | undefined
    for (let turn = 0; ; turn += 1) {
      const { ending } = state
      // killed: try the next one
      const found = await page(urls[turn % urls.length]!, after).catch(() => undefined)
      after = found?.next ?? after
      if (ending && found && !found.more) return ids
      await wait(found?.more ? 0 : 30)
    }
  })()
  return {
    end() {
      state.ending = true
      return reading
    },
  }
}

type Kept = Omit<Found, 'lines' | 'receipts' | 'followed' | 'secret'>

export async function readDatabase(client: pg.Client, systemId: string): Promise<Kept> {
  const rows = async <T>(text: string) => (await client.query(text, [systemId])).rows as T[]
  return {
    events: await rows<LoggedRow>(
      `select id, type, membership_id as "membershipId", account_id as "accountId", data->'account'->>'name' as name
       from events where system_id = $1 order by position`,
    ),
    audit: await rows(
      `select action, target_id as "targetId", count(*)::int as count from audit
       where system_id = $1 and outcome = 'success' and target_type in ('membership', 'account') group by 1, 2`,
    ),
    memberships: await rows('select id, status from memberships where system_id = $1'),
    accounts: await rows('select id, name from accounts where system_id = $1'),
    superseded: (
      await rows<{ id: string }>(
        `select e.id from deliveries d join events e on e.seq = d.event_seq
         where e.system_id = $1 and d.status = 'superseded'`,
      )
    ).map(({ id }) => id),
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '100' }, seconds: { type: 'string' } },
  })
  const began = performance.now()
  const { faults, counts, kills, folder } = await runChaos({
    kills: Number(values.kills),
    ...(values.seconds && { seconds: Number(values.seconds) }),
    databaseUrl: process.env.DATABASE_URL,
  })
  const all = { kills, ...counts, seconds: Math.round((performance.now() - began) / 1_000) }
  for (const [name, count] of Object.entries(all))
    process.stdout.write(`${String(count).padStart(8)}  ${name}\n`)
  if (faults.length > 0)
    process.stdout.write(`\n${faults.length} FAULTS, files in ${folder}\n${faults.slice(0, 50).join('\n')}\n`)
  else
    process.stdout.write(
      '\nEvery acknowledged request took effect once, has one event, and was delivered in order.\n',
    )
  process.exitCode = faults.length > 0 ? 1 : 0
}
