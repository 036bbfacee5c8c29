import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Answer, startTestApp, type TestBrowser, type Tokens } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })
const sidOf = (tokens: Tokens) => String(decodeJwt(tokens.access_token).sid)
const sidsOf = (answer: Answer): string[] => answer.body.data.map((session: { sid: string }) => session.sid)
const MULTI = { multiAccount: true, allowClientCredentials: true }

/** Bob in a multi-account system: administrator of one account, member of another and of a second system. */
async function bob(app: App) {
  const { newSystem, newUser, newMembership, newRole, serviceOf } = app
  const [shop, other] = [await newSystem(MULTI), await newSystem(MULTI)]
  const owner = await newRole(shop.id, { isAdmin: true })
  const user = await newUser()
  const acme = await newMembership({
    userId: user.id,
    systemId: shop.id,
    accountName: 'Acme',
    roles: [owner.id],
  })
  const globex = await newMembership({ userId: user.id, systemId: shop.id, accountName: 'Globex' })
  await newMembership({ userId: user.id, systemId: other.id })
  const into = (account: { accountId: string }, visitor = app.newBrowser()) =>
    app.signIn(shop, {
      email: user.email,
      account: account.accountId,
      visitor,
      parameters: { account_id: account.accountId },
    })
  const beside = (visitor: TestBrowser) => app.signIn(other, { email: user.email, visitor })
  return {
    shop,
    other,
    user,
    acme,
    globex,
    into,
    beside,
    shopService: await serviceOf(shop),
    otherService: await serviceOf(other),
  }
}

/** What remains valid of a session: its tokens and the cookie of its browser. */
async function leftOf(
  app: App,
  system: Parameters<App['refresh']>[0],
  tokens: Tokens & { visitor: TestBrowser },
  email: string,
) {
  const refresh = await app.refresh(system, tokens.refresh_token!)
  const silent = await app.authorize(system, {
    email,
    visitor: tokens.visitor,
    parameters: { prompt: 'none' },
  })
  const active = await introspect(app, system, tokens.access_token)
  return {
    me: (await app.me(tokens.access_token)).status,
    admin: (await app.as(tokens.access_token).get('/admin/memberships')).status,
    active,
    refresh: refresh.body.error,
    silent: silent.back.error,
    code: silent.back.code,
  }
}

async function introspect(
  app: App,
  system: { clientId: string; clientSecret?: string },
  token: string,
): Promise<boolean> {
  const answer = await fetch(`${app.url}/token/introspection`, {
    method: 'POST',
    body: new URLSearchParams({
      token,
      client_id: system.clientId,
      client_secret: system.clientSecret ?? '',
    }),
  })
  return ((await answer.json()) as { active: boolean }).active
}

const DEAD = {
  me: 401,
  admin: 401,
  active: false,
  refresh: 'invalid_grant',
  silent: 'login_required',
  code: undefined,
}

test('the list has the active sessions in reach, newest first', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, globex, into, beside, shopService } = await bob(app)
  const [first, second] = [await into(acme), await into(globex)]
  const third = await beside(second.visitor)
  const asBob = app.as(first.access_token)
  const list = (query: string) => app.platform.get(`/admin/sessions?${query}`)

  const own = await list(`userId=${user.id}`)

  assert.deepEqual([own.body.total, sidsOf(own)], [3, [third, second, first].map(sidOf)])
  const { createdAt, lastSeenAt, expiresAt, userAgent, ip, ...rest } = own.body.data[2]
  const sid = sidOf(first)
  assert.deepEqual(rest, {
    sid,
    jti: sid,
    userId: user.id,
    systemId: shop.id,
    accountId: acme.accountId,
    amr: ['pwd'],
    actor: null,
    reason: null,
  })
  assert.ok(createdAt <= lastSeenAt && lastSeenAt < expiresAt, JSON.stringify(own.body.data[2]))
  assert.match(ip, /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  assert.equal(userAgent, 'node')
  assert.deepEqual(sidsOf(await list(`systemId=${shop.id}`)), [second, first].map(sidOf))
  assert.deepEqual(sidsOf(await list(`accountId=${globex.accountId}`)), [sidOf(second)])
  assert.deepEqual(sidsOf(await list(`userId=${user.id}&pageSize=1&page=2`)), [sidOf(second)])
  assert.deepEqual(sidsOf(await shopService.get('/admin/sessions')), [second, first].map(sidOf))
  assert.deepEqual(sidsOf(await asBob.get(`/admin/sessions?userId=${user.id}`)), [sid])
  assert.deepEqual((await asBob.get(`/admin/sessions?accountId=${globex.accountId}`)).body.total, 0)
})

