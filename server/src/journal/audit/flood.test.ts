/** Refused requests from many addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }

/** A sign-in in progress, and attempts in it with an invalid passkey, each from another address. */
async function intruder(app: App) {
  const system = await app.newSystem()
  const visitor = app.newBrowser()
  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
  const action = /action="(\/interaction\/[^/"]+)\/login"/.exec(String(page.body))![1]!
  const csrf = Object.fromEntries(
    [...String(page.body).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name!, value!],
    ),
  )
  const attempt = (ip: string) =>
    visitor.post(`${action}/passkey`, { ...csrf, passkey: '{}' }, { 'x-forwarded-for': ip })
  return { system, attempt }
}

test('of the refused requests to a system from any number of addresses 600 a minute are recorded', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const [flooded, neighbor] = [await intruder(app), await intruder(app)]
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })

  for (let from = 0; from < 700; from += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => flooded.attempt(`203.0.${from / 20}.${n + 1}`)).map(
        async (answer) => assert.equal((await answer).status, 401),
      ),
    )
  for (let n = 1; n <= 5; n += 1) await neighbor.attempt(`198.51.100.${n}`)
  const failures = (systemId: string) => app.audited({ action: 'user.login', systemId })
  const first = await failures(flooded.system.id)
  const ofNeighbor = await failures(neighbor.system.id)
  t.mock.timers.setTime(Date.now() + 61_000)
  await flooded.attempt('192.0.2.1')
  t.mock.timers.reset()

  assert.equal(first.length, 600)
  assert.equal(ofNeighbor.length, 5, 'another system has a share of its own')
  const newest = (await failures(flooded.system.id)).find(({ actorIp }) => actorIp === '192.0.2.1')
  assert.deepEqual(newest?.changes.omitted, [null, 100])
})

test('users of a system who are refused do not hide the refused requests of its administrators', async (t) => {
  const app = await startTestApp(t)
  const { system, membership, user } = await app.newMember({ multiAccount: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const adminUser = await app.newUser()
  await app.newMembership({ userId: adminUser.id, accountId: membership.accountId, roles: [role.id] })
  const members = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const each = await app.newUser()
      await app.newMembership({ userId: each.id, accountId: membership.accountId })
      return app.as((await app.signIn(system, { email: each.email })).access_token)
    }),
  )
  const admin = app.as((await app.signIn(system, { email: adminUser.email })).access_token)

  for (const member of members)
    await Promise.all(Array.from({ length: 60 }, () => member.get(`/admin/users/${user.id}`)))
  const refused = await admin.get('/admin/systems')

  assert.equal(refused.status, 403)
  const denials = await app.audited({ action: 'access.denied', systemId: system.id })
  assert.equal(denials.length, 601)
  assert.ok(denials.some(({ actorId }) => actorId === adminUser.id))
})
