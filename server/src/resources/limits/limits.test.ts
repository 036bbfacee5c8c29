/** Who has to wait after wrong passwords, as the admin API shows and clears it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newOperator } from '../../../test/support/console.ts'
import { type App, begin, codeOf, type SystemLike } from '../../../test/support/factors.ts'
import { newBrowser, PASSWORD, startTestApp, type TestBrowser } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { limits } from '../../database/schema.ts'

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const browserIn = (app: App, ip = newIp()) => newBrowser(app.url, { always: { 'x-forwarded-for': ip } })

type Limit = {
  userId: string
  email: string
  credential: string
  from: string
  systemId: string | null
  attempts: number
  until: string | null
}
type Client = App['platform']

async function listed(client: Client, query = ''): Promise<Limit[]> {
  const { status, body } = await client.get(`/admin/limits${query}`)
  assert.equal(status, 200)
  return body.data
}
const brief = ({ credential, from, systemId, attempts, until }: Limit) => [
  credential,
  from,
  systemId,
  attempts,
  until !== null,
]

async function given(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t, PROXIED)
  const open = { skipConsent: true, allowClientCredentials: true }
  const [shop, bank, user] = [await app.newSystem(open), await app.newSystem(open), await app.newUser()]
  for (const { id } of [shop, bank]) await app.newMembership({ userId: user.id, systemId: id })
  return { app, shop, bank, user, ofUser: `?userId=${user.id}` }
}

/** Submits a password in one browser, several times. Returns the last response. */
async function submit(
  browser: TestBrowser,
  system: SystemLike,
  { email, password = 'wrong', times = 1 }: { email: string; password?: string; times?: number },
) {
  let page = await begin(browser, system, { prompt: 'login' })
  for (let nth = 0; nth < times; nth++) {
    const answer = await browser.submit(page, { email, password })
    page = answer.status === 401 ? answer : await browser.follow(answer)
  }
  return page
}

/** Changes the limits as ten wrong passwords of each sender, who then waits for 15 minutes, and others do. */
async function afterMore({ db }: App, { id }: { id: string }, others = 49) {
  const isAccount = sql`${limits.key} like 'account:%'`
  await db
    .update(limits)
    .set({
      points: sql`case when ${isAccount} then ${limits.points} else 10 end`,
      expire: sql`case when ${isAccount} then ${limits.expire} + ${others * 900_000}::bigint else ${limits.expire} end`,
    })
    .where(eq(limits.userId, id))
}

test('a user who has to wait is listed, and signs in after the limits were cleared', async (t) => {
  const { app, shop, user, ofUser } = await given(t)
  const [home, ip] = [browserIn(app), newIp()]
  await submit(home, shop, { email: user.email, password: PASSWORD })
  await submit(home, shop, { email: user.email })
  await submit(browserIn(app, ip), shop, { email: user.email })
  await submit(browserIn(app, ip), shop, { email: `nobody-${user.email}` })
  await afterMore(app, user)
  const refused = await submit(home, shop, { email: user.email, password: PASSWORD })

  const found = await listed(app.platform, ofUser)
  const overview = await listed(app.platform)
  const explained = await app.platform.get(`/admin/explain${ofUser}&systemId=${shop.id}`)
  const { fix } = explained.body.steps.find(({ step }: { step: string }) => step === 'throttle')
  const [method, path] = fix.operation.split(' ')
  const cleared = await app.platform.delete(path)
  const signedIn = [
    await submit(home, shop, { email: user.email, password: PASSWORD }),
    await submit(browserIn(app, ip), shop, { email: user.email, password: PASSWORD }),
  ]

  assert.equal(refused.status, 429)
  assert.deepEqual(found.map(brief).sort(), [
    ['password', 'all_networks', null, 50, true],
    ['password', 'browser', null, 10, true],
    ['password', 'network', shop.id, 10, true],
  ])
  assert.ok(found.every(({ userId, email }) => userId === user.id && email === user.email))
  assert.deepEqual(
    overview.filter(({ userId }) => userId === user.id),
    found,
  )
  assert.deepEqual([explained.body.code, method, cleared.status], ['throttle_waiting', 'DELETE', 204])
  assert.ok(signedIn.every(codeOf))
  assert.deepEqual(await listed(app.platform, ofUser), [])
  const entries = await app.audited({ targetId: user.id, action: 'user.limits_cleared' })
  assert.deepEqual(
    entries.map(({ outcome, systemId, actorType }) => [outcome, systemId, actorType]),
    [['success', null, 'service']],
  )
})

