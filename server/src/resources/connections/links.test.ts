/** The links of members to subjects at a connection, and the sessions that rest on them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  linkMember,
  newPlace,
  noteOpenedBy,
  noteTested,
  noteVerified,
} from '../../../test/support/connections.ts'
import { newName } from '../../../test/support/domains.ts'
import type { AdminClient, Answer } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Place = Awaited<ReturnType<typeof newPlace>>
type Link = { subject: string; userId: string; code: string | null }

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]

/** A member with a session that the connection has opened, and one of the own credentials. */
async function newMember(app: App, { system, accountId }: Place, connectionId: string) {
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, accountId })
  const open = async () => (await app.signIn(system as never, { email: user.email })).access_token
  const [own, byConnection] = [await open(), await open()]
  await noteOpenedBy(app, byConnection, connectionId)
  await linkMember(app, { accountId, connectionId, userId: user.id, email: user.email })
  const isOpen = async (token: string) => (await app.me(token)).status === 200
  return {
    user,
    membership,
    byConnection,
    link: `/admin/accounts/${accountId}/members/${membership.id}/link`,
    /** Whether the session by the connection and that by the own credentials go on. */
    open: async () => [await isOpen(byConnection), await isOpen(own)],
  }
}

const linksOf = async (client: AdminClient, path: string) => {
  const { data } = (await client.get(`${path}/links`)).body
  return data.map(({ userId }: Link) => userId).sort()
}

test('a system imports links of members with an address in a verified domain; each has a result', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const { service, accountId, add, admin } = place
  const connection = await add(service)
  const domain = newName()
  await noteVerified(app, accountId, `x@${domain}`)
  const member = async (email: string) => {
    const user = await app.newUser({ email })
    await app.newMembership({ userId: user.id, accountId })
    return user.id
  }
  const [one, two, three] = [
    await member(`one@${domain}`),
    await member(`two@${domain}`),
    await member(`three@${domain}`),
  ]
  const elsewhere = await member(`four@${newName()}`)
  const stranger = (await app.newUser({ email: `five@${domain}` })).id
  const send = async (links: object[], client = service) => client.post(`${connection.path}/links`, { links })

  const first = await send([
    { subject: 'a', userId: one.toUpperCase() },
    { subject: 'a', userId: two },
    { subject: 'b', userId: one },
    { subject: 'c', userId: elsewhere },
    { subject: 'd', userId: stranger },
    { subject: 'e', userId: three },
  ])
  const again = await send([
    { subject: 'a', userId: one },
    { subject: 'e', userId: two },
    { subject: 'f', userId: three },
  ])
  const refused = [
    await send([{ subject: 'g', userId: two }], admin),
    await send([]),
    await send(Array.from({ length: 1_001 }, (_, n) => ({ subject: `s${n}`, userId: two }))),
  ]

  const codes = ({ body }: Answer) => body.results.map(({ code }: Link) => code)
  assert.deepEqual(codes(first), [
    null,
    'link_taken',
    'link_exists',
    'address_foreign',
    'membership_not_found',
    null,
  ])
  assert.deepEqual(codes(again), [null, 'link_taken', 'link_exists'])
  assert.deepEqual(refused.map(outcomeOf), [
    [403, 'insufficient_authority'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
  ])
  assert.deepEqual(await linksOf(admin, connection.path), [one, three].sort())
  const entries = await app.audited({ targetId: connection.id, action: 'connection.linked' })
  assert.equal(entries.length, 2)
})

test('a membership names its connection, and a thousand links are imported at once', async (t) => {
  const app = await startTestApp(t)
  const { service, accountId, add, admin } = await newPlace(app)
  const connection = await add(service)
  const user = await app.newUser()
  const { id } = await app.newMembership({ userId: user.id, accountId })
  await noteVerified(app, accountId, user.email)
  const read = async () => (await admin.get(`/admin/memberships/${id}`)).body
  const before = await read()
  const links = Array.from({ length: 1_000 }, (_, n) => ({ subject: `s${n}`, userId: user.id }))

  const { status, body } = await service.post(`${connection.path}/links`, { links })

  const after = await read()
  const listed = (await admin.get(`/admin/accounts/${accountId}/members`)).body.data
  assert.equal(status, 200)
  assert.equal(body.results.filter(({ code }: Link) => code === 'link_exists').length, 999)
  assert.deepEqual([before.connection, before.confirmEntry], [null, false])
  assert.deepEqual(after.connection, { id: connection.id, name: connection.name })
  assert.ok(listed.some((each: { id: string; connection: object }) => each.id === id && each.connection))
})

