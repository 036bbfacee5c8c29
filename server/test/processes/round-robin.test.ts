/** Product flows with requests alternating between two processes: no sticky sessions are needed. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { sql } from '../../src/database/drizzle.ts'
import { limits } from '../../src/database/schema.ts'
import { rotateSigningKeys } from '../../src/oidc/keys/signing-keys.ts'
import { endOfLog, openEventStream } from '../support/event-reader.ts'
import { begin, codeOf } from '../support/factors.ts'
import { endOf, product, SIGNED_OUT, signIn, through } from '../support/openid-client.ts'
import { startReceiver, verify } from '../support/receiver.ts'
import { flow } from '../support/round-robin.ts'
import { codeFields, newBrowser, PASSWORD, type TestBrowser } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const asksPassword = (page: { body: unknown }) => /name="password"/.test(String(page.body))
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

flow('password, account selection, consent, code, refreshes, userinfo and replay', async ({ app }) => {
  const [system, user] = [await app.newSystem({ multiAccount: true }), await app.newUser()]
  const join = (accountName: string) =>
    app.newMembership({ userId: user.id, systemId: system.id, accountName })
  const [, second] = [await join('Acme'), await join('Northsea')]

  const authorized = await app.authorize(system, { email: user.email, account: second.accountId })
  const exchange = () => app.token(system, codeFields(system, authorized))
  const first = (await exchange()).body
  const refreshTokens: string[] = [first.refresh_token]
  let token: string = first.access_token
  for (let turn = 0; turn < 5; turn++) {
    const [{ status, body }, again] = [
      await app.refresh(system, refreshTokens.at(-1)!),
      await app.refresh(system, refreshTokens.at(-1)!),
    ]
    assert.deepEqual([status, again.body.refresh_token], [200, body.refresh_token])
    refreshTokens.push(body.refresh_token)
    token = body.access_token
    const me = await app.me(token)
    assert.deepEqual([me.status, me.body.sub, me.body.account_id], [200, user.id, second.accountId])
  }
  const replayed = [await exchange(), await exchange(), await app.refresh(system, refreshTokens.at(-1)!)]

  assert.equal(new Set(refreshTokens).size, 6)
  assert.equal(decodeJwt(token).sid, decodeJwt(first.access_token).sid)
  assert.deepEqual(
    replayed.map(({ body }) => body.error),
    ['invalid_grant', 'invalid_grant', 'invalid_grant'],
  )
  for (const turn of [1, 2]) assert.equal((await app.me(token)).status, 401, `${turn}`)
})

flow('verification, introspection and revocation of a token', async ({ app }) => {
  const shop = await product(app)
  const { config } = shop
  const { tokens } = await signIn(shop, app.newBrowser())
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)
  const jwks = async () => (await (await fetch(config.serverMetadata().jwks_uri!)).json()) as JSONWebKeySet
  const verified = async () =>
    (await jwtVerify(refreshed.access_token, createLocalJWKSet(await jwks()))).payload.sub
  const active = async (token: string) => (await client.tokenIntrospection(config, token)).active
  const twice = async <T>(ask: () => Promise<T>) => [await ask(), await ask()]

  const before = [await twice(verified), await twice(() => active(refreshed.access_token))]
  await client.tokenRevocation(config, refreshed.refresh_token!)
  const after = [
    await twice(() => active(refreshed.access_token)),
    await twice(() => active(refreshed.refresh_token!)),
  ]

  assert.deepEqual(before, [
    [shop.user.id, shop.user.id],
    [true, true],
  ])
  assert.deepEqual(after.flat(), [false, false, false, false])
  for (const turn of [1, 2]) {
    await assert.rejects(
      client.refreshTokenGrant(config, refreshed.refresh_token!),
      { error: 'invalid_grant' },
      `${turn}`,
    )
    assert.equal((await app.me(refreshed.access_token)).status, 401)
  }
})

flow('single sign-on, prompt=none, prompt=login and max_age', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true })
  const second = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: second.id })
  const { visitor } = await app.signIn(system, { email: user.email })
  const silently = async (to: typeof system, parameters: Record<string, string>) =>
    (await app.authorize(to, { email: user.email, password: 'not asked for', visitor, parameters })).back

  const other = await silently(second, {})
  const none = [await silently(system, { prompt: 'none' }), await silently(second, { prompt: 'none' })]
  const recent = await silently(system, { max_age: '3600' })
  const anew = [
    await begin(visitor, system, { prompt: 'login' }),
    await begin(visitor, system, { max_age: '0' }),
  ]
  const login = await app.signIn(system, { email: user.email, visitor, parameters: { prompt: 'login' } })
  const outsider = await app.authorize(system, { email: user.email, parameters: { prompt: 'none' } })

  for (const { code } of [other, ...none, recent]) assert.ok(code)
  assert.deepEqual(anew.map(asksPassword), [true, true])
  assert.equal((await app.me(login.access_token)).status, 200)
  assert.equal(outsider.back.error, 'login_required')
})

flow('logout with confirmation and redirect; a kept cookie has no session', async ({ app }) => {
  const shop = await product(app)
  const browser = app.newBrowser()
  const { tokens } = await signIn(shop, browser)
  const end = endOf(shop, tokens)

  const thief = app.newBrowser()
  for (const [name, cookie] of browser.jar) thief.jar.set(name, cookie)
  const silently = async () => codeOf(await begin(thief, shop.system, { prompt: 'none' }))

  const before = [await silently(), await silently()]
  const { location } = await through(browser, end.href, shop.user.email)
  const after = [await silently(), await silently()]

  assert.equal(location, `${SIGNED_OUT}?state=bye`)
  assert.ok(before.every(Boolean))
  assert.deepEqual(after, [null, null])
  for (const turn of [1, 2]) {
    assert.equal((await app.me(tokens.access_token)).status, 401, `${turn}`)
    assert.ok(asksPassword(await begin(browser, shop.system)))
    assert.equal((await app.refresh(shop.system, tokens.refresh_token!)).body.error, 'invalid_grant')
  }
})

flow('a product creates a member by client credentials and blocks them', async ({ app }) => {
  const system = await app.newSystem({
    allowClientCredentials: true,
    multiAccount: true,
    skipConsent: true,
  })
  const service = await app.serviceOf(system)
  const email = `${crypto.randomUUID()}@example.test`

  const user = (await service.post('/admin/users', { email, password: PASSWORD })).body
  const key = { 'idempotency-key': crypto.randomUUID() }
  const membership = { userId: user.id, systemId: system.id, accountName: 'Acme' }
  const made = await service.post('/admin/memberships', membership, key)
  const again = await service.post('/admin/memberships', membership, key)
  const { id } = made.body
  const tokens = await app.signIn(system, { email })
  for (const turn of [1, 2, 3]) {
    assert.equal((await app.me(tokens.access_token)).status, 200, `${turn}`)
    assert.equal((await service.patch(`/admin/memberships/${id}`, { status: 'blocked' })).status, 200)
    const refused = [await app.me(tokens.access_token), await app.refresh(system, tokens.refresh_token!)]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [401, 400],
    )
    assert.equal((await service.patch(`/admin/memberships/${id}`, { status: 'active' })).status, 200)
    Object.assign(tokens, await app.signIn(system, { email }))
  }
  assert.deepEqual(
    [made.status, again.body, again.headers.get('idempotency-replayed')],
    [201, made.body, 'true'],
  )
})

flow('a device polls while its user confirms, and gets its tokens once', async ({ app }) => {
  const shop = await product(app)
  const device = await client.initiateDeviceAuthorization(shop.config, {
    scope: 'openid email offline_access',
  })
  const poll = () => app.token(shop.system, { grant_type: DEVICE_CODE, device_code: device.device_code })
  const errors = []
  const browser: TestBrowser = newBrowser(app.url)
  const between = browser.get
  browser.get = async (...asked) => {
    errors.push((await poll()).body.error)
    return between(...asked)
  }

  errors.push((await poll()).body.error, (await poll()).body.error)
  const end = await through(browser, device.verification_uri_complete!, shop.user.email)
  const done = await poll()
  const again = await poll()

  assert.match(String(end.body), /Device connected/)
  assert.deepEqual([...new Set(errors)], ['authorization_pending'])
  assert.deepEqual([done.status, again.status, again.body.error], [200, 400, 'invalid_grant'])
  assert.equal(decodeJwt(done.body.access_token).account_id, shop.membership.accountId)
})

flow('a pushed authorization request works once', async ({ app }) => {
  const shop = await product(app)
  const browser = app.newBrowser()

  const { start, tokens } = await signIn(shop, browser, { account_id: shop.membership.accountId }, true)
  const again = await browser.follow(await browser.get(start.href))

  assert.match(start.searchParams.get('request_uri')!, /^urn:ietf:params:oauth:request_uri:/)
  assert.equal(tokens.claims()?.account_id, shop.membership.accountId)
  assert.equal(again.status, 400)
})

flow('a DPoP-bound token works at both processes, and each proof once', async ({ app }) => {
  const shop = await product(app)
  const { tokens } = await signIn(shop, app.newBrowser())
  const handle = client.getDPoPHandle(shop.config, await client.randomDPoPKeyPair('ES256'))
  const proofs: string[] = []
  shop.config[client.customFetch] = (address, options) => {
    proofs.push(new Headers(options.headers).get('dpop') ?? '')
    return fetch(address, options as RequestInit)
  }
  const me = (token: string, DPoP?: client.DPoPHandle) =>
    client.fetchUserInfo(shop.config, token, shop.user.id, DPoP && { DPoP })

  let bound = await client.refreshTokenGrant(shop.config, tokens.refresh_token!, {}, { DPoP: handle })
  for (let turn = 0; turn < 3; turn++) {
    assert.equal((await me(bound.access_token, handle)).sub, shop.user.id)
    bound = await client.refreshTokenGrant(shop.config, bound.refresh_token!, {}, { DPoP: handle })
  }
  assert.equal((await me(bound.access_token, handle)).sub, shop.user.id)
  const replayed = []
  for (let turn = 0; turn < 2; turn++) {
    const headers = { authorization: `DPoP ${bound.access_token}`, dpop: proofs.at(-1)! }
    replayed.push((await fetch(`${app.url}/me`, { headers })).status)
  }

  assert.equal(bound.token_type, 'dpop')
  assert.deepEqual(replayed, [401, 401])
  for (let turn = 0; turn < 2; turn++) await assert.rejects(me(bound.access_token), { status: 401 })
})

flow('during key rotation each process accepts the tokens of the other', async ({ app }) => {
  const { system, user } = await app.newMember({ skipConsent: true })
  const first = await app.signIn(system, { email: user.email })
  let refreshToken = first.refresh_token!
  const keys = async () => createLocalJWKSet((await app.newBrowser().get('/jwks')).body as JSONWebKeySet)
  /** An unknown key id makes a process reload the keys at once instead of within ten seconds. */
  const look = async () => {
    await sleep(1_050)
    const [, claims, signature] = first.access_token.split('.')
    const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"unknown"}').toString('base64url')
    for (let turn = 0; turn < 4; turn++)
      assert.equal((await app.me(`${header}.${claims}.${signature}`)).status, 401)
  }

  const added = await rotateSigningKeys(app.db, app.seal, 4, 3_600) // seconds, by the database's clock
  let inARow = 0
  for (let round = 0; round < 40 && inARow < 4; round++) {
    if (inARow === 0) await look()
    const { status, body } = await app.refresh(system, refreshToken)
    assert.equal(status, 200)
    refreshToken = body.refresh_token
    inARow = added.includes(decodeProtectedHeader(body.access_token).kid ?? '') ? inARow + 1 : 0
    for (const token of [first.access_token, body.access_token, first.access_token, body.access_token])
      assert.equal((await app.me(token)).status, 200)
    for (const token of [first.id_token, body.id_token, body.access_token])
      assert.equal((await jwtVerify(token, await keys())).payload.sub, user.id)
  }

  assert.equal(inARow, 4)
})

