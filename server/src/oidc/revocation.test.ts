import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gist } from '../../test/support/http.ts'
import { type Answer, basicAuth, newBrowser, PASSWORD, startTestApp } from '../../test/support/testing.ts'

type System = Parameters<typeof basicAuth>[0]

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Posts a form to a path below /token as a system. */
function ask(
  url: string,
  path: string,
  system: System | undefined,
  form: Record<string, string> | string,
): Promise<Answer> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(system && { authorization: basicAuth(system) }),
  }
  return newBrowser(url).request(path, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form).toString(),
  })
}
const revoke = (url: string, system: System | undefined, token: string, more: Record<string, string> = {}) =>
  ask(url, '/token/revocation', system, { token, ...more })
const introspect = (
  url: string,
  system: System | undefined,
  token: string,
  more: Record<string, string> = {},
) => ask(url, '/token/introspection', system, { token, ...more })

for (const kind of ['refresh_token', 'access_token'] as const) {
  for (const hint of [undefined, 'refresh_token', 'access_token', 'unknown']) {
    test(`P35: revoking the ${kind} with the hint ${hint} ends its session`, async (t) => {
      const { url, newMember, signIn, refresh, me, audited } = await startTestApp(t)
      const { system, user } = await newMember()
      const [tokens, other] = [await signIn(system, user), await signIn(system, user)]
      const { access_token, refresh_token = '' } = tokens
      const more: Record<string, string> = hint ? { token_type_hint: hint } : {}

      const revoked = await revoke(url, system, tokens[kind] ?? '', more)

      assert.deepEqual([revoked.status, revoked.body], [200, undefined])
      assert.equal((await me(access_token)).status, 401)
      assert.deepEqual(gist(await refresh(system, refresh_token)), [400, 'invalid_grant'])
      for (const each of [access_token, refresh_token])
        assert.deepEqual((await introspect(url, system, each)).body, { active: false })
      assert.deepEqual(
        [(await me(other.access_token)).status, (await refresh(system, other.refresh_token ?? '')).status],
        [200, 200],
      )
      const entries = await audited({ targetId: claimsOf(access_token).sid, action: 'session.ended' })
      assert.deepEqual(
        entries.map((entry) => entry.changes),
        [{ reason: [null, 'token_revoked'] }],
      )
    })
  }
}

test('P35: a revoked service token is invalid, other tokens of the system remain valid', async (t) => {
  const { url, newSystem, serviceOf } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const [one, other] = [await serviceOf(system), await serviceOf(system)]
  const path = `/admin/systems/${system.id}`
  const before = [(await one.get(path)).status, (await introspect(url, system, one.token)).body.active]

  const revoked = [await revoke(url, system, one.token), await revoke(url, system, one.token)]

  assert.deepEqual(before, [200, true])
  assert.deepEqual(
    revoked.map((answer) => [answer.status, answer.body]),
    revoked.map(() => [200, undefined]),
  )
  assert.deepEqual(
    [(await one.get(path)).status, (await introspect(url, system, one.token)).body],
    [401, { active: false }],
  )
  assert.deepEqual(
    [(await other.get(path)).status, (await introspect(url, system, other.token)).body.active],
    [200, true],
  )
})

test('P35: revoking an unknown or invalid token is answered 200', async (t) => {
  const { url, newMember, signIn, refresh } = await startTestApp(t)
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  await revoke(url, system, tokens.refresh_token ?? '')
  const [head, claims] = tokens.access_token.split('.')

  const unknown = [
    'unknown',
    'a.b.c',
    '...',
    `${head}.${claims}.AAAA`,
    tokens.id_token,
    tokens.access_token,
    tokens.refresh_token ?? '',
    '\0',
    'x'.repeat(10_000),
  ]

  for (const token of unknown)
    assert.deepEqual(gist(await revoke(url, system, token)), [200, undefined], token.slice(0, 40))
  assert.deepEqual(gist(await refresh(system, tokens.refresh_token ?? '')), [400, 'invalid_grant'])
})