test('ended and expired sessions are neither listed nor ended', async (t) => {
  const app = await startTestApp(t)
  const { user, acme, globex, into } = await bob(app)
  const [ended, expired] = [await into(acme), await into(globex)].map(sidOf)
  await app.platform.delete(`/admin/sessions/${ended}`)
  await app.db.update(sessions).set({ expiresAt: sql`now()` }).where(eq(sessions.sid, expired!))

  const list = await app.platform.get(`/admin/sessions?userId=${user.id}`)
  const answers = [
    await app.platform.delete(`/admin/sessions/${ended}`),
    await app.platform.delete(`/admin/sessions/${expired}`),
  ]

  assert.deepEqual([list.body.total, list.body.data], [0, []])
  assert.deepEqual(answers.map(outcome), [
    [404, 'session_not_found'],
    [404, 'session_not_found'],
  ])
  assert.deepEqual((await app.platform.delete(`/admin/sessions/by-user/${user.id}`)).body, { ended: 0 })
})

test('P50: DELETE by the jti of any token ends that session only', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, into, beside } = await bob(app)
  const here = await into(acme)
  const elsewhere = await beside(here.visitor)
  const otherBrowser = await into(acme)
  const refreshed = await app.refresh(shop, here.refresh_token!)
  const { jti } = decodeJwt(refreshed.body.access_token)

  const answers = [
    await app.platform.delete(`/admin/sessions/${jti}`),
    await app.platform.delete(`/admin/sessions/${jti}`),
  ]

  assert.deepEqual(answers.map(outcome), [
    [204, undefined],
    [404, 'session_not_found'],
  ])
  assert.deepEqual(await leftOf(app, shop, { ...here, ...refreshed.body }, user.email), DEAD)
  assert.equal((await app.me(elsewhere.access_token)).status, 200)
  assert.equal((await app.me(otherBrowser.access_token)).status, 200)
})

test('P50: an ended session has one audit entry and one event', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, into, shopService } = await bob(app)
  const sid = sidOf(await into(acme))

  await shopService.delete(`/admin/sessions/${sid}`)

  const entries = await app.audited({ targetId: sid, action: 'session.ended' })
  assert.deepEqual(
    entries.map(({ actorType, actorId, systemId, accountId, changes }) => [
      actorType,
      actorId,
      systemId,
      accountId,
      changes,
    ]),
    [['service', shop.clientId, shop.id, acme.accountId, { reason: [null, 'admin'] }]],
  )
  const recorded = await app.findEvents({ userId: user.id, type: 'session.ended' })
  assert.deepEqual(
    recorded.map(({ data }) => [data.sid, data.reason, data.actor]),
    [[sid, 'admin', { type: 'service', id: shop.clientId }]],
  )
})

test("P50: a system ends a user's sessions in it, and other systems are unaffected", async (t) => {
  const app = await startTestApp(t)
  const { shop, other, user, acme, globex, into, beside, shopService } = await bob(app)
  const here = await into(acme)
  const elsewhere = await beside(here.visitor)
  const there = await into(globex)

  const answer = await shopService.delete(`/admin/sessions/by-user/${user.id}`)

  assert.deepEqual([answer.status, answer.body], [200, { ended: 2 }])
  for (const tokens of [here, there]) assert.deepEqual(await leftOf(app, shop, tokens, user.email), DEAD)
  assert.equal((await app.me(elsewhere.access_token)).status, 200)
  const silent = await app.authorize(other, {
    email: user.email,
    visitor: here.visitor,
    parameters: { prompt: 'none' },
  })
  assert.equal(silent.back.error, undefined)
  assert.ok(silent.back.code)
})