flow(
  'P29: five wrong passwords are checked over both processes, then both refuse',
  async ({ app, asked }) => {
    const { system, user } = await app.newMember({ skipConsent: true })
    const statuses = []

    for (let turn = 0; turn < 5; turn++)
      statuses.push((await app.authorize(system, { email: user.email, password: 'wrong' })).page.status)
    // Moves the clock of the limits, so that a slow machine does not matter.
    await app.db.update(limits).set({ expire: sql`${limits.expire} + 600000` })
    const refused = new Set<number>()
    for (let turn = 0; turn < 4; turn++) {
      statuses.push((await app.authorize(system, { email: user.email })).page.status)
      refused.add(asked.at(-2)!.process) // the form; the last request is for its page
      await fetch(`${app.url}/health/live`) // so that the next form reaches another process
    }

    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429, 429])
    assert.equal(refused.size, 2)
  },
)

const EVENTS = /^\/admin\/(events|memberships)/

flow(
  'webhooks and event log of changes at both processes',
  async ({ app, t }) => {
    const receiver = await startReceiver(t)
    const { system, membership } = await app.newMember()
    const path = `/admin/systems/${system.id}/webhooks`
    const { secret } = (await app.platform.post(path, { url: receiver.url })).body
    let cursor = await endOfLog(app.url, app.platform.token)
    const start = cursor
    const query = `?systemId=${system.id}`

    for (let turn = 0; turn < 6; turn++)
      await app.platform.patch(`/admin/memberships/${membership.id}`, {
        status: turn % 2 ? 'active' : 'blocked',
      })
    const streamed = []
    for (const from of [0, 2, 4]) {
      const reader = await openEventStream(app.url, app.platform.token, { query, lastEventId: cursor })
      t.after(reader.close)
      const events = (await reader.until(6 - from)).slice(0, 2)
      reader.close()
      cursor = events.at(-1)!.cursor
      streamed.push(...events.map(({ id }) => id))
    }
    const logged = []
    for (let after = start, more = true; more; ) {
      const { body } = await app.platform.get(`/admin/events${query}&limit=1&after=${after}`)
      logged.push(...body.data.map((event: { id: string }) => event.id))
      after = body.next
      more = body.more
    }
    // A grant that a later end of the access makes void need not be sent.
    const demanded = logged.filter((_, at) => at % 2 === 0 || at === 5)
    await t.waitFor(
      () => assert.deepEqual(new Set(demanded).difference(new Set(receiver.ids())), new Set()),
      SOON,
    )
    const sent = [...new Set(receiver.ids())]

    assert.equal(new Set(logged).size, 6)
    assert.deepEqual(streamed, logged)
    assert.deepEqual(
      sent,
      logged.filter((id) => sent.includes(id)),
    )
    for (const each of receiver.received) verify(secret, each)
  },
  EVENTS,
)
