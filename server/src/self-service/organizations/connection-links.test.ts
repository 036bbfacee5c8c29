/** The members that a connection knows, and its sessions, on the pages of an organization. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import { linkMember, noteOpenedBy, noteTested } from '../../../test/support/connections.ts'
import { newTeam, text } from '../../../test/support/organizations.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Team = Awaited<ReturnType<typeof newTeam>>

/** An organization with an enabled connection, of its admins or of the system, that knows two members. */
async function newLinked(t: TestContext, { isAbove = false } = {}) {
  const app = await startTestApp(t)
  const team = await newTeam(app, { organizationSso: 'account' })
  const { admin, accountId } = team
  const path = `/admin/accounts/${accountId}/connections`
  const { id } = (await app.platform.post(path, { name: 'Okta', kind: 'oidc' })).body
  const settings = { issuer: 'https://acme.okta.com', clientId: 'c', clientSecret: 'secret-of-acme' }
  await app.platform.patch(`${path}/${id}`, settings)
  await noteTested(app, id)
  await app.platform.patch(`${path}/${id}`, { enabled: true, ...(!isAbove && { setBy: 'account' }) })
  const [one, two] = [await newMember(app, team, id, 'one'), await newMember(app, team, id, 'two')]
  const at = `/sso/connections/${id}`
  const sent = async (act: string, fields: Record<string, string> = {}) =>
    admin.browser.follow(await admin.send(`${at}/${act}`, fields))
  const subjects = async () =>
    (await app.platform.get(`${path}/${id}/links`)).body.data
      .map(({ subject }: { subject: string }) => subject)
      .sort()
  return { app, ...team, id, at, one, two, sent, subjects }
}

/** A member with a session that the connection has opened, and one of the own credentials. */
async function newMember(app: App, { system, accountId }: Team, connectionId: string, subject: string) {
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, accountId })
  const open = async () => (await app.signIn(system as never, { email: user.email })).access_token
  const [own, byConnection] = [await open(), await open()]
  await noteOpenedBy(app, byConnection, connectionId)
  await linkMember(app, { accountId, connectionId, userId: user.id, email: user.email, subject })
  const isOpen = async (token: string) => (await app.me(token)).status === 200
  return {
    email: user.email,
    membershipId: String(membership.id),
    /** Whether the session by the connection and that by the own credentials go on. */
    open: async () => [await isOpen(byConnection), await isOpen(own)],
  }
}

test('an admin unlinks one member or all, which ends the sessions by the connection and no others', async (t) => {
  const { app, admin, id, at, one, two, sent, subjects } = await newLinked(t)

  const page = text(await admin.open(at))
  const list = text(await admin.open(`${at}/links`))
  const first = text(await sent('links/unlink', { member: one.membershipId }))
  const afterFirst = [await one.open(), await two.open()]
  const leftAfterFirst = await subjects()
  const all = text(await sent('links/unlink-all'))

  assert.ok(page.includes(`${at}/links"`))
  assert.ok(list.includes(one.email) && list.includes(two.email))
  assert.match(list, /Subject <bdi>one/)
  assert.match(list, /The sessions that the member has begun with the provider end/)
  assert.match(first, /The member is no longer linked/)
  assert.deepEqual(afterFirst, [
    [false, true],
    [true, true],
  ])
  assert.deepEqual(leftAfterFirst, ['two'])
  assert.match(all, /The members are no longer linked/)
  assert.match(all, /No members are linked yet/)
  assert.deepEqual(await two.open(), [false, true])
  assert.deepEqual(await subjects(), [])
  const entries = await app.audited({ targetId: id, action: 'connection.unlinked' })
  assert.deepEqual(
    entries.map(({ actorType, actorVia }) => [actorType, actorVia]),
    Array(2).fill(['user', 'account_pages']),
  )
})

test('an admin ends all sessions of a connection after a question, and its members stay linked', async (t) => {
  const { app, admin, id, at, one, two, sent, subjects } = await newLinked(t)

  const page = text(await admin.open(at))
  const done = text(await sent('sessions'))

  assert.match(page, /<details class="unfold"><summary[^>]*>End all sessions<\/summary>/)
  assert.match(page, /Every member who has signed in with this provider signs in there again/)
  assert.match(done, /The sessions that were begun with this connection have ended/)
  assert.deepEqual(
    [await one.open(), await two.open()],
    [
      [false, true],
      [false, true],
    ],
  )
  assert.deepEqual(await subjects(), ['one', 'two'])
  const entries = await app.audited({ targetId: id, action: 'connection.sessions_ended' })
  assert.equal(entries.length, 1)
})

test('P73: of a connection of the system an admin unlinks nobody, and its sessions go on', async (t) => {
  const { admin, at, one, two, sent, subjects } = await newLinked(t, { isAbove: true })

  const page = text(await admin.open(at))
  const list = text(await admin.open(`${at}/links`))
  const refused = [
    await sent('links/unlink', { member: one.membershipId }),
    await sent('links/unlink-all'),
    await sent('sessions'),
  ]
  const open = [await one.open(), await two.open()]

  assert.ok(!page.includes(`${at}/sessions"`) && !list.includes('/links/unlink'))
  assert.ok(refused.every((answer) => /role="alert"/.test(text(answer))))
  assert.deepEqual(open, Array(2).fill([true, true]))
  assert.deepEqual(await subjects(), ['one', 'two'])
})

test('P75: unlinking asks for a recent sign-in, ending sessions and reading do not', async (t) => {
  const { app, admin, at, one, two, subjects } = await newLinked(t)
  await admin.open(`${at}/links`)
  await changeProofs(app.db, admin.id, { age: 310 })
  const isAsked = ({ status, headers }: Answer) =>
    status === 303 && /\/auth\?/.test(headers.get('location') ?? '')

  const asked = [
    await admin.send(`${at}/links/unlink`, { member: one.membershipId }),
    await admin.send(`${at}/links/unlink-all`),
  ]
  const read = await admin.open(`${at}/links`)
  const ended = await admin.send(`${at}/sessions`)

  assert.deepEqual(asked.map(isAsked), [true, true])
  assert.deepEqual([read.status, isAsked(ended)], [200, false])
  assert.deepEqual(await subjects(), ['one', 'two'])
  assert.deepEqual((await two.open())[0], false)
})

test('nobody unlinks a member of another organization, and a member without a role reads no links', async (t) => {
  const { app, admin, member, at, subjects } = await newLinked(t)
  const another = await newLinked(t)
  await admin.open(`${at}/links`)

  const foreign = await admin.send(`${at}/links/unlink`, { member: another.one.membershipId })
  const ofOther = await another.admin.open(`${at}/links`)
  const ofMember = await member.open(`${at}/links`)

  assert.deepEqual([foreign.status, ofOther.status, ofMember.status], [404, 404, 403])
  assert.deepEqual([await subjects(), await another.subjects()], Array(2).fill(['one', 'two']))
  assert.equal((await app.audited({ action: 'connection.unlinked', targetId: another.id })).length, 0)
})