test('P50: the platform ends all sessions of a user in every system and browser', async (t) => {
  const app = await startTestApp(t)
  const { shop, other, user, acme, into, beside } = await bob(app)
  const here = await into(acme)
  const elsewhere = await beside(here.visitor)

  const answer = await app.platform.delete(`/admin/sessions/by-user/${user.id}`)

  assert.deepEqual([answer.status, answer.body], [200, { ended: 2 }])
  assert.deepEqual(await leftOf(app, shop, here, user.email), DEAD)
  assert.deepEqual(await leftOf(app, other, elsewhere, user.email), DEAD)
})

test('P50: ending a session of a browser with several accounts requires a new login', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, globex, into } = await bob(app)
  const first = await into(acme)
  const second = await into(globex, first.visitor)
  const silently = async (account: { accountId: string }) => {
    const parameters = { prompt: 'none', account_id: account.accountId }
    return (await app.authorize(shop, { email: user.email, visitor: first.visitor, parameters })).back
  }

  await app.platform.delete(`/admin/sessions/${sidOf(first)}`)

  assert.deepEqual(
    [(await silently(acme)).error, (await silently(globex)).error],
    ['login_required', 'login_required'],
  )
  assert.equal((await app.me(second.access_token)).status, 200)
  const again = await into(globex, first.visitor)
  assert.notEqual(sidOf(again), sidOf(second))
  assert.ok((await silently(acme)).code)
  assert.ok((await silently(globex)).code)
})

test('P50: ending all sessions of a system affects no other system', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, globex, into, beside, shopService } = await bob(app)
  const [here, there] = [await into(acme), await into(globex)]
  const elsewhere = await beside(here.visitor)

  const answer = await shopService.delete(`/admin/sessions/by-system/${shop.id}`)

  assert.deepEqual([answer.status, answer.body], [200, { ended: 2 }])
  for (const tokens of [here, there]) assert.deepEqual(await leftOf(app, shop, tokens, user.email), DEAD)
  assert.equal((await app.me(elsewhere.access_token)).status, 200)
  assert.deepEqual((await app.platform.delete(`/admin/sessions/by-system/${shop.id}`)).body, { ended: 0 })
})

test("P37: sessions outside of a system's reach are 404 and stay active", async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, into, otherService } = await bob(app)
  const outsider = await app.newMember()
  const tokens = await into(acme)

  const pairs = [
    [`/admin/sessions/${sidOf(tokens)}`, '/admin/sessions/nobody'],
    [`/admin/sessions/${decodeJwt(tokens.access_token).jti}`, '/admin/sessions/nobody.token'],
    [`/admin/sessions/by-user/${outsider.user.id}`, `/admin/sessions/by-user/${unknown}`],
    [`/admin/sessions/by-system/${shop.id}`, `/admin/sessions/by-system/${unknown}`],
  ] as const
  for (const [foreign, none] of pairs) {
    const answers = [await otherService.delete(foreign), await otherService.delete(none)]
    assert.equal(answers[0]!.status, 404, foreign)
    assert.deepEqual(masked(answers[0]!), masked(answers[1]!))
  }
  // The user is known there, the session is not.
  assert.deepEqual((await otherService.delete(`/admin/sessions/by-user/${user.id}`)).body, { ended: 0 })
  assert.deepEqual((await otherService.get(`/admin/sessions?systemId=${shop.id}`)).body.total, 0)
  assert.equal((await app.me(tokens.access_token)).status, 200)
})

