/**
 * `npm run bench:jobs`: the end of 50,000 sessions of a system, and the deletion of a system with 100,000
 * members, each while another system issues service tokens. Prints the time of the response and of the
 * background job, and the times of the other system's requests before and meanwhile.
 *
 *   --sessions N   default 50000, each of another member
 *   --members N    default 100000, each with an account and an active session
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPostgres } from '../server/src/database/connections/postgres.ts'
import { sql } from '../server/src/database/drizzle.ts'
import { insertMembers } from '../server/test/support/many-sessions.ts'
import { createDatabase, startPostgres } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { type AdminClient, adminClient, serviceToken } from '../server/test/support/testing.ts'
import { SETTINGS } from './fill.ts'
import { SECRET_KEY } from './world.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '50000' },
    members: { type: 'string', default: '100000' },
  },
})
const PLATFORM = { id: 'bench-jobs', secret: 'a-secret-of-the-benchmark-of-jobs' }
/** Time between two requests of the other system, in ms. */
const GAP = 20
/** Duration of the measurement without a job, in ms. */
const QUIET = 10_000
/** Interval of the reads of a job, in ms. */
const READ = 250

const print = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const round = (count: number) => count.toLocaleString('en')

type Opened = Awaited<ReturnType<typeof openPostgres>>['db']

/** An active session for each member of the system. */
const insertSessionOfEach = (db: Opened, systemId: string) =>
  db.execute(sql`
    insert into sessions (sid, system_id, user_id, account_id, membership_id, "grant", created_at, expires_at)
    select 'bench-' || id, system_id, user_id, account_id, id, '{}', now() - interval '1 hour',
      now() + interval '1 day'
    from memberships where system_id = ${systemId}`)

async function newSystem(platform: AdminClient, name: string): Promise<Record<string, string>> {
  const { status, body } = await platform.post('/admin/systems', {
    name,
    redirectUris: ['https://app.example/cb'],
    allowClientCredentials: true,
  })
  if (status !== 201) throw new Error(`cannot create a system: ${JSON.stringify(body)}`)
  return body
}

/** Requests service tokens until `until` settles. Returns the times in ms, sorted. */
async function neighbor(url: string, system: Record<string, string>, until: Promise<unknown>) {
  const times: number[] = []
  let isOver = false
  const end = until.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const since = performance.now()
    await serviceToken(url, system.clientId!, system.clientSecret!)
    times.push(performance.now() - since)
    await pause(GAP)
  }
  await end
  return times.sort((one, other) => one - other)
}

const shown = (times: number[]) => {
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(1)
  return `${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (slowest of ${times.length})`
}

/** Sends the change and waits for its job. */
async function measure(platform: AdminClient, systemId: string, path: string) {
  const since = performance.now()
  const { status, body } = await platform.delete(path)
  const response = performance.now() - since
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  for (;;) {
    const { data } = (await platform.get(`/admin/jobs?systemId=${systemId}`)).body
    const [job] = data as { status: string; done: number; total: number }[]
    if (!job) throw new Error('The change has no job: use more rows.')
    if (job.status === 'finished') return { response, finished: performance.now() - since, ...job }
    await pause(READ)
  }
}

async function run(databaseUrl: string): Promise<void> {
  const env = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    ADMIN_CLIENT_ID: PLATFORM.id,
    ADMIN_CLIENT_SECRET: PLATFORM.secret,
  }
  const server = await startServer({ env })
  const opened = await openPostgres(databaseUrl, 2)
  try {
    const platform = adminClient(server.url, await serviceToken(server.url, PLATFORM.id, PLATFORM.secret))
    const other = await newSystem(platform, 'Neighbor')
    const crowds = []
    for (const [name, count] of Object.entries(values)) {
      const system = await newSystem(platform, name)
      await insertMembers(opened.db, system.id!, Number(count), `${name}-`)
      await insertSessionOfEach(opened.db, system.id!)
      crowds.push(system)
    }
    await opened.db.execute(sql`analyze`)
    const [crowd, doomed] = crowds as [Record<string, string>, Record<string, string>]
    print(
      `service tokens of another system, without a job: ${shown(await neighbor(server.url, other, pause(QUIET)))}`,
    )
    for (const [title, system, path] of [
      [
        `the end of ${round(Number(values.sessions))} sessions`,
        crowd,
        `/admin/sessions/by-system/${crowd.id}`,
      ],
      [`the deletion of ${round(Number(values.members))} members`, doomed, `/admin/systems/${doomed.id}`],
    ] as const) {
      const measured = measure(platform, system.id!, path)
      const times = await neighbor(server.url, other, measured)
      const { response, finished, done } = await measured
      print(
        `${title}: response after ${seconds(response)}, job of ${round(done)} rows finished after ${seconds(finished)}`,
      )
      print(`  service tokens of another system meanwhile: ${shown(times)}`)
    }
  } finally {
    await opened.close()
    await server.close()
  }
}

const given = process.env.DATABASE_URL
const postgres = given ? undefined : await startPostgres({ durable: true, settings: SETTINGS })
const database = await createDatabase(given ?? postgres!.url)
try {
  await run(database.url)
} finally {
  await database.drop()
  await postgres?.close()
}
