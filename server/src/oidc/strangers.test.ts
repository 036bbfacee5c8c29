import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, authUrl, type Driver, newPkce, startTestApp } from '../../test/support/testing.ts'

/*
 * A system adds users to accounts, sends a visitor who is signed in elsewhere to our endpoints and compares
 * what comes back with what a browser without a session gets.
 */

type System = Awaited<ReturnType<Driver['newSystem']>>
type World = { app: Driver; shop: System; service: Driver['platform']; userId: string; email: string }

const AAL2 = 'urn:tenantry:aal2'
const BACK = 'https://app.example/bye'

async function visitorOfBank(app: Driver, settings: object) {
  const bank = await app.newSystem({ skipConsent: true })
  const shop = await app.newSystem({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
    postLogoutRedirectUris: [BACK],
    ...settings,
  })
  const user = await app.newUser({ emailVerified: true })
  await app.newMembership({ userId: user.id, systemId: bank.id })
  const { visitor } = await app.signIn(bank, { email: user.email })
  const world: World = { app, shop, service: await app.serviceOf(shop), userId: user.id, email: user.email }
  return { ...world, visitor }
}

const join = async ({ service, shop, userId }: World, fields: object = {}) => {
  const added = await service.post('/admin/memberships', { userId, systemId: shop.id, ...fields })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return added.body
}

type State = {
  settings?: object
  /** Returns an account, if there is one. */
  arrange: (world: World) => Promise<string | undefined>
}

/** What the system, or the platform, has done about the visitor before. */
const STATES: Record<string, State> = {
  'not a user': { arrange: async () => undefined },
  'not a user, of an open system': {
    settings: { allowSelfRegister: true },
    arrange: async () => undefined,
  },
  'a removed member': {
    arrange: async (world) => {
      const { id, accountId } = await join(world)
      await world.service.delete(`/admin/memberships/${id}`)
      return accountId
    },
  },
  'a member': { arrange: async (world) => (await join(world)).accountId },
  'a member whom the platform has added': {
    arrange: async ({ app, shop, userId }) =>
      (await app.newMembership({ userId, systemId: shop.id })).accountId,
  },
  'a member who has to consent': {
    settings: { skipConsent: false },
    arrange: async (world) => (await join(world)).accountId,
  },
  'a member of two accounts': {
    arrange: async (world) => {
      await join(world)
      return (await join(world, { accountName: 'Second' })).accountId
    },
  },
  'a pending member': {
    arrange: async (world) => (await join(world, { status: 'pending' })).accountId,
  },
  'a blocked member': {
    arrange: async (world) => {
      const { id, accountId } = await join(world)
      await world.service.patch(`/admin/memberships/${id}`, { status: 'blocked' })
      return accountId
    },
  },
  'a member without a second factor where one is required': {
    settings: { requireMfa: true },
    arrange: async (world) => (await join(world)).accountId,
  },
  'a member where an emailed code is required': {
    settings: { requireEmailOtp: true },
    arrange: async (world) => (await join(world)).accountId,
  },
  'a member whom the system has disabled': {
    arrange: async (world) => {
      const { accountId } = await join(world)
      await world.service.patch(`/admin/users/${world.userId}`, { disabled: true })
      return accountId
    },
  },
  'a member with a temporary password of the system': {
    arrange: async (world) => {
      const { accountId } = await join(world)
      await world.service.post(`/admin/users/${world.userId}/reset-password`)
      return accountId
    },
  },
  'a member whose sessions the system has ended': {
    arrange: async (world) => {
      const { accountId } = await join(world)
      await world.service.delete(`/admin/sessions/by-user/${world.userId}`)
      return accountId
    },
  },
  'a disabled user': {
    arrange: async (world) => {
      const { accountId } = await join(world)
      await world.app.platform.patch(`/admin/users/${world.userId}`, { disabled: true })
      return accountId
    },
  },
  'an invited user': {
    arrange: async ({ app, shop, email }) => {
      const owner = await app.newUser()
      const { accountId } = await app.newMembership({ userId: owner.id, systemId: shop.id })
      await app.platform.post(`/admin/accounts/${accountId}/invitations`, { email })
      return accountId
    },
  },
}

type Parameters = Record<string, string | undefined>

/** `hint`: an ID token of another user of the system. */
const parametersFor = (accountId: string | undefined, { email }: World, hint: string): Parameters[] => [
  {},
  { account_id: accountId ?? crypto.randomUUID() },
  { organization: accountId ?? crypto.randomUUID() },
  { account_id: crypto.randomUUID() },
  { account_id: 'none' },
  { max_age: '0' },
  { max_age: '1' },
  { max_age: '100000' },
  { acr_values: AAL2 },
  { claims: JSON.stringify({ id_token: { acr: { essential: true, value: AAL2 } } }) },
  { claims: JSON.stringify({ id_token: { acr: { essential: true, value: 'urn:other' } } }) },
  { claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) },
  { claims: JSON.stringify({ id_token: { sub: { value: crypto.randomUUID() } } }) },
  { claims: JSON.stringify({ userinfo: { phone_number: null } }) },
  { id_token_hint: hint },
  { login_hint: email },
  { scope: 'openid' },
  { scope: 'unknown' },
  { screen_hint: 'signup' },
  { response_mode: 'form_post' },
  { response_mode: 'fragment' },
  { audience: 'other' },
  { code_challenge: undefined },
  { redirect_uri: 'https://evil.example/cb' },
]