test('P20, P35: only its own client can revoke a token', async (t) => {
  const { url, newMember, newSystem, signIn, serviceOf, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember({ allowClientCredentials: true })
  const other = await newSystem()
  const tokens = await signIn(system, user)
  const service = await serviceOf(system)
  const each = [tokens.access_token, tokens.refresh_token ?? '', service.token]

  const foreign = await Promise.all(each.map((token) => revoke(url, other, token)))
  const anonymous = await Promise.all(each.map((token) => revoke(url, undefined, token)))
  const wrongSecret = await Promise.all(
    each.map((token) => revoke(url, { ...system, clientSecret: 'wrong' }, token)),
  )
  const named = await Promise.all(
    each.map((token) => revoke(url, undefined, token, { client_id: system.clientId })),
  )

  assert.deepEqual(new Set(foreign.map((answer) => answer.status)), new Set([200]))
  assert.deepEqual(new Set(anonymous.map((answer) => gist(answer).join())), new Set(['401,invalid_client']))
  assert.deepEqual(
    new Set([...wrongSecret, ...named].map((answer) => gist(answer).join())),
    new Set(['401,invalid_client']),
  )
  assert.equal((await me(tokens.access_token)).status, 200)
  assert.equal((await refresh(system, tokens.refresh_token ?? '')).status, 200)
  assert.equal((await service.get(`/admin/systems/${system.id}`)).status, 200)
})

test('P35: a revocation with no token or two is an error', async (t) => {
  const { url, newMember, signIn, me } = await startTestApp(t)
  const { system, user } = await newMember()
  const { access_token, refresh_token = '' } = await signIn(system, user)
  const json = (body: unknown) =>
    newBrowser(url).request('/token/revocation', {
      method: 'POST',
      headers: {
        authorization: basicAuth(system),
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(body),
    })

  const refused = [
    await ask(url, '/token/revocation', system, ''),
    await ask(url, '/token/revocation', system, 'token='),
    await ask(url, '/token/revocation', system, `token=${refresh_token}&token=${access_token}`),
    await ask(url, '/token/introspection', system, `token=${refresh_token}&token=${refresh_token}`),
    await json({ token: [refresh_token, 'x'] }),
    await json({ token: { $ne: null } }),
    await json({}),
  ]
  const before = await me(access_token)
  const done = await json({ token: refresh_token })

  assert.deepEqual(
    refused.map(gist),
    refused.map(() => [400, 'invalid_request']),
  )
  assert.equal(before.status, 200)
  assert.deepEqual([done.status, (await me(access_token)).status], [200, 401])
})

test('introspection reports only tokens of the calling system as active', async (t) => {
  const { url, newMember, newSystem, signIn, serviceOf } = await startTestApp(t)
  const { system, user } = await newMember({ allowClientCredentials: true })
  const other = await newSystem({ allowClientCredentials: true })
  const { access_token, refresh_token = '' } = await signIn(system, user)
  const service = (await serviceOf(system)).token
  const each = [access_token, refresh_token, service]

  const own = await Promise.all(each.map((token) => introspect(url, system, token)))
  const foreign = await Promise.all(each.map((token) => introspect(url, other, token)))
  const outsiders = [
    await introspect(url, undefined, access_token),
    await introspect(url, { ...system, clientSecret: 'x' }, access_token),
  ]

  assert.deepEqual(
    own.map(({ status, body }) => [status, body.active, body.client_id, body.sub]),
    [
      [200, true, system.clientId, user.id],
      [200, true, system.clientId, user.id],
      [200, true, system.clientId, own[2]?.body.sub],
    ],
  )
  assert.deepEqual(
    [own[0]?.body.exp, own[0]?.body.iss, own[0]?.body.token_type],
    [claimsOf(access_token).exp, url, 'Bearer'],
  )
  assert.equal(own[0]?.body.scope, 'openid email profile offline_access')
  const { account_id, membership_id, roles, is_admin, permissions } = claimsOf(access_token)
  for (const { body } of own.slice(0, 2))
    assert.deepEqual(
      [body.account_id, body.membership_id, body.roles, body.is_admin, body.permissions],
      [account_id, membership_id, roles, is_admin, permissions],
    )
  assert.deepEqual([own[2]?.body.is_admin, own[2]?.body.roles], [true, []])
  assert.deepEqual(
    foreign.map(({ status, body }) => [status, body]),
    foreign.map(() => [200, { active: false }]),
  )
  assert.deepEqual(outsiders.map(gist), [
    [401, 'invalid_client'],
    [401, 'invalid_client'],
  ])
})

test('P20: a system introspects the access tokens of another that names it, until it is no longer named', async (t) => {
  const { url, newMember, newSystem, signIn, serviceOf, platform } = await startTestApp(t)
  const [api, other] = [await newSystem(), await newSystem()]
  const { system, user } = await newMember({
    allowClientCredentials: true,
    introspectableBy: [api.clientId],
  })
  const { access_token, refresh_token = '', id_token } = await signIn(system, user)
  const service = await serviceOf(system)
  const each = [access_token, service.token, refresh_token, id_token]
  const seenBy = (by: System) =>
    Promise.all(each.map(async (token) => (await introspect(url, by, token)).body))

  const named = await seenBy(api)
  const unnamed = await seenBy(other)
  // naming is not mutual
  const own = await introspect(url, system, (await signIn(api, await memberOf(api))).access_token)
  const changed = await service.patch(`/admin/systems/${system.id}`, { introspectableBy: [other.clientId] })
  const after = await Promise.all([seenBy(api), seenBy(other)])

  assert.deepEqual(
    named.map(({ active, client_id }) => [active, client_id]),
    [
      [true, system.clientId],
      [true, system.clientId],
      [false, undefined],
      [false, undefined],
    ],
  )
  assert.deepEqual([named[0].sub, named[0].account_id], [user.id, claimsOf(access_token).account_id])
  assert.deepEqual([...unnamed, own.body], Array(5).fill({ active: false }))
  assert.deepEqual([changed.status, changed.body.introspectableBy], [200, [other.clientId]])
  assert.deepEqual(
    after.map((bodies) => bodies.map(({ active }) => active)),
    [
      [false, false, false, false],
      [true, true, false, false],
    ],
  )

  async function memberOf({ id }: { id: string }) {
    const member = await platform.post('/admin/users', {
      email: `reader-${crypto.randomUUID()}@example.test`,
      password: PASSWORD,
    })
    await platform.post('/admin/memberships', { userId: member.body.id, systemId: id })
    return member.body
  }
})

test('only confidential clients that exist can be named in introspectableBy', async (t) => {
  const { newSystem, platform } = await startTestApp(t)
  const [api, app, gone] = [await newSystem(), await newSystem({ clientType: 'public' }), await newSystem()]
  const system = await newSystem({ introspectableBy: [api.clientId, gone.clientId] })
  const path = `/admin/systems/${system.id}`
  const set = async (introspectableBy: string[]) => {
    const { status, body } = await platform.patch(path, { introspectableBy })
    return [status, ...(body.errors ?? []).map((fault: { path: string }) => fault.path)]
  }

  const refused = [
    await set([api.clientId, 'unknown']),
    await set([app.clientId, api.clientId]),
    await set([api.id]),
    await set([api.clientId, api.clientId]),
    await set(Array.from({ length: 21 }, (_, n) => `sys_${n}`)),
  ]
  await platform.delete(`/admin/systems/${gone.id}`)
  const kept = await set([gone.clientId, api.clientId])

  assert.deepEqual(refused, [
    [400, '/introspectableBy/1'],
    [400, '/introspectableBy/0'],
    [400, '/introspectableBy/0'],
    [400, '/introspectableBy'],
    [400, '/introspectableBy'],
  ])
  assert.deepEqual(kept, [200])
})

test('introspection by the platform service covers all tokens, by the console its own', async (t) => {
  const { url, newMember, signIn, platform } = await startTestApp(t)
  const { system, user } = await newMember()
  const { access_token, refresh_token = '' } = await signIn(system, user)
  const own = await platform.get('/admin/systems?pageSize=100&search=Tenantry')
  const console = own.body.data.find(
    (each: { platform: boolean; clientType: string }) => each.platform && each.clientType === 'public',
  )

  const claimed = await Promise.all(
    [access_token, refresh_token, platform.token].map((token) =>
      ask(url, '/token/introspection', undefined, { token, client_id: console.clientId }),
    ),
  )

  assert.deepEqual(
    claimed.map(({ status, body }) => [status, body]),
    claimed.map(() => [200, { active: false }]),
  )
})

test('introspection reports used, revoked and other tokens as inactive', async (t) => {
  const { url, newMember, signIn, authorize, serviceOf, refresh, platform } = await startTestApp(t)
  const { system, user, membership } = await newMember({ allowClientCredentials: true })
  const tokens = await signIn(system, user)
  const service = (await serviceOf(system)).token
  const { back } = await authorize(system, { email: user.email, visitor: tokens.visitor })
  const next = (await refresh(system, tokens.refresh_token ?? '')).body
  const active = async (token: string) => (await introspect(url, system, token)).body.active

  const noTokens = [
    tokens.refresh_token ?? '',
    tokens.id_token,
    back.code ?? '',
    'unknown',
    'a.b.c',
    system.clientId,
  ]
  const dead = await Promise.all(noTokens.map(active))
  await platform.patch(`/admin/systems/${system.id}`, { allowClientCredentials: false })
  await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const ended = await Promise.all(
    [next.access_token, next.refresh_token, tokens.access_token, service].map(active),
  )

  assert.deepEqual(
    [...dead, ...ended],
    [...dead, ...ended].map(() => false),
  )
})
