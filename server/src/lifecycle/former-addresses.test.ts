/** What was decided against a user who has moved to another address, for the next user of the former one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeAddress } from '../../test/support/change-address.ts'
import { newAddress } from '../../test/support/invitations.ts'
import { csrfOf, signInToAccount } from '../../test/support/organizations.ts'
import { type Driver, startTestApp } from '../../test/support/testing.ts'

const OPEN = { allowClientCredentials: true, skipConsent: true }

/**
 * A user whom the system of an organization has blocked there, and who has changed the address. `single`: the
 * system has blocked the personal account; `off`: it has disabled the user; `all`: the platform has blocked
 * the user.
 */
async function movedUser(app: Driver) {
  const [team, all] = [
    await app.newSystem({ ...OPEN, multiAccount: true }),
    await app.newSystem({ ...OPEN, multiAccount: true }),
  ]
  const [single, off] = [await app.newSystem(OPEN), await app.newSystem(OPEN)]
  const [ofTeam, ofSingle, ofOff] = [
    await app.serviceOf(team),
    await app.serviceOf(single),
    await app.serviceOf(off),
  ]
  const user = await app.newUser()
  const member = async (systemId: string) => app.newMembership({ userId: user.id, systemId })
  const [inTeam, inAll, inSingle] = [await member(team.id), await member(all.id), await member(single.id)]
  await member(off.id)
  const block = { status: 'blocked' }
  const answers = [
    await ofTeam.patch(`/admin/memberships/${inTeam.id}`, block),
    await app.platform.patch(`/admin/memberships/${inAll.id}`, block),
    await ofSingle.patch(`/admin/memberships/${inSingle.id}`, block),
    await ofOff.patch(`/admin/users/${user.id}`, { disabled: true }),
  ]
  for (const { status } of answers) assert.equal(status, 200)
  const former = String(user.email)
  const present = newAddress()
  assert.equal(await changeAddress(app, former, present), 200)
  return { user, former, present, inTeam, ofTeam, ofOff, systems: { team, all, single, off } }
}

type Moved = Awaited<ReturnType<typeof movedUser>>

/** What stands against a user: the ranks of the blocks, and whether `off` has disabled the user. */
async function decisionsOf(app: Driver, { systems }: Moved, id: string) {
  const blocked = await app.db.execute(
    `select b.system_id, b.set_by, a.kind from blocks b join accounts a on a.id = b.account_id where b.user_id = '${id}'`,
  )
  const { rows } = blocked as { rows: { system_id: string; set_by: string; kind: string }[] }
  const { rows: disabled } = (await app.db.execute(
    `select 1 from system_users where user_id = '${id}' and system_id = '${systems.off.id}' and disabled`,
  )) as { rows: object[] }
  const names = Object.fromEntries(Object.entries(systems).map(([name, { id }]) => [id, name]))
  return [
    ...rows.map(({ system_id, set_by, kind }) => `${names[system_id]} ${set_by} ${kind}`),
    ...disabled.map(() => 'off'),
  ].sort()
}

const EVERYTHING = ['all platform organization', 'off', 'single system personal', 'team system organization']
/** The next user of an address. */
async function again(app: Driver, email: string): Promise<string> {
  const { id, userId } = (await app.platform.post('/admin/users', { email })).body
  return String(id ?? userId)
}

async function deleteProfile(app: Driver, email: string): Promise<number> {
  const { browser, page } = await signInToAccount(app, email)
  return (await browser.post('/account/delete', { csrf: csrfOf(page) })).status
}

test('P51: a user who changes the address sheds nothing: what stands applies to the next user of the former one', async (t) => {
  const app = await startTestApp(t)
  const moved = await movedUser(app)

  const next = await decisionsOf(app, moved, await again(app, moved.former))
  const own = await decisionsOf(app, moved, moved.user.id)

  assert.deepEqual(next, EVERYTHING)
  assert.deepEqual(own, EVERYTHING)
})