test('P155: what ends a connection ends the sessions that it has opened, and no other', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const acts: Record<string, (path: string) => Promise<Answer>> = {
    connection_disabled: (path) => place.service.patch(path, { enabled: false }),
    connection_removed: (path) => place.service.delete(path),
    connection_sessions_ended: (path) => place.service.delete(`${path}/sessions`),
    connection_unlinked: (path) => place.service.delete(`${path}/links`),
  }

  for (const [reason, act] of Object.entries(acts)) {
    const [one, other] = [await place.add(place.service), await place.add(place.service)]
    await noteTested(app, one.id)
    await place.service.patch(one.path, { enabled: true })
    const ofOne = await newMember(app, place, one.id)
    const ofOther = await newMember(app, place, other.id)
    const before = [await ofOne.open(), await ofOther.open()]

    const { status } = await act(one.path)

    assert.ok(status < 300, `${reason}: ${status}`)
    assert.deepEqual(before.flat(), [true, true, true, true], reason)
    assert.deepEqual(await ofOne.open(), [false, true], reason)
    assert.deepEqual(await ofOther.open(), [true, true], reason)
    const events = await app.findEvents({ userId: ofOne.user.id, type: 'session.ended' })
    assert.deepEqual(
      events.map(({ data }) => data.reason),
      [reason],
    )
    for (const { path } of [one, other]) await place.service.delete(path)
  }
})

test('the end of the link of a member ends the sessions that rest on it, and the next sign-in may link again', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const { service, admin, accountId, system } = place
  // Otherwise the reserved role would end the session of the other member.
  const connection = await place.add(service, { reservedRoles: true })
  await service.patch(connection.path, { setBy: 'account' })
  const [one, other] = [
    await newMember(app, place, connection.id),
    await newMember(app, place, connection.id),
  ]
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false })
  await app.platform.patch(`/admin/memberships/${other.membership.id}/roles`, { add: [reserved.id] })
  const elsewhere = await newPlace(app)

  const refused = [
    await admin.delete(other.link),
    await elsewhere.admin.delete(one.link),
    await admin.delete(one.link.replace(accountId, elsewhere.accountId)),
    await app.platform.delete(one.link.replace(accountId, elsewhere.accountId)),
  ]
  const ended = [await admin.delete(one.link), await admin.delete(one.link)]

  assert.deepEqual(refused.map(outcomeOf), [
    [403, 'insufficient_authority'],
    [404, 'membership_not_found'],
    [404, 'membership_not_found'],
    [404, 'membership_not_found'],
  ])
  assert.deepEqual(
    ended.map(({ status }) => status),
    [204, 204],
  )
  assert.deepEqual(await one.open(), [false, true])
  assert.deepEqual(await other.open(), [true, true])
  assert.deepEqual(await linksOf(admin, connection.path), [other.user.id])
  const entries = await app.audited({ targetId: connection.id, action: 'connection.unlinked' })
  assert.equal(entries.length, 1)
})

test('P73: the admin of an account ends neither links nor sessions of a connection that the system has set up', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const [theirs, own] = [await place.add(place.service), await place.add(place.admin)]

  const refused = [
    await place.admin.delete(`${theirs.path}/links`),
    await place.admin.delete(`${theirs.path}/sessions`),
  ]
  const done = [
    await place.admin.delete(`${own.path}/links`),
    await place.admin.delete(`${own.path}/sessions`),
  ]

  assert.deepEqual(refused.map(outcomeOf), [
    [403, 'insufficient_authority'],
    [403, 'insufficient_authority'],
  ])
  assert.deepEqual(
    done.map(({ status, body }) => [status, body?.ended]),
    [
      [204, undefined],
      [200, 0],
    ],
  )
})

test('P73: the link of one member at a connection that the system has set up is for the system alone', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const { admin, service, accountId } = place
  const [theirs, own] = [await place.add(service), await place.add(admin)]
  const one = await newMember(app, place, theirs.id)
  const both = await newMember(app, place, theirs.id)
  await linkMember(app, { accountId, connectionId: own.id, userId: both.user.id, email: both.user.email })

  const answers = [await admin.delete(one.link), await admin.delete(both.link)]
  const left = [await linksOf(admin, theirs.path), await linksOf(admin, own.path)]
  const open = [await one.open(), await both.open()]
  const bySystem = await service.delete(one.link)

  assert.deepEqual(answers.map(outcomeOf), [
    [403, 'insufficient_authority'],
    [204, undefined],
  ])
  assert.deepEqual(left, [[one.user.id, both.user.id].sort(), []])
  assert.deepEqual(open, Array(2).fill([true, true]))
  assert.equal(bySystem.status, 204)
  assert.deepEqual(await linksOf(admin, theirs.path), [both.user.id])
})

test('a link ends with its membership', async (t) => {
  const app = await startTestApp(t)
  const place = await newPlace(app)
  const connection = await place.add(place.service)
  const { membership } = await newMember(app, place, connection.id)

  await place.service.delete(`/admin/memberships/${membership.id}`)

  assert.deepEqual(await linksOf(place.service, connection.path), [])
})
