/**
 * `npm run chaos:restarts`: no request fails while servers are restarted. Two servers on one PostgreSQL
 * behind a load balancer that honors `/health` (chaos/load-balancer.ts), and continuous requests that read
 * and write. SIGTERM, twice and to all processes of the server, and a new start of one server after the
 * other, with one process each and with two workers each. Exits with 1 if a request has failed.
 *
 * `--restarts 100`  number of restarts
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { serviceToken } from '../support/testing.ts'
import { type LoadBalancer, startLoadBalancer } from './chaos/load-balancer.ts'

const CLIENT = { id: 'restarts-platform', secret: 'a-secret-of-the-restarts' }
const BASIC = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`
/** Concurrent requests. */
const CALLERS = 8
/** The pause of a caller between two requests, in ms. */
const PAUSE = 5
/** In ms: the second signal, within the drain. */
const AGAIN = 500

export type Restarts = { restarts: number; workers: number; databaseUrl?: string | undefined }
export type RestartsReport = { requests: number; failed: string[]; slowest: number }

/** Requests that read and write, of the protocol and the admin API. */
const requestsOf = (token: string): [string, RequestInit][] => {
  const authorization = `Bearer ${token}`
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  return [
    ['/.well-known/openid-configuration', {}],
    ['/token', { method: 'POST', headers: { authorization: BASIC }, body: form }],
    ['/admin/systems?pageSize=1', { headers: { authorization } }],
    [
      '/admin/users',
      {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ email: '{unique}@restarts.test' }),
      },
    ],
  ]
}

/** Sends requests until `isOver`, with the token of the last request for one: it is valid for 15 minutes. */
async function call(url: string, report: RestartsReport, isOver: () => boolean): Promise<void> {
  let token = await serviceToken(url, CLIENT.id, CLIENT.secret)
  for (let turn = 0; !isOver(); turn += 1) {
    const requests = requestsOf(token)
    const [path, init] = requests[turn % requests.length]!
    const body =
      typeof init.body === 'string' ? init.body.replace('{unique}', crypto.randomUUID()) : init.body
    const begin = performance.now()
    const fault = await fetch(url + path, { ...init, ...(body && { body }) }).then(
      async (response) => {
        const text = await response.text()
        if (response.ok && path === '/token') token = JSON.parse(text).access_token
        return response.ok ? undefined : `${response.status} ${text.slice(0, 200)}`
      },
      (error) => String(error.cause ?? error),
    )
    report.requests += 1
    report.slowest = Math.max(report.slowest, performance.now() - begin)
    if (fault !== undefined) report.failed.push(`${init.method ?? 'GET'} ${path}: ${fault}`)
    await wait(PAUSE)
  }
}

/** Restarts one server after the other, under requests. */
async function restartAll(balancer: LoadBalancer, servers: TestServer[], restarts: number) {
  const report: RestartsReport = { requests: 0, failed: [], slowest: 0 }
  let isOver = false
  const callers = Array.from({ length: CALLERS }, () => call(balancer.url, report, () => isOver))
  for (let turn = 0; turn < restarts; turn += 1) {
    const server = servers[turn % servers.length]!
    const ended = server.kill('SIGTERM')
    await wait(AGAIN)
    void server.kill('SIGTERM')
    const { code, stderr } = await ended
    if (code !== 0) report.failed.push(`exit ${code}: ${stderr}`)
    await server.restart()
    await balancer.allHealthy()
  }
  isOver = true
  await Promise.all(callers)
  return report
}

export async function runRestarts({ restarts, workers, databaseUrl }: Restarts): Promise<RestartsReport> {
  const postgres = databaseUrl ? undefined : await startPostgres()
  const database = await createDatabase(databaseUrl ?? postgres!.url)
  const balancer = await startLoadBalancer()
  const env = {
    DATABASE_URL: database.url,
    BASE_URL: balancer.url,
    SECRET_KEY: 'a key for the restarts, long enough!',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    DRAIN_DELAY: '5', // the balancer asks each 100 ms, or later on a busy machine
    WORKERS: String(workers),
  }
  const servers: TestServer[] = []
  try {
    for (let number = 0; number < 2; number += 1) servers.push(await startServer({ env, ownGroup: true }))
    balancer.use(servers.map(({ url }) => url))
    await balancer.allHealthy()
    return await restartAll(balancer, servers, restarts)
  } finally {
    for (const server of servers) await server.close()
    await balancer.close()
    await database.drop()
    await postgres?.close()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { restarts: { type: 'string', default: '100' } } })
  for (const workers of [1, 2]) {
    const report = await runRestarts({ restarts: Number(values.restarts), workers })
    process.stdout.write(`${JSON.stringify({ restarts: Number(values.restarts), workers, ...report })}\n`)
    if (report.failed.length > 0) process.exitCode = 1
  }
}