/** Everything that an answer consists of, but what differs between any two requests. */
const bytesOf = ({ status, headers, body }: Answer) => {
  const kept = Object.fromEntries(headers as unknown as Iterable<[string, string]>)
  for (const name of ['date', 'x-request-id', 'keep-alive', 'set-cookie']) delete kept[name]
  return {
    status,
    kept,
    cookies: headers.getSetCookie().length,
    body: String(body).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id'),
  }
}

/** An ID token of a user who has signed in to the system. */
async function hintOf(app: Driver, shop: System) {
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: shop.id })
  return (await app.signIn({ ...shop, allowedScopes: ['openid'] }, { email: other.email })).id_token
}

for (const [state, { settings = {}, arrange }] of Object.entries(STATES)) {
  test(`P91: prompt=none: ${state}, who has not entered, is answered as a browser without a session`, async (t) => {
    const app = await startTestApp(t)
    const { visitor, ...world } = await visitorOfBank(app, settings)
    const { shop } = world
    const isPlain = !('requireMfa' in settings) && !('requireEmailOtp' in settings)
    const hint = isPlain ? await hintOf(app, shop) : ''
    const accountId = await arrange(world)

    for (const parameters of parametersFor(accountId, world, hint)) {
      if (parameters.id_token_hint === '') continue
      const url = authUrl(shop, newPkce().challenge, { ...parameters, prompt: 'none' })
      const [theirs, empty] = [await visitor.get(url), await app.newBrowser().get(url)]

      assert.deepEqual(bytesOf(theirs), bytesOf(empty), JSON.stringify(parameters))
    }
    const entries = await app.audited({ systemId: shop.id, targetId: world.userId })
    assert.deepEqual(
      entries.filter(({ action }) => action === 'sign_in.refused'),
      [],
    )
  })

  test(`P91: without a click no page sends ${state}, who has not entered, back to the application`, async (t) => {
    const app = await startTestApp(t)
    const { visitor, ...world } = await visitorOfBank(app, settings)
    const { shop } = world
    const accountId = await arrange(world)
    const isAdmitted = state === 'a member whom the platform has added'
    const agrees = isAdmitted && { account_id: crypto.randomUUID() }

    for (const parameters of parametersFor(accountId, world, '')) {
      if (parameters.id_token_hint === '') continue
      const url = authUrl(shop, newPkce().challenge, { ...parameters, ...agrees })
      const [theirs, empty] = [await visitor.follow(await visitor.get(url)), await app.newBrowser().get(url)]
      const returns = ({ headers }: Answer) =>
        headers.get('location')?.startsWith('https://app.example') === true

      assert.equal(returns(theirs), returns(empty), `${JSON.stringify(parameters)} ${theirs.status}`)
    }
    const entries = await app.audited({ systemId: shop.id, targetId: world.userId })
    assert.deepEqual(
      entries.filter(({ action }) => action === 'sign_in.refused'),
      [],
    )
  })

  test(`P91: a logout sends ${state}, who has not entered, back as a browser without a session`, async (t) => {
    const app = await startTestApp(t)
    const { visitor, ...world } = await visitorOfBank(app, settings)
    const { shop } = world
    await arrange(world)
    const end = (more: Record<string, string>) =>
      `/session/end?${new URLSearchParams({ client_id: shop.clientId, post_logout_redirect_uri: BACK, ...more })}`

    for (const url of [end({}), end({ state: 's' }), end({ logout_hint: world.email })]) {
      const [theirs, empty] = [await visitor.get(url), await app.newBrowser().get(url)]

      assert.deepEqual(bytesOf(theirs), bytesOf(empty))
    }
  })
}

test('a system that a user has entered gets a silent answer', async (t) => {
  const app = await startTestApp(t)
  const { visitor, ...world } = await visitorOfBank(app, {})
  const { accountId } = await join(world)
  await app.authorize(world.shop, { email: world.email, visitor })
  const silently = async (parameters: Parameters) => {
    const url = authUrl(world.shop, newPkce().challenge, { ...parameters, prompt: 'none' })
    const { searchParams } = new URL((await visitor.get(url)).headers.get('location')!)
    return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : undefined)
  }

  assert.deepEqual(
    [
      await silently({}),
      await silently({ account_id: accountId }),
      await silently({ account_id: crypto.randomUUID() }),
    ],
    ['code', 'code', 'access_denied'],
  )
})

test('a user who has signed in with a password of the system gets a silent answer', async (t) => {
  const app = await startTestApp(t)
  const { shop, service, ...world } = await visitorOfBank(app, {})
  await join({ shop, service, ...world })
  const password = 'a password of the shop'
  await service.post(`/admin/users/${world.userId}/set-password`, { password })
  const { visitor } = await app.signIn(shop, { email: world.email, password })

  const silent = await visitor.get(authUrl(shop, newPkce().challenge, { prompt: 'none' }))

  assert.match(String(silent.headers.get('location')), /code=/)
})