test('P51: a user who changes the address and then deletes the profile returns with neither address', async (t) => {
  const app = await startTestApp(t)
  const moved = await movedUser(app)

  const status = await deleteProfile(app, moved.present)
  const [former, present] = [await again(app, moved.former), await again(app, moved.present)]

  assert.equal(status, 200)
  assert.deepEqual(await decisionsOf(app, moved, former), EVERYTHING)
  assert.deepEqual(await decisionsOf(app, moved, present), EVERYTHING)
})

test('a decision that was lifted does not apply to the next user of a former address', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = [await movedUser(app), await movedUser(app)]
  for (const { ofTeam, ofOff, inTeam, user } of [one, other]) {
    await ofTeam.patch(`/admin/memberships/${inTeam.id}`, { status: 'active' })
    await ofOff.patch(`/admin/users/${user.id}`, { disabled: false })
  }
  await deleteProfile(app, other.present)

  const left = ['all platform organization', 'single system personal']
  assert.deepEqual(await decisionsOf(app, one, await again(app, one.former)), left)
  assert.deepEqual(await decisionsOf(app, other, await again(app, other.former)), left)
})

test('nothing remains of a user whom the platform deletes; who returns to a former address has no more than before', async (t) => {
  const app = await startTestApp(t)
  const [gone, back] = [await movedUser(app), await movedUser(app)]
  await app.platform.delete(`/admin/users/${gone.user.id}`)
  const lifted = await back.ofTeam.patch(`/admin/memberships/${back.inTeam.id}`, { status: 'active' })

  const returned = await changeAddress(app, back.present, back.former)

  assert.deepEqual(await decisionsOf(app, gone, await again(app, gone.former)), [])
  assert.deepEqual([lifted.status, returned], [200, 200])
  assert.deepEqual(await decisionsOf(app, back, back.user.id), EVERYTHING.slice(0, 3))
})

test('P51: what the platform changes sheds nothing either, and no system launders a former address', async (t) => {
  const app = await startTestApp(t)
  const moved = await movedUser(app)
  const last = newAddress()
  await app.platform.patch(`/admin/users/${moved.user.id}`, { email: last })
  const other = await app.serviceOf(await app.newSystem(OPEN))

  const laundered = await other.post('/admin/users', { email: moved.present })
  await other.delete(`/admin/users/${laundered.body.id}`)
  const next = await decisionsOf(app, moved, await again(app, moved.present))

  assert.equal(laundered.status, 201)
  assert.deepEqual(next, EVERYTHING)
})

test('P51: what was kept for an address raises a block of its new user and lowers none, and revokes invitations', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ ...OPEN, multiAccount: true })
  const service = await app.serviceOf(system)
  const role = await app.newRole(system.id, { isAdmin: true })
  const boss = await app.newUser()
  const { accountId } = await app.newMembership({ userId: boss.id, systemId: system.id, roles: [role.id] })
  const join = async (roles: string[] = []) => {
    const user = await app.newUser()
    return { ...user, member: (await app.newMembership({ userId: user.id, accountId, roles })).id }
  }
  const [admin, byPlatform, former, other] = [await join([role.id]), await join(), await join(), await join()]
  const account = app.as((await app.signIn(system, { email: admin.email })).access_token)
  const invited = await account.post(`/admin/accounts/${accountId}/invitations`, { email: newAddress() })
  await app.platform.patch(`/admin/memberships/${byPlatform.member}`, { status: 'blocked' })
  for (const { member, email } of [former, other]) {
    await service.patch(`/admin/memberships/${member}`, { status: 'blocked' })
    await changeAddress(app, email, newAddress())
  }

  const moved = [
    await changeAddress(app, admin.email, former.email),
    await changeAddress(app, byPlatform.email, other.email),
  ]
  const blockedBy = async ({ member }: { member: string }) =>
    (await service.get(`/admin/memberships/${member}`)).body.blockedBy
  const at = `/admin/accounts/${accountId}/invitations/${invited.body.id}`

  assert.deepEqual(moved, [200, 200])
  assert.deepEqual([await blockedBy(admin), await blockedBy(byPlatform)], ['system', 'platform'])
  assert.equal((await service.get(at)).body.status, 'revoked')
})
