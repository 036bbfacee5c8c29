/**
 * Reserved roles and sign-ins by a connection: what decides is the role that the member has, whichever way it
 * came.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { changeAddress } from '../../../test/support/change-address.ts'
import { linkMember } from '../../../test/support/connections.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { invitationLinkTo } from '../../../test/support/invitations.ts'
import {
  backOf,
  type Started,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { and, eq } from '../../database/drizzle.ts'
import { connectionLinks, memberships, users } from '../../database/schema.ts'

type Roles = { id: string; name: string }

/** A connection that adds members, and a role that admins of the organization do not assign. */
async function newPlace(t: Parameters<typeof startConnection>[0], fields: object = {}) {
  const place = await startConnection(t, { jit: true, ...fields })
  const { app, system } = place
  const reserved = (await app.newRole(system.id, { assignableByAccountAdmins: false })) as unknown as Roles
  const path = `/admin/accounts/${place.accountId}/connections/${place.connection.id}`
  const allow = async (reservedRoles: boolean) =>
    expectStatus(await place.service.patch(path, { reservedRoles }), 200)
  return { ...place, reserved, path, allow }
}
type Place = Awaited<ReturnType<typeof newPlace>>

const isIn = async (place: Started, subject: string, email: string) =>
  Boolean((await signInAs(place, place.person(subject, { email }))).back.code)

/** Each makes a user of the address a member with the reserved role, and returns the subject. */
const WAYS: Record<string, (place: Place, email: string) => Promise<string>> = {
  'an invitation that the sign-in accepts': async ({ service, accountId, reserved }, email) => {
    const invitation = { email, roles: [reserved.id] }
    expectStatus(await service.post(`/admin/accounts/${accountId}/invitations`, invitation), 201)
    return 'one'
  },
  'an invitation that the user has accepted': async ({ app, service, accountId, reserved }, email) => {
    const invitation = { email, roles: [reserved.id] }
    expectStatus(await service.post(`/admin/accounts/${accountId}/invitations`, invitation), 201)
    const browser = app.newBrowser()
    const page = await browser.follow(await browser.get(await invitationLinkTo(app, email)))
    await browser.submit(page, { password: 'my very own words', decision: 'register' })
    const members = await app.db.select().from(memberships).where(eq(memberships.email, email))
    assert.equal(members.length, 1)
    return 'two'
  },
  'an import of members and links': async (place, email) => {
    const { service, accountId, reserved, system, path } = place
    const user = expectStatus(await service.post('/admin/users', { email }), 201).body
    const member = { userId: user.id, systemId: system.id, accountId, roles: [reserved.id] }
    expectStatus(await service.post('/admin/memberships', member), 201)
    const { body } = await service.post(`${path}/links`, { links: [{ subject: 'three', userId: user.id }] })
    assert.deepEqual(body.results, [{ subject: 'three', userId: user.id, code: null }])
    return 'three'
  },
  'a merge of two users': async (place, email) => {
    const { app, service, accountId, reserved, system, connection } = place
    const other = expectStatus(await service.post('/admin/users', { email }), 201).body
    const member = { userId: other.id, systemId: system.id, accountId, roles: [reserved.id] }
    expectStatus(await service.post('/admin/memberships', member), 201)
    await linkMember(app, {
      accountId,
      userId: other.id,
      email,
      connectionId: connection.id,
      subject: 'four',
    })
    const owner = await app.newUser()
    assert.equal(await changeAddress(app, owner.email, email), 200)
    const [link] = await app.db.select().from(connectionLinks).where(eq(connectionLinks.subject, 'four'))
    assert.equal(link?.userId, owner.id)
    return 'four'
  },
}

for (const [name, give] of Object.entries(WAYS))
  test(`P139: a connection signs in nobody with a reserved role that came by ${name}`, async (t) => {
    const place = await newPlace(t)
    const { app, attempts, allow, connection } = place
    const email = `${crypto.randomUUID()}@${place.name}`
    const subject = await give(place, email)
    const linksOf = () =>
      app.db.select().from(connectionLinks).where(eq(connectionLinks.connectionId, connection.id))
    const [usersBefore, linksBefore] = [
      await app.db.select().from(users).where(eq(users.email, email)),
      await linksOf(),
    ]

    const refused = await isIn(place, subject, email)
    const [last] = await attempts()
    const [usersAfter, linksAfter] = [
      await app.db.select().from(users).where(eq(users.email, email)),
      await linksOf(),
    ]
    await allow(true)
    const allowed = await isIn(place, subject, email)

    assert.deepEqual([refused, allowed], [false, true])
    assert.deepEqual(last, ['refused', 'reserved_role'])
    assert.deepEqual([usersAfter.length, linksAfter.length], [usersBefore.length, linksBefore.length])
  })

test('an invitation with a reserved role gives a member nothing, so that the session by the connection goes on', async (t) => {
  const place = await newPlace(t)
  const { app, person, service, accountId, reserved, system } = place
  const browser = app.newBrowser()
  const tokens = await tokensOf(place, await signInAs(place, person('ana'), browser))
  const { sub } = decodeJwt(tokens.access_token)

  const invitation = { email: person('ana').email, roles: [reserved.id] }
  await service.post(`/admin/accounts/${accountId}/invitations`, invitation)
  const again = await tokensOf(place, await signInAs(place, person('ana')))
  const [member] = await app.db
    .select()
    .from(memberships)
    .where(and(eq(memberships.userId, String(sub)), eq(memberships.accountId, accountId)))

  assert.deepEqual(decodeJwt(again.access_token).roles, [])
  assert.equal((await app.refresh(system as never, tokens.refresh_token!)).status, 200)
  assert.equal(member?.status, 'active')
})

test('P74: a connection gives reserved default roles only with reservedRoles, and never an admin or acting role', async (t) => {
  const place = await newPlace(t)
  const { app, person, service, system, path, reserved, allow } = place
  const plain = (await app.newRole(system.id)) as unknown as Roles
  const later = (await app.newRole(system.id)) as unknown as Roles
  const defaultRoles = [plain.id, reserved.id, later.id]
  expectStatus(await service.patch(path, { defaultRoles }), 200)
  const rolesOf = async (sub: string) => {
    const { access_token: token } = await tokensOf(place, await signInAs(place, person(sub)))
    return (decodeJwt(token).roles as string[]).toSorted()
  }
  const role = `/admin/systems/${system.id}/roles/${later.id}`

  const without = await rolesOf('ana')
  await allow(true)
  const all = await rolesOf('bob')
  expectStatus(await app.platform.patch(role, { isAdmin: true }), 200)
  const noAdmin = await rolesOf('cleo')
  const acting = { isAdmin: false, assignableByAccountAdmins: false, canActForMembers: true }
  expectStatus(await app.platform.patch(role, acting), 200)
  const noActing = await rolesOf('dora')
  await allow(false)
  const back = await signInAs(place, person('cleo'))
  const plainOnly = await rolesOf('eve')

  const named = (...roles: Roles[]) => roles.map(({ name }) => name).toSorted()
  assert.deepEqual(without, named(plain, later))
  assert.deepEqual(all, named(plain, reserved, later))
  assert.deepEqual(noAdmin, named(plain, reserved))
  assert.deepEqual(noActing, named(plain, reserved))
  assert.equal(backOf(back.end).code, undefined)
  assert.deepEqual(plainOnly, named(plain))
})
