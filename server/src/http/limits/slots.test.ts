/** What takes a slot of a tenant, and what does not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'

/** More requests than a tenant alone has slots. */
const MANY = 8

async function given(t: TestContext) {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({
    allowClientCredentials: true,
    skipConsent: true,
  })
  return { app, system, user, membership, service: await app.serviceOf(system) }
}

/** 1.1 s, in ms: then the tenants of the preparation have no share any more. */
const IDLE = 1_100

/** Opens requests whose bodies do not arrive. Returns what closes them. */
async function sendSlowly(url: string, path: string, token: string, type: string): Promise<() => void> {
  const sockets = Array.from({ length: MANY }, () => connect(Number(new URL(url).port), 'localhost'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await sleep(IDLE)
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    `content-type: ${type}`,
    'content-length: 100',
  ]
  for (const socket of sockets) socket.write([...head, '', '{'].join('\r\n'))
  await sleep(300)
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test('P54: requests whose bodies arrive slowly take no slots of their tenant', async (t) => {
  const { app, system, user, membership, service } = await given(t)
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { roles: [role.id] })
  const { access_token } = await app.signIn(system, { email: user.email })
  const members = `/admin/accounts/${membership.accountId}/members`

  const answers = []
  for (const [path, type] of [
    [members, 'application/json'],
    ['/me', 'application/x-www-form-urlencoded'],
  ] as const) {
    const close = await sendSlowly(app.url, path, access_token, type)
    answers.push((await service.get('/admin/users')).status, (await app.me(access_token)).status)
    close()
  }

  assert.deepEqual(answers, [200, 200, 200, 200])
})

test('P54: clients that are only named take no slots of tenants', {
  skip: process.env.DATABASE_URL === undefined, // the embedded database does not wait for row locks
}, async (t) => {
  const { app, user, service } = await given(t)
  const name = () =>
    fetch(`${app.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${crypto.randomUUID()}:x`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  await sleep(IDLE)
  const named = await Promise.all(Array.from({ length: 20 }, name))

  const { during, changes } = await app.db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, user.id)).for('update')
    const changes = ['A', 'B', 'C'].map((text) => service.patch(`/admin/users/${user.id}`, { name: text }))
    await sleep(100)
    return { during: await service.get('/admin/users'), changes }
  })

  assert.deepEqual([...new Set(named.map(({ status }) => status))], [401])
  assert.equal(during.status, 200)
  for (const change of changes) assert.equal((await change).status, 200)
})
