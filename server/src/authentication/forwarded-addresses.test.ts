/** Clients behind proxies that write ports, or no address, into X-Forwarded-For. */
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Trusts the test as a proxy, and a network of inner proxies. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1,10.9.0.0/16' }
const newPort = () => randomInt(1_024, 65_536)
const newIPv4 = () => `198.18.${[...randomBytes(2)].join('.')}`
const newIPv6 = () => `2001:db8:${[1, 2].map(() => randomBytes(2).toString('hex')).join(':')}::1`

/** Returns a function that submits the login form from a client, whose header differs in each request. */
async function loginFrom(app: App, system: Parameters<App['signIn']>[0], forwardedFor: () => string) {
  const browser = app.newBrowser()
  const from = () => ({ 'x-forwarded-for': forwardedFor() })
  const started = await browser.get(authUrl(system, newPkce().challenge, { prompt: 'login' }), from())
  const page = String((await browser.get(started.headers.get('location')!, from())).body)
  const action = /<form method="post" action="([^"]+)"/.exec(page)![1]!
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1]!
  return async (email: string, password: string) =>
    (await browser.post(action, { csrf, email, password }, from())).status
}

/** Wrong passwords from one client, each for another unknown user, of which its network may have 30. */
async function guess(app: App, system: Parameters<App['signIn']>[0], forwardedFor: () => string) {
  const login = await loginFrom(app, system, forwardedFor)
  const begun = performance.now()
  let checked = 0
  for (let index = 0; index < 60; index++)
    if ((await login(`${randomBytes(8).toString('hex')}@x.test`, 'wrong')) === 401) checked++
  const most = 31 + (performance.now() - begun) / 20_000 // one more every 20 s
  assert.ok(checked >= 30 && checked <= most, `${checked} of 60 were checked, of at most ${most}`)
  // On a busy machine the next attempt may be due before it is made.
  await app.db.update(limits).set({ expire: sql`${limits.expire} + 60000` })
}

const CLIENTS: Record<string, () => { one: () => string; other: () => string }> = {
  'an IPv4 address with a port': () => {
    const [one, other] = [newIPv4(), newIPv4()]
    return { one: () => `${one}:${newPort()}`, other: () => `${other}:${newPort()}` }
  },
  'an IPv6 address with a port': () => {
    const [one, other] = [newIPv6(), newIPv6()]
    return { one: () => `[${one}]:${newPort()}`, other: () => `[${other}]:${newPort()}` }
  },
  'several proxies with ports': () => {
    const [one, other] = [newIPv4(), newIPv4()]
    const inner = () => `10.9.0.1:${newPort()}`
    return {
      one: () => `192.0.2.1, ${one}:${newPort()}, ${inner()}`,
      other: () => `${other}:${newPort()},${inner()}`,
    }
  },
}

for (const [what, newClients] of Object.entries(CLIENTS)) {
  test(`P29: the limit of a network counts a client named by ${what}, and no other client`, async (t) => {
    const app = await startTestApp(t, PROXIED)
    const { system, user } = await app.newMember({ skipConsent: true })
    const { one, other } = newClients()

    await guess(app, system, one)
    const own = await (await loginFrom(app, system, one))(user.email, PASSWORD)
    const neighbour = await (await loginFrom(app, system, other))(user.email, PASSWORD)

    assert.deepEqual([own, neighbour], [429, 303])
  })
}

test('P29: all texts that are no address are one client, and none of them is stored', async (t) => {
  const app = await startTestApp(t, { ...PROXIED, METRICS_SYSTEMS: '' })
  const { system, user } = await app.newMember({ skipConsent: true })
  const text = () => `_${randomBytes(6).toString('hex')}${'x'.repeat(9_000)}`

  await guess(app, system, text)
  const own = await (await loginFrom(app, system, text))(user.email, PASSWORD)
  const neighbour = await (await loginFrom(app, system, newIPv4))(user.email, PASSWORD)

  assert.deepEqual([own, neighbour], [429, 303])
  const entries = await app.audited({ systemId: system.id, action: 'user.login' })
  assert.ok(entries.length >= 30)
  assert.ok(entries.every(({ actorIp }) => actorIp === 'unknown' || isIP(actorIp ?? '') === 4))
})

test('audit entries have the address of the client without the port', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const { system, user } = await app.newMember({ skipConsent: true })
  const [ip, ipv6] = [newIPv4(), newIPv6()]

  await (await loginFrom(app, system, () => `${ip}:${newPort()}`))(user.email, PASSWORD)
  await (await loginFrom(app, system, () => `[${ipv6}]`))(user.email, PASSWORD)

  const entries = await app.audited({ targetId: user.id, action: 'user.login' })
  assert.deepEqual(entries.map(({ actorIp }) => actorIp).sort(), [ip, ipv6].sort())
})
