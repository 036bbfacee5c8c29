/** Back-channel logout by server processes that share a database, are killed, and are stopped. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { createDatabase, freePort, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { signInTo } from '../support/testing.ts'
import { concurrently, SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }

/** Two processes on one PostgreSQL, and a product whose receiver listens on `port`. */
async function given(t: TestContext) {
  const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
  const { url, drop } = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const servers: TestServer[] = []
  t.after(async () => {
    await client.end()
    for (const server of servers) await server.close()
    await drop()
    await postgres?.close()
  })
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: 'a key for two processes, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  const first = await startServer({ env })
  servers.push(first)
  const second = await startServer({ env: { ...env, BASE_URL: first.url } })
  servers.push(second)
  const { admin, system, newMember } = await createProduct(first.url, CLIENT)
  const port = await freePort()
  const answer = await admin.patch(`/admin/systems/${system.id}`, {
    backchannelLogoutUri: `http://localhost:${port}/out`,
  })
  assert.equal(answer.status, 200)
  const signedIn = async () => {
    const { user, membership } = await newMember()
    const { access_token, id_token, visitor } = await signInTo(first.url, system, { email: user.email })
    return { user, membership, visitor, id_token, sid: String(decodeJwt(access_token).sid) }
  }
  /** The number of logouts that are still to be sent, or sent again. */
  const queued = async () =>
    Number((await client.query('select count(*) from logout_deliveries')).rows[0].count)
  return { first, second, admin, system, port, signedIn, queued }
}

/** The product's receiver. Answers after `wait` ms. */
async function startReceiver(t: TestContext, port: number, wait = 0) {
  const sids: string[] = []
  const server = createServer(async (request, response) => {
    const token = new URLSearchParams((await request.toArray()).join('')).get('logout_token') ?? ''
    sids.push(String(decodeJwt(token).sid))
    setTimeout(() => response.writeHead(204).end(), wait)
  })
  await once(server.listen(port, 'localhost'), 'listening')
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return sids
}

test('two processes send each logout token once, after a logout in the browser too', async (t) => {
  const { first, second, admin, port, signedIn, queued } = await given(t)
  const sids = await startReceiver(t, port)
  const members: Awaited<ReturnType<typeof signedIn>>[] = []
  for (let turn = 0; turn < 20; turn++) members.push(await signedIn())
  const [leaving, ...others] = members

  const { visitor, id_token } = leaving!
  await visitor.follow(await visitor.get(`/session/end?${new URLSearchParams({ id_token_hint: id_token })}`))
  const token = { authorization: `Bearer ${admin.token}` }
  const answers = await concurrently(others.length, (turn) =>
    fetch(`${[first, second][turn % 2]!.url}/admin/memberships/${others[turn]!.membership.id}`, {
      method: 'DELETE',
      headers: token,
    }),
  )
  await t.waitFor(async () => assert.equal(await queued(), 0), SOON)

  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [204])
  assert.deepEqual(sids.sort(), members.map(({ sid }) => sid).sort())
})

test('a logout token is sent although the processes were killed before', async (t) => {
  const { first, second, admin, port, signedIn } = await given(t)
  const { membership, sid } = await signedIn()

  const answer = await admin.delete(`/admin/memberships/${membership.id}`)
  await new Promise((passed) => setTimeout(passed, 500)) // the first attempt fails to connect
  await Promise.all([first.kill('SIGKILL'), second.kill('SIGKILL')])
  const sids = await startReceiver(t, port)
  await first.restart()

  assert.equal(answer.status, 204)
  // An interrupted notice would wait for the end of its lease, a minute.
  await t.waitFor(() => assert.deepEqual(sids, [sid]), { timeout: 75_000, interval: 100 })
})

test('stopping a process lets its logout requests finish', async (t) => {
  const { first, second, admin, port, signedIn, queued } = await given(t)
  await second.kill('SIGTERM')
  const sids = await startReceiver(t, port, 1_000)
  const { membership, sid } = await signedIn()

  await admin.delete(`/admin/memberships/${membership.id}`)
  await t.waitFor(() => assert.equal(sids.length, 1), SOON)
  const { code, stderr } = await first.kill('SIGTERM')

  assert.deepEqual([code, stderr, await queued()], [0, '', 0])
  assert.deepEqual(sids, [sid])
})
