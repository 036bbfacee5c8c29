/**
 * Measures the delivery rate of a webhook backlog on this machine: `node
 * server/test/processes/drain-webhooks.ts`, options `--events`, `--memberships` and `--processes`.
 * PostgreSQL, servers and receiver run in their own processes.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { freePort, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'

/** 2 minutes, in ms. */
const DRAIN_MAX = 120_000

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    memberships: { type: 'string', default: '2000' },
    processes: { type: 'string', default: '1' },
    receive: { type: 'string' },
  },
})

/** Answers 200. Reports the times of the first and latest message and their number on request. */
function receive(port: number): void {
  const seen = { calls: 0, ids: new Set<unknown>(), first: 0, last: 0 }
  createServer(async (request, response) => {
    for await (const _ of request);
    seen.calls += 1
    seen.ids.add(request.headers['webhook-id'])
    seen.last = Date.now()
    seen.first ||= seen.last
    response.end()
  }).listen(port, '127.0.0.1', () => process.send?.('ready'))
  process.on('message', () => process.send?.({ ...seen, ids: seen.ids.size }))
}

async function drain(events: number, memberships: number, processes: number): Promise<void> {
  const postgres = await startPostgres()
  const port = await freePort()
  const receiver = fork(import.meta.filename, ['--receive', String(port)])
  const servers: TestServer[] = []
  try {
    await once(receiver, 'message')
    const env = {
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key for tests, 32 characters or more',
      ADMIN_CLIENT_ID: 'the-service',
      ADMIN_CLIENT_SECRET: 'a-secret-of-a-test',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }
    for (let count = 0; count < processes; count++) servers.push(await startServer({ env }))
    await register(servers[0]!.url, `http://127.0.0.1:${port}/hook`)
    const database = new pg.Client(postgres.url)
    database.on('error', () => {}) // the server stops before its clients
    await database.connect()
    await database.query(BACKLOG, [events, memberships])
    const seen = await drained(receiver, events)
    const took = (seen.last - seen.first) / 1_000
    const { rows } = await database.query('select status, count(*)::int from deliveries group by status')
    await database.end()
    process.stdout.write(
      `${seen.ids} events in ${seen.calls} calls, ${took.toFixed(1)} s: ${Math.round(seen.ids / took)}/s; ${JSON.stringify(rows)}\n`,
    )
  } finally {
    receiver.kill()
    await Promise.all(servers.map((server) => server.close()))
    await postgres.close()
  }
}

/** Events of memberships with two roles. */
const BACKLOG = `
  insert into events (type, system_id, account_id, user_id, membership_id, data)
  select 'user.access_updated', w.system_id, m.id, m.id, m.id, jsonb_build_object(
    'user', jsonb_build_object('id', m.id, 'email', m.id || '@example.com'), 'membershipId', m.id, 'accountId', m.id,
    'systemId', w.system_id, 'roles', jsonb_build_array('editor', 'owner'), 'isAdmin', true, 'status', 'active',
    'actor', jsonb_build_object('type', 'service', 'id', 'the-service'))
  from webhooks w, generate_series(1, $1::int) n
  join (select row_number() over () - 1 as nth, gen_random_uuid() as id from generate_series(1, $2::int)) m on m.nth = n % $2::int`

async function register(url: string, address: string): Promise<void> {
  const call = async (path: string, authorization: string, body: string, type: string) => {
    const headers = { authorization, 'content-type': type }
    return (await fetch(url + path, { method: 'POST', headers, body })).json()
  }
  const basic = `Basic ${Buffer.from('the-service:a-secret-of-a-test').toString('base64')}`
  const token = await call(
    '/token',
    basic,
    'grant_type=client_credentials',
    'application/x-www-form-urlencoded',
  )
  const admin = (path: string, body: object) =>
    call(path, `Bearer ${token.access_token}`, JSON.stringify(body), 'application/json')
  const system = await admin('/admin/systems', { name: 'Shop' })
  const webhook = await admin(`/admin/systems/${system.id}/webhooks`, { url: address })
  if (!webhook.secret) throw new Error(JSON.stringify(webhook))
}

type Seen = { calls: number; ids: number; first: number; last: number }

async function drained(receiver: ReturnType<typeof fork>, events: number): Promise<Seen> {
  for (const end = Date.now() + DRAIN_MAX; ; ) {
    await wait(200)
    const [seen] = await Promise.all([once(receiver, 'message'), receiver.send('how many')])
    if (seen[0].ids >= events || Date.now() > end) {
      await wait(500) // the last results are stored
      return seen[0]
    }
  }
}

if (values.receive) receive(Number(values.receive))
else await drain(Number(values.events), Number(values.memberships), Number(values.processes))
