/** The servers of an upgrade, their database and load balancer, and the changes that are made meanwhile. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type LoadBalancer, startLoadBalancer } from '../processes/chaos/load-balancer.ts'
import type { Job } from '../processes/chaos/writer.ts'
import { follow, post, start } from '../processes/chaos-events.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createVersion } from '../support/versions.ts'

export type Upgrade = {
  seconds: number
  users: number
  from?: string | undefined
  databaseUrl?: string | undefined
}

export const CLIENT = { id: 'upgrade-platform', secret: 'a-secret-of-the-upgrade' }

type Query = (statement: string) => Promise<Record<string, unknown>[]>

export type World = {
  /** The database. */
  url: string
  client: pg.Client
  query: Query
  /** Another database on the same PostgreSQL. */
  newDatabase(): Promise<{ url: string; query: Query }>
  env: Record<string, string>
  balancer: LoadBalancer
  servers: TestServer[]
  folder: string
  /** Errors that servers have logged before they were replaced. */
  logged: string[]
}

async function connect(url: string, closing: (() => unknown)[]) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the database is dropped
  await client.connect()
  closing.push(() => client.end())
  return { client, query: async (statement: string) => (await client.query(statement)).rows }
}

/** Users who have signed in with the version before. */
const USERS = (count: number) => `insert into users (email, last_login_at)
  select 'user' || n || '@filled.test', now() - n * interval '1 second' from generate_series(1, ${count}) n`

/** Two servers of the version before. */
export async function openWorld(
  { users, from, databaseUrl }: Upgrade,
  closing: (() => unknown)[],
): Promise<World> {
  const postgres = databaseUrl ? undefined : await startPostgres({ durable: true })
  closing.push(() => postgres?.close())
  const newDatabase = async () => {
    const { url, drop } = await createDatabase(databaseUrl ?? postgres!.url)
    closing.push(drop)
    return { url, ...(await connect(url, closing)) }
  }
  const { url, client, query } = await newDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-upgrade-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const balancer = await startLoadBalancer()
  closing.push(() => balancer.close())
  const env = {
    DATABASE_URL: url,
    BASE_URL: balancer.url,
    SECRET_KEY: 'a key for the upgrade, long enough!',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    TTL_SERVICE_TOKEN: '86400',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SCHEDULE: Array(50).fill(1).join().replace('1', '0'),
    LOG_LEVEL: 'error',
    DRAIN_DELAY: '5',
  }
  const { main, remove } = createVersion({ version: '0.1.0', commit: from })
  closing.push(remove)
  const servers: TestServer[] = []
  closing.push(() => Promise.all(servers.map((server) => server.close())))
  servers.push(await startServer({ env, main }))
  await query(USERS(users))
  await query('vacuum analyze users')
  servers.push(await startServer({ env, main }))
  balancer.use(servers.map((server) => server.url))
  await balancer.allHealthy()
  return { url, client, query, newDatabase, env, balancer, servers, folder, logged: [] }
}

/** A backend that changes memberships, a webhook, and a reader of the events. */
export async function startChanges({ balancer, folder }: World, closing: (() => unknown)[]) {
  const { url } = balancer
  const receiver = start('receiver', join(folder, 'received'))
  closing.push(() => receiver.kill())
  const [port] = (await once(receiver, 'message')) as [number]
  const asked = { grant_type: 'client_credentials' }
  const basic = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`
  const { access_token: token } = await post(`${url}/token`, asked, basic)
  const created = (path: string, body: object) => post(`${url}/admin${path}`, body, `Bearer ${token}`)
  const { id: systemId } = await created('/systems', { name: 'Upgrade', multiAccount: true })
  const ids = async (path: string, bodies: object[]) =>
    (await Promise.all(bodies.map((body) => created(path, body)))).map(({ id }) => id)
  const roles = await ids(`/systems/${systemId}/roles`, [{ name: 'a' }, { name: 'b' }])
  const addresses = Array.from({ length: 20 }, () => ({ email: `${crypto.randomUUID()}@example.test` }))
  const users = await ids('/users', addresses)
  const { secret } = await created(`/systems/${systemId}/webhooks`, { url: `http://127.0.0.1:${port}/hook` })
  const follower = follow([url], token, systemId)
  const job: Job = { urls: [url], token, systemId, users, roles, log: join(folder, 'asked'), callers: 2 }
  const writer = start('writer', JSON.stringify(job))
  closing.push(() => writer.kill())
  const stop = async () => {
    writer.send('stop')
    await once(writer, 'exit')
  }
  return { systemId, secret, follower, stop }
}
