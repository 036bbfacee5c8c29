import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Bob, the administrator of an account, signed in to two systems in one browser, with consent to both. */
async function bobSignedIn(app: App) {
  const { newSystem, newUser, newMembership, newRole, signIn } = app
  const [system, elsewhere] = [await newSystem(), await newSystem()]
  const role = await newRole(system.id, { name: 'owner', isAdmin: true, scopes: ['orders:write'] })
  const bob = await newUser()
  const membership = await newMembership({ userId: bob.id, systemId: system.id, roles: [role.id] })
  await newMembership({ userId: bob.id, systemId: elsewhere.id })
  const tokens = await signIn(system, { email: bob.email })
  const others = await signIn(elsewhere, { email: bob.email, visitor: tokens.visitor })
  const code = await app.authorize(system, { email: bob.email, visitor: tokens.visitor })
  return { system, elsewhere, role, bob, membership, tokens, others, code }
}

type Signed = Awaited<ReturnType<typeof bobSignedIn>>

const redeem = ({ token }: App, { system, code }: Signed) =>
  token(system, {
    grant_type: 'authorization_code',
    code: code.back.code!,
    redirect_uri: system.redirectUris[0],
    code_verifier: code.pkce.verifier,
  })

/** Bob's remaining access to the system: status and error code of each kind of access. */
async function leftOf(app: App, signed: Signed) {
  const { system, tokens, bob } = signed
  const me = await app.me(tokens.access_token)
  const admin = await app.as(tokens.access_token).get('/admin/memberships')
  const code = await redeem(app, signed)
  const refresh = await app.refresh(system, tokens.refresh_token!)
  const silent = await app.authorize(system, {
    email: bob.email,
    visitor: tokens.visitor,
    parameters: { prompt: 'none' },
  })
  return {
    me: me.status,
    admin: admin.status,
    code: code.body.error,
    refresh: refresh.body.error,
    silent: silent.back.error,
  }
}

const GONE = { me: 401, admin: 401, code: 'invalid_grant', refresh: 'invalid_grant' }

test('P21: blocking a membership ends all its access at once, in that system only', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  const answer = await app.platform.patch(`/admin/memberships/${signed.membership.id}`, { status: 'blocked' })

  assert.equal(answer.status, 200)
  const { silent, ...left } = await leftOf(app, signed)
  assert.deepEqual(left, GONE)
  assert.equal(silent, 'login_required')
  assert.equal((await app.me(signed.others.access_token)).status, 200)
  assert.equal((await app.refresh(signed.elsewhere, signed.others.refresh_token!)).status, 200)
  const types = (await app.findEvents({ membershipId: signed.membership.id })).map((event) => event.type)
  assert.deepEqual(types, ['user.access_granted', 'session.ended', 'user.access_blocked'])
})

test('P21: a blocked user gets a message after the password, the client access_denied', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, membership } = await bobSignedIn(app)
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })

  const { back } = await app.authorize(system, { email: bob.email })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'active' })
  const restored = await app.signIn(system, { email: bob.email })

  assert.deepEqual([back.error, back.code], ['access_denied', undefined])
  assert.equal((await app.me(restored.access_token)).status, 200)
})

test('P21: access from before a block stays revoked after it is lifted', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)
  await app.platform.patch(`/admin/memberships/${signed.membership.id}`, { status: 'blocked' })

  await app.platform.patch(`/admin/memberships/${signed.membership.id}`, { status: 'active' })

  const { silent, ...left } = await leftOf(app, signed)
  assert.deepEqual(left, GONE)
  assert.equal(silent, 'login_required')
})

test('P21: deleting a membership ends access with one user.access_revoked', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  const answer = await app.platform.delete(`/admin/memberships/${signed.membership.id}`)

  assert.equal(answer.status, 204)
  const { silent, ...left } = await leftOf(app, signed)
  assert.deepEqual(left, GONE)
  assert.equal(silent, 'login_required')
  assert.equal((await app.me(signed.others.access_token)).status, 200)
  assert.equal((await app.findEvents({ userId: signed.bob.id, type: 'user.access_revoked' })).length, 1)
})

test('P21: a new membership does not revive the access of the old one', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)
  await app.platform.delete(`/admin/memberships/${signed.membership.id}`)

  const again = await app.newMembership({ userId: signed.bob.id, systemId: signed.system.id })

  assert.equal(again.accountId, signed.membership.accountId)
  const { silent, ...left } = await leftOf(app, signed)
  assert.deepEqual(left, GONE)
  assert.equal(silent, 'login_required')
})

test('P21: disabling a user ends every session in every system and blocks the password', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  await app.platform.patch(`/admin/users/${signed.bob.id}`, { disabled: true })

  assert.deepEqual(await leftOf(app, signed), { ...GONE, silent: 'login_required' })
  assert.equal((await app.me(signed.others.access_token)).status, 401)
  assert.equal(
    (await app.refresh(signed.elsewhere, signed.others.refresh_token!)).body.error,
    'invalid_grant',
  )
  const { page } = await app.authorize(signed.system, { email: signed.bob.email })
  assert.equal(page.status, 401)
  assert.deepEqual(await app.findEvents({ userId: signed.bob.id, type: 'user.access_revoked' }), [])
})

