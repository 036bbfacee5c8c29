/** Roles in the list of members, and changes of several members at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import { newTeam, text, type Visitor } from '../../../test/support/organizations.ts'
import { startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const membershipOf = async (app: App, { membershipId }: Visitor) =>
  (await app.platform.get(`/admin/memberships/${membershipId}`)).body
const statusOf = async (app: App, each: Visitor) => (await membershipOf(app, each)).status
const chosen = (members: Visitor[]) => members.map(({ membershipId }) => ['members', membershipId])
const asking = (action: string, members: Visitor[]) =>
  `/members/several?${new URLSearchParams([['do', action], ...(chosen(members) as [string, string][])])}`
const sendSeveral = (admin: Visitor, action: string, members: Visitor[], more: string[][] = []) =>
  admin.send('/members/several', [['do', action], ...chosen(members), ...more])

test('an admin changes the roles of a member in the list, and comes back to the same list', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, role, adminRole, path } = await newTeam(app)
  const list = `?search=${encodeURIComponent(member.email.slice(0, 8))}&status=active`

  const page = await admin.open(`/members${list}`)
  const saved = await admin.send(`/members/${member.membershipId}/roles`, {
    list: list.slice(1),
    roles: role.id,
  })
  const refused = await admin.browser.follow(
    await admin.send(`/members/${admin.membershipId}/roles`, { list: '', rolesBefore: adminRole.id }),
  )

  assert.match(text(page), new RegExp(`action="${path}/members/${member.membershipId}/roles"`))
  const { pathname, searchParams } = new URL(saved.headers.get('location')!, app.url)
  assert.equal(pathname, `${path}/members`)
  assert.deepEqual([searchParams.get('status'), searchParams.get('done')], ['active', 'rolesDone'])
  assert.deepEqual((await membershipOf(app, member)).roles, [role.id])
  assert.match(text(refused), /The organization would have no administrator/)
  assert.match(text(refused), /<h1 id="heading">Members</)
})

test('one confirmation blocks, removes or gives roles to several members, each with its audit entry', async (t) => {
  const app = await startTestApp(t)
  const { admin, join, role } = await newTeam(app)
  const [one, two] = [await join([]), await join([role.id])]

  const asked = await admin.open(asking('roles', [one, two]))
  const unchanged = (await membershipOf(app, one)).roles
  const given = await sendSeveral(admin, 'roles', [one, two], [['add', role.id]])
  const roles = [(await membershipOf(app, one)).roles, (await membershipOf(app, two)).roles]
  await sendSeveral(admin, 'roles', [one, two], [['remove', role.id]])
  const without = (await membershipOf(app, two)).roles
  await admin.open(asking('block', [one, two]))
  const blocked = await admin.browser.follow(await sendSeveral(admin, 'block', [one, two]))
  const statuses = [await statusOf(app, one), await statusOf(app, two)]
  await sendSeveral(admin, 'remove', [one, two])
  const gone = await app.platform.get(`/admin/memberships/${one.membershipId}`)

  for (const { email } of [one, two]) assert.ok(text(asked).includes(email), email)
  assert.deepEqual([unchanged, given.status], [[], 303])
  assert.deepEqual([roles, without], [[[role.id], [role.id]], []])
  assert.match(text(blocked), /All selected members were changed\./)
  assert.deepEqual([statuses, gone.status], [['blocked', 'blocked'], 404])
  for (const { membershipId } of [one, two]) {
    const entries = await app.audited({ targetId: membershipId })
    const actions = entries.filter(({ actorId }) => actorId === admin.id).map(({ action }) => action)
    assert.ok(['membership.blocked', 'membership.deleted'].every((action) => actions.includes(action)))
  }
})

test('the question about one member is about one, and about several about several', async (t) => {
  const { admin, join } = await newTeam(await startTestApp(t))
  const [one, two] = [await join([]), await join([])]
  const headingOf = async (action: string, members: Visitor[]) =>
    /<h1 id="heading">(.+?)</.exec(text(await admin.open(asking(action, members))))?.[1]

  const headings = [
    await headingOf('block', [one]),
    await headingOf('block', [one, two]),
    await headingOf('remove', [one]),
    await headingOf('roles', [one]),
  ]

  assert.deepEqual(headings, [
    'Block this member?',
    'Block these members?',
    'Remove this member?',
    'Change the roles of this member',
  ])
})

test('P51: what is refused for one member is said there, and the others are changed', async (t) => {
  const app = await startTestApp(t)
  const { admin, join, system, role } = await newTeam(app)
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false, name: 'Auditor' })
  const [free, fixed, gone] = [await join([role.id]), await join([reserved.id]), await join([])]
  await app.platform.delete(`/admin/memberships/${gone.membershipId}`)

  await admin.open('/members')
  const answer = await sendSeveral(admin, 'block', [free, fixed, admin, gone])
  const page = await admin.browser.follow(answer)

  assert.equal(answer.status, 409)
  assert.match(text(page), /These members were not changed\. All others were\./)
  assert.match(text(page), /Only the application can make this change\./)
  assert.match(text(page), /this is you/)
  assert.match(text(page), /Somebody has removed a member meanwhile\./)
  const main = text(page).slice(text(page).indexOf('<main'))
  assert.ok(!main.includes(free.email) && main.includes(fixed.email))
  assert.deepEqual(
    [await statusOf(app, free), await statusOf(app, fixed), await statusOf(app, admin)],
    ['blocked', 'active', 'active'],
  )
})

test('P63: several members are those of the own organization, at most 50, and only for its admins', async (t) => {
  const app = await startTestApp(t)
  const [team, rival] = [await newTeam(app), await newTeam(app)]
  const { admin, member } = team
  await admin.open('/members')

  const foreign = await admin.browser.follow(await sendSeveral(admin, 'block', [rival.member]))
  const foreignRole = await sendSeveral(admin, 'roles', [member], [['add', rival.role.id]])
  const asMember = await sendSeveral(member, 'block', [admin])
  const seen = await member.open(asking('block', [admin]))
  const many = Array.from({ length: 51 }, () => ['members', crypto.randomUUID()])
  const tooMany = await admin.send('/members/several', [
    ['do', 'block'],
    ...many,
    ['members', member.membershipId],
  ])
  const none = await admin.send('/members/several', [['do', 'block']])

  assert.ok(!text(foreign).includes(rival.member.email))
  assert.equal(foreignRole.status, 409)
  assert.deepEqual([asMember.status, seen.status, tooMany.status], [403, 403, 400])
  assert.equal(none.status, 303)
  assert.deepEqual([await statusOf(app, member), await statusOf(app, rival.member)], ['active', 'active'])
  assert.deepEqual((await membershipOf(app, member)).roles, [])
})

test('several members with an admin among them need a recent sign-in', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app, { admins: 2 })
  const [admin, other] = team.admins as [Visitor, Visitor]
  await admin.open('/members')
  await changeProofs(app.db, admin.id, { age: 400 })

  const ordinary = await sendSeveral(admin, 'block', [team.member])
  const asked = [
    await sendSeveral(admin, 'block', [team.member, other]),
    await sendSeveral(admin, 'remove', [team.member, other]),
    await sendSeveral(admin, 'roles', [team.member], [['add', team.adminRole.id]]),
  ]

  assert.doesNotMatch(ordinary.headers.get('location')!, /^\/auth/)
  for (const each of asked) assert.match(each.headers.get('location')!, /^\/auth\?.*&max_age=300/)
  assert.equal(await statusOf(app, other), 'active')
})
