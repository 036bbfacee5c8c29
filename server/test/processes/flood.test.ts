/** A flood of logins: password hashes queue, and other requests do not. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import {
  type Answer,
  authUrl,
  newBrowser,
  newPkce,
  signInTo,
  type TestBrowser,
  tokenRequest,
} from '../support/testing.ts'

const CLIENT = { id: 'flood', secret: 'a-secret-for-the-flood' }
/** 5 s, in ms. */
const LENGTH = 5_000
let postgres: Postgres | undefined
let database: { url: string; drop(): Promise<void> }
let server: TestServer

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  server = await startServer({
    env: {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for the flood, long enough',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      LOG_LEVEL: 'silent',
      // One hash at a time, however many cores there are, and 200 may wait: 260 logins are excess everywhere.
      UV_THREADPOOL_SIZE: '1',
    },
  })
})
after(async () => {
  await server.close()
  await database.drop()
  await postgres?.close()
})

/** Repeats a request until the time is over. Returns the durations, in ms. */
async function repeat(
  until: number,
  pause: number,
  ask: () => Promise<number>,
): Promise<{ status: number; took: number }[]> {
  const answers = []
  while (performance.now() < until) {
    const begun = performance.now()
    answers.push({ status: await ask(), took: performance.now() - begun })
    await new Promise((passed) => setTimeout(passed, pause))
  }
  return answers
}

type Opened = { visitor: TestBrowser; page: Answer }

const at = (share: number, samples: { took: number }[]) =>
  samples.map(({ took }) => took).sort((one, other) => one - other)[Math.floor(share * samples.length)] ?? 0

test('P43: excess logins get 503 with Retry-After; JWKS and refreshes are unaffected', async (t) => {
  const { url } = server
  const { system, newMember } = await createProduct(url, CLIENT)
  const { user } = await newMember()
  let { refresh_token: token = '' } = await signInTo(url, system, { email: user.email })
  const started: Opened[] = []
  for (let one = 0; one < 260; one++) {
    const visitor = newBrowser(url)
    started.push({
      visitor,
      page: await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge))),
    })
  }
  const retryAfter = new Set<string | null>()
  const login = async ({ visitor, page }: Opened) => {
    const answer = await visitor.submit(page, { email: `${crypto.randomUUID()}@x.test`, password: 'wrong' })
    if (answer.status === 503) retryAfter.add(answer.headers.get('retry-after'))
    return answer.status
  }
  const refresh = async () => {
    const answer = await tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: token })
    token = answer.body.refresh_token ?? token
    return answer.status
  }

  const until = performance.now() + LENGTH
  const [keys, refreshes, ...logins] = await Promise.all([
    repeat(until, 20, async () => (await fetch(`${url}/jwks`)).status),
    repeat(until, 50, refresh),
    ...started.map((one) => repeat(until, 0, () => login(one))),
  ])

  const statuses = Object.groupBy(logins.flat(), ({ status }) => status)
  t.diagnostic(
    JSON.stringify({
      logins: Object.fromEntries(Object.entries(statuses).map(([status, all]) => [status, all!.length])),
      keys: { count: keys.length, median: at(0.5, keys), p99: at(0.99, keys) },
      refreshes: { count: refreshes.length, median: at(0.5, refreshes), p99: at(0.99, refreshes) },
    }),
  )
  assert.deepEqual(Object.keys(statuses), ['401', '503'])
  // The page is shown by another request, which may be a second later.
  assert.deepEqual(
    [...retryAfter].filter((seconds) => seconds !== '1' && seconds !== '2'),
    [],
  )
  assert.deepEqual([...new Set(keys.map(({ status }) => status))], [200])
  // A machine with other work may let a few of them wait too long for the database.
  const refused = refreshes.filter(({ status }) => status !== 200).length
  assert.ok(refused < refreshes.length / 10, `${refused} of ${refreshes.length} refreshes were refused`)
  const [ofKeys, ofLogins] = [at(0.5, keys), at(0.5, logins.flat())]
  assert.ok(
    ofKeys < ofLogins / 4,
    `half of /jwks took longer than ${ofKeys} ms, half of the logins ${ofLogins} ms`,
  )
})
