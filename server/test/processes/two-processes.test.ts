/** Two server processes of one issuer on one PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { mostChecked } from '../support/limit-clock.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import {
  adminClient,
  authorizeAt,
  authUrl,
  basicAuth,
  codeFields,
  newBrowser,
  newPkce,
  signInTo,
  tokenRequest,
} from '../support/testing.ts'
import { concurrently } from '../support/waiting.ts'

const CLIENT = { id: 'two-processes', secret: 'a-secret-for-two-processes' }
const servers: TestServer[] = []
let postgres: Postgres | undefined
let database: { url: string; drop(): Promise<void> }

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for two processes, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
  }
  servers.push(await startServer({ env }))
  servers.push(await startServer({ env: { ...env, BASE_URL: servers[0]!.url } }))
})
after(async () => {
  for (const server of servers) await server.close()
  await database.drop()
  await postgres?.close()
})

async function given() {
  const [first, second] = servers.map((server) => server.url) as [string, string]
  const { admin, system, newMember } = await createProduct(first, CLIENT)
  return { first, second, admin, system, ...(await newMember()) }
}

/** Twenty concurrent requests, alternating between the processes. */
const twenty = <T>(ask: (url: string) => Promise<T>) =>
  Promise.all(Array.from({ length: 20 }, (_, turn) => ask(servers[turn % 2]!.url)))

test('P18: of 20 parallel uses of a code at two processes one succeeds, then is revoked', async () => {
  const { first, system, user } = await given()

  for (let round = 0; round < 10; round++) {
    const authorized = await authorizeAt(first, system, { email: user.email })
    const answers = await twenty((url) => tokenRequest(url, system, codeFields(system, authorized)))

    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.deepEqual(
      [...new Set(answers.filter((answer) => answer.status !== 200).map((answer) => answer.body.error))],
      ['invalid_grant'],
    )
    const after = await tokenRequest(first, system, {
      grant_type: 'refresh_token',
      refresh_token: won[0]!.body.refresh_token,
    })
    assert.deepEqual([after.status, after.body.error], [400, 'invalid_grant'])
  }
})

test('P18: 20 parallel uses of a refresh token at two processes get one successor', async () => {
  const { first, second, system, user } = await given()
  let { refresh_token: token = '' } = await signInTo(first, system, { email: user.email })

  for (let round = 0; round < 10; round++) {
    const answers = await twenty((url) =>
      tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: token }),
    )

    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
    const successors = new Set(answers.map((answer) => answer.body.refresh_token))
    assert.deepEqual([successors.size, successors.has(token)], [1, false])
    token = [...successors][0]
  }
  assert.equal(
    (await tokenRequest(second, system, { grant_type: 'refresh_token', refresh_token: token })).status,
    200,
  )
})

test('a sign-in can change processes, and a block applies at both', async () => {
  const { first, second, admin, system, user, membership } = await given()
  const visitor = newBrowser(first, { through: second })
  const tokens = await signInTo(first, system, { email: user.email, visitor })

  const before = await adminClient(second, tokens.access_token).get('/me')
  await admin.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const after = await Promise.all(
    [first, second].map((url) => adminClient(url, tokens.access_token).get('/me')),
  )
  const refreshed = await tokenRequest(second, system, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
  })

  assert.deepEqual([before.status, before.body.account_id], [200, membership.account.id])
  assert.deepEqual(
    after.map((answer) => answer.status),
    [401, 401],
  )
  assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'invalid_grant'])
})

test('a rotated secret is refused by the other process within a second', async () => {
  const { second, admin } = await given()
  const system = (await admin.post('/admin/systems', { name: 'Backend', allowClientCredentials: true })).body
  const ask = async () =>
    (
      await fetch(`${second}/token`, {
        method: 'POST',
        headers: { authorization: basicAuth(system) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
    ).status
  assert.equal(await ask(), 200)

  await admin.post(`/admin/systems/${system.id}/rotate-secret`)
  await new Promise((passed) => setTimeout(passed, 1_050))

  assert.equal(await ask(), 401)
})

test('P29: of 20 concurrent wrong passwords at two processes five are checked', async (t) => {
  const { first, second, system, user } = await given()
  const pages = await twenty(async (url) => {
    const visitor = newBrowser(first, { through: url })
    return { visitor, page: await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge))) }
  })

  const begun = performance.now()
  const answers = await concurrently(pages.length, (nth) => {
    const { visitor, page } = pages[nth]!
    return visitor.submit(page, { email: user.email, password: 'wrong' })
  })
  const seconds = (performance.now() - begun) / 1_000
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(() => client.end())
  // On a busy machine the wait may pass before the right password is tried.
  await client.query(`update limits set expire = expire + 600000 where key like 'guesser:%'`)
  const after = await Promise.all(
    [first, second].map((through) =>
      authorizeAt(first, system, { email: user.email, visitor: newBrowser(first, { through }) }),
    ),
  )

  const verdicts = answers.filter(({ status }) => status === 401).length
  assert.ok(verdicts >= 5 && verdicts <= mostChecked(seconds), `${verdicts} were checked in ${seconds} s`)
  assert.ok(answers.every(({ status }) => status === 401 || status === 429))
  assert.deepEqual(
    after.map(({ page }) => page.status),
    [429, 429],
  )
})

test('a change of address locks memberships in the common order', async (t) => {
  const { admin, user } = await given()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(() => client.end())
  const ofUser = `from memberships where user_id = '${user.id}'`
  await client.query(`
    with places as (insert into accounts (system_id, kind, name) select system_id, 'organization', 'Place' from (select system_id ${ofUser}) m, generate_series(1, 20) returning *)
    insert into memberships (user_id, email, system_id, account_id, status, exclusive, added_by)
    select '${user.id}', '${user.email}', system_id, id, 'active', false, 'platform' from places`)
  await client.query(`update system_users set entered_at = now() where user_id = '${user.id}'`)
  // The locked row is the last in the common order, whatever its physical position.
  await client.query(
    `update memberships set created_at = now() + interval '1 hour' where id = (select min(id::text)::uuid ${ofUser})`,
  )

  await client.query('begin')
  await client.query(`select ${ofUser} order by id limit 1 for update`)
  const moved = admin.patch(`/admin/users/${user.id}`, { email: `moved-${user.email}` })
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (let turn = 0; turn < 6_000 && (await client.query(waits)).rowCount === 0; turn += 1) await sleep(10)
  const free = await client.query(`select ${ofUser} for update skip locked`)
  await client.query('rollback')

  assert.equal(free.rowCount, 21)
  assert.equal((await moved).status, 200)
  assert.deepEqual((await client.query(`select distinct email ${ofUser}`)).rows, [
    { email: `moved-${user.email}` },
  ])
})