test('attempts that do not make the user wait are listed for the user only, until the password changes', async (t) => {
  const { app, shop, user, ofUser } = await given(t)
  await submit(browserIn(app), shop, { email: user.email, times: 2 })

  const before = await listed(app.platform, ofUser)
  const overview = await listed(app.platform)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  const after = await listed(app.platform, ofUser)

  assert.deepEqual(before.map(brief).sort(), [
    ['password', 'all_networks', null, 2, false],
    ['password', 'network', shop.id, 2, false],
  ])
  assert.equal(overview.filter(({ userId }) => userId === user.id).length, 0)
  assert.deepEqual(after, [])
})

test('P29: a system lists and clears the attempts of single networks at its own sign-in only', async (t) => {
  const { app, shop, bank, user, ofUser } = await given(t)
  const service = await app.serviceOf(shop)
  const ip = newIp()
  for (const system of [bank, shop]) await submit(browserIn(app, ip), system, { email: user.email })
  await afterMore(app, user, 0)
  await app.db.insert(limits).values(
    ['second-factor:', 'mailed-code:'].map((kind) => ({
      key: kind + user.id,
      points: 50,
      expire: Date.now() + 44_990_000,
      userId: user.id,
      systemId: shop.id,
    })),
  )
  const stranger = await app.newUser()
  const kept = async () =>
    (await app.db.select().from(limits).where(eq(limits.userId, user.id)))
      .filter(({ key, systemId }) => systemId !== shop.id || !key.startsWith('guesser:'))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const before = await kept()

  const found = await listed(service, ofUser)
  const overview = await listed(service)
  const foreign = [
    await service.get(`/admin/limits?userId=${stranger.id}`),
    await service.delete(`/admin/limits?userId=${stranger.id}`),
  ]
  const cleared = await service.delete(`/admin/limits${ofUser}`)
  const after = await kept()
  const [inShop, inBank] = [
    await submit(browserIn(app, ip), shop, { email: user.email, password: PASSWORD }),
    await submit(browserIn(app, ip), bank, { email: user.email, password: PASSWORD }),
  ]

  assert.deepEqual(found.map(brief), [['password', 'network', shop.id, 10, true]])
  assert.deepEqual(overview, found)
  assert.deepEqual(
    foreign.map(({ status, body }) => [status, body.code]),
    [1, 2].map(() => [404, 'user_not_found']),
  )
  assert.equal(cleared.status, 204)
  assert.equal(before.length, 4)
  assert.deepEqual(after, before)
  assert.deepEqual([Boolean(codeOf(inShop)), inBank.status], [true, 429])
})

test('an operator who is a viewer lists the limits of a system and clears none', async (t) => {
  const { app, shop, user, ofUser } = await given(t)
  await submit(browserIn(app), shop, { email: user.email })
  await afterMore(app, user)
  const viewer = await newOperator(app, { level: 'viewer', systemId: shop.id })
  const admin = await newOperator(app, { systemId: shop.id })

  const [first] = await listed(viewer.client, ofUser)
  const refused = await viewer.client.delete(`/admin/limits${ofUser}`)
  const remaining = await listed(viewer.client, ofUser)
  const cleared = await admin.client.delete(`/admin/limits${ofUser}`)

  assert.deepEqual([refused.status, refused.body.code, cleared.status], [403, 'read_only', 204])
  assert.deepEqual([remaining.length, remaining[0]], [1, first])
  assert.deepEqual(await listed(admin.client, ofUser), [])
})