test('P36: an account administrator ends sessions of that account only', async (t) => {
  const app = await startTestApp(t)
  const { shop, user, acme, globex, into } = await bob(app)
  const colleague = await app.newUser()
  await app.newMembership({ userId: colleague.id, accountId: acme.accountId })
  const outsider = await app.newMember()
  const [bobs, inGlobex] = [await into(acme), await into(globex)]
  const colleagues = await app.signIn(shop, { email: colleague.email })
  const asBob = app.as(bobs.access_token)

  const refused = [
    await asBob.delete(`/admin/sessions/${sidOf(inGlobex)}`),
    await asBob.delete(`/admin/sessions/by-user/${outsider.user.id}`),
    await asBob.delete(`/admin/sessions/by-system/${shop.id}`),
  ]
  const ended = [
    await asBob.delete(`/admin/sessions/by-user/${colleague.id}`),
    await asBob.delete(`/admin/sessions/by-user/${user.id}`),
  ]

  assert.deepEqual(refused.map(outcome), [
    [404, 'session_not_found'],
    [404, 'user_not_found'],
    [403, 'insufficient_authority'],
  ])
  assert.deepEqual(
    ended.map(({ body }) => body),
    [{ ended: 1 }, { ended: 1 }],
  )
  const others = await Promise.all(
    [bobs, colleagues, inGlobex].map(({ access_token }) => app.me(access_token)),
  )
  assert.deepEqual(
    others.map(({ status }) => status),
    [401, 401, 200],
  )
})

test('P40: an invalid id is 404, and an invalid filter 400', async (t) => {
  const { platform } = await startTestApp(t)

  const paths = ['%00', "'%20OR%201=1--", 'a%2Fb', 'x'.repeat(301), 'by-user/x', 'by-system/1', 'by-user/%00']
  const answers = await Promise.all(paths.map((path) => platform.delete(`/admin/sessions/${path}`)))
  const filters = ['userId=x', 'systemId=%00', 'accountId=', 'page=0', `userId=${unknown}&userId=${unknown}`]
  const lists = await Promise.all(filters.map((query) => platform.get(`/admin/sessions?${query}`)))

  assert.deepEqual(
    answers.map(({ status }) => status),
    paths.map(() => 404),
  )
  assert.deepEqual(
    lists.map(outcome),
    filters.map(() => [400, 'invalid_request']),
  )
})

test('the jti of a service token revokes that token', async (t) => {
  const app = await startTestApp(t)
  const { shop, acme, into, shopService, otherService } = await bob(app)
  const asBob = app.as((await into(acme)).access_token)
  const second = await app.serviceOf(shop)
  const jti = String(decodeJwt(shopService.token).jti)
  const made = jti.replace(/\.\d+\./, '.9999999999.')

  const refused = [
    await otherService.delete(`/admin/sessions/${jti}`),
    await asBob.delete(`/admin/sessions/${jti}`),
    await app.platform.delete(`/admin/sessions/${made}`),
    await app.platform.delete(`/admin/sessions/${shop.id}.9999999999.x.y`),
  ]
  const before = await shopService.get('/admin/sessions')
  const ended = [await second.delete(`/admin/sessions/${jti}`), await second.delete(`/admin/sessions/${jti}`)]

  assert.deepEqual(
    refused.map(outcome),
    refused.map(() => [404, 'session_not_found']),
  )
  assert.deepEqual([before.status, ended.map(({ status }) => status)], [200, [204, 404]])
  assert.deepEqual(
    [(await shopService.get('/admin/sessions')).status, (await second.get('/admin/sessions')).status],
    [401, 200],
  )
  assert.equal(await introspect(app, shop, shopService.token), false)
  const [entry] = await app.audited({ targetId: jti })
  assert.deepEqual(
    [entry?.action, entry?.systemId, entry?.actorId],
    ['service_token.ended', shop.id, shop.clientId],
  )
})

test('of ten concurrent requests to end a session one is 204', async (t) => {
  const app = await startTestApp(t)
  const { acme, into } = await bob(app)
  const sid = sidOf(await into(acme))

  const answers = await concurrently(10, () => app.platform.delete(`/admin/sessions/${sid}`))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array.from({ length: 9 }, () => 404)])
  assert.equal((await app.audited({ targetId: sid, action: 'session.ended' })).length, 1)
})