test('P21: deleting a user ends everything and notifies every system', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  await app.platform.delete(`/admin/users/${signed.bob.id}`)

  assert.deepEqual(await leftOf(app, signed), { ...GONE, silent: 'login_required' })
  assert.equal((await app.me(signed.others.access_token)).status, 401)
  const recorded = await app.findEvents({ userId: signed.bob.id, type: 'user.access_revoked' })
  assert.deepEqual(
    new Set(recorded.map((event) => event.systemId)),
    new Set([signed.system.id, signed.elsewhere.id]),
  )
})

test('P21: deleting a role takes effect at /admin at once, in tokens at the next refresh', async (t) => {
  const app = await startTestApp(t)
  const { system, role, tokens } = await bobSignedIn(app)

  await app.platform.delete(`/admin/systems/${system.id}/roles/${role.id}?force=true`)

  assert.equal((await app.as(tokens.access_token).get('/admin/memberships')).status, 403)
  assert.deepEqual(rightsIn((await app.me(tokens.access_token)).body), {
    roles: [],
    is_admin: false,
    permissions: [],
  })
  const next = await app.refresh(system, tokens.refresh_token!)
  assert.deepEqual(rightsIn(decodeJwt(next.body.access_token)), {
    roles: [],
    is_admin: false,
    permissions: [],
  })
})

test('P21: deleting a system ends its tokens at once and no other session', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  await app.platform.delete(`/admin/systems/${signed.system.id}`)

  assert.equal((await app.me(signed.tokens.access_token)).status, 401)
  assert.equal((await app.as(signed.tokens.access_token).get('/admin/memberships')).status, 401)
  assert.equal((await app.refresh(signed.system, signed.tokens.refresh_token!)).body.error, 'invalid_client')
  assert.equal((await app.me(signed.others.access_token)).status, 200)
  const silent = await app.authorize(signed.elsewhere, {
    email: signed.bob.email,
    visitor: signed.tokens.visitor,
    parameters: { prompt: 'none' },
  })
  assert.ok(silent.back.code)
})

test('P21: set-password ends every session of the user in every browser', async (t) => {
  const app = await startTestApp(t)
  const signed = await bobSignedIn(app)

  await app.platform.post(`/admin/users/${signed.bob.id}/set-password`, { password: 'another horse battery' })

  assert.deepEqual(await leftOf(app, signed), { ...GONE, silent: 'login_required' })
  assert.equal((await app.me(signed.others.access_token)).status, 401)
})

test('P22: a change of roles is in the next token, by silent sign-in and by refresh', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, role, membership, tokens } = await bobSignedIn(app)
  const clerk = await app.newRole(system.id, { name: 'clerk', scopes: ['orders:read'] })

  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [clerk.id] })
  const down = await app.refresh(system, tokens.refresh_token!)
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { add: [role.id] })
  const up = await app.signIn(system, {
    email: bob.email,
    visitor: tokens.visitor,
    parameters: { prompt: 'none' },
  })

  assert.deepEqual(rightsIn(decodeJwt(down.body.access_token)), {
    roles: ['clerk'],
    is_admin: false,
    permissions: ['orders:read'],
  })
  assert.deepEqual(rightsIn(decodeJwt(up.access_token)), {
    roles: ['clerk', 'owner'],
    is_admin: true,
    permissions: ['orders:read', 'orders:write'],
  })
})

test('P21: a membership deleted during its sign-in leaves no session', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()

  for (let round = 0; round < 10; round++) {
    const user = await app.newUser()
    const membership = await app.newMembership({ userId: user.id, systemId: system.id })
    const visitor = app.newBrowser()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const consent = await visitor.follow(
      await visitor.submit(page, { email: user.email, password: PASSWORD }),
    )

    const [back, gone] = await Promise.all([
      visitor.submit(consent).then(visitor.follow),
      app.platform.delete(`/admin/memberships/${membership.id}`),
    ])

    assert.deepEqual([back.status, gone.status], [303, 204])
    const { code, error } = Object.fromEntries(new URL(back.headers.get('location') ?? '').searchParams)
    assert.ok(code !== undefined || error === 'access_denied', JSON.stringify({ code, error }))
    assert.deepEqual(await app.db.select().from(sessions).where(eq(sessions.userId, user.id)), [])
  }
})

test('P22: a renamed or demoted role takes effect at /admin at once', async (t) => {
  const app = await startTestApp(t)
  const { system, role, tokens } = await bobSignedIn(app)
  const asBob = app.as(tokens.access_token)
  const before = await asBob.get('/admin/memberships')

  await app.platform.patch(`/admin/systems/${system.id}/roles/${role.id}`, {
    name: 'former owner',
    isAdmin: false,
  })

  const next = await app.refresh(system, tokens.refresh_token!)
  assert.deepEqual([before.status, (await asBob.get('/admin/memberships')).status], [200, 403])
  assert.deepEqual(rightsIn(decodeJwt(next.body.access_token)), {
    roles: ['former owner'],
    is_admin: false,
    permissions: ['orders:write'],
  })
})

test('P22: an old token gains /admin access as soon as the role is assigned', async (t) => {
  const app = await startTestApp(t)
  const { system, role, membership, bob } = await bobSignedIn(app)
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [] })
  const { access_token } = await app.signIn(system, { email: bob.email })
  const before = await app.as(access_token).get('/admin/memberships')

  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })

  const after = await app.as(access_token).get('/admin/memberships')
  assert.deepEqual([before.status, after.status], [403, 200])
})

const rightsIn = ({ roles, is_admin, permissions }: Record<string, unknown>) => ({
  roles,
  is_admin,
  permissions,
})
