/** The pages on which the admins of an organization manage its members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newTeam, text, type Visitor, visitorOf } from '../../../test/support/organizations.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const membershipOf = async (app: App, { membershipId }: Visitor) =>
  (await app.platform.get(`/admin/memberships/${membershipId}`)).body
const formOf = ({ membershipId }: Visitor, action: string) => `/members/${membershipId}/${action}`
const statusOf = async (app: App, each: Visitor) => (await membershipOf(app, each)).status
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

test('an admin approves, blocks, unblocks and removes a member, and sets roles and profiles', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app)
  const { admin, member, system, role, accountId } = team
  const { body: profile } = await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'Night' })
  await app.db.execute(`update memberships set status = 'pending' where id = '${member.membershipId}'`)

  const list = await admin.open('/members?status=pending')
  const page = await admin.open(`/members/${member.membershipId}`)
  const approved = await admin.send(formOf(member, 'status'), { action: 'approve' })
  const saved = await admin.send(formOf(member, 'roles'), { roles: role.id, profiles: profile.id })
  const { access_token } = await app.signIn(system as never, { email: member.email })
  const { roles, profiles } = await membershipOf(app, member)
  const blocked = await admin.browser.follow(await admin.send(formOf(member, 'status'), { action: 'block' }))
  const [isBlocked, isOut] = [await statusOf(app, member), (await app.me(access_token)).status]
  await admin.send(formOf(member, 'status'), { action: 'unblock' })
  const isBack = await statusOf(app, member)
  const removed = await admin.browser.follow(await admin.send(formOf(member, 'remove')))

  const shown = text(list).slice(text(list).indexOf('<main'))
  assert.ok(shown.includes(member.email) && !shown.includes(`>${admin.email}<`))
  assert.match(text(page), /Waiting for approval/)
  assert.deepEqual(statuses([approved, saved]), [303, 303])
  assert.deepEqual([roles, profiles], [[role.id], [profile.id]])
  assert.match(text(blocked), /The member was blocked\./)
  assert.deepEqual([isBlocked, isOut, isBack], ['blocked', 401, 'active'])
  assert.match(text(removed), /The member was removed\./)
  assert.equal((await app.platform.get(`/admin/memberships/${member.membershipId}`)).status, 404)
  const entries = await app.audited({ targetId: member.membershipId })
  const byAdmin = entries.filter(({ actorId }) => actorId === admin.id)
  assert.deepEqual(byAdmin.map(({ action }) => action).sort(), [
    'membership.blocked',
    'membership.deleted',
    'membership.granted',
    'membership.profiles_changed',
    'membership.restored',
    'membership.roles_changed',
  ])
  for (const { accountId: of, actorAuthority } of byAdmin as never as Record<string, unknown>[])
    assert.deepEqual([of, actorAuthority], [accountId, 'account'])
})

test('P63: a member who is no admin sees active members only, and changes none', async (t) => {
  const app = await startTestApp(t)
  const { member, admin, join, role } = await newTeam(app)
  const [other, hidden] = [await join([role.id], { name: 'Rui Costa' }), await join([])]
  await app.platform.patch(`/admin/memberships/${hidden.membershipId}`, { status: 'blocked' })

  const list = await member.open('/members?status=blocked')
  const found = await member.open(`/members?search=${encodeURIComponent(other.email.slice(0, 12))}`)
  const answers = [
    await member.open(`/members/${other.membershipId}`),
    await member.send(formOf(other, 'status'), { action: 'block' }),
    await member.send(formOf(other, 'roles'), { roles: role.id }),
    await member.send(formOf(other, 'remove')),
    await member.send(formOf(other, 'hand-over')),
    await member.send(formOf(member, 'roles'), { roles: role.id }),
  ]

  for (const { email } of [admin, other, member]) assert.ok(text(list).includes(email), email)
  assert.ok(text(list).includes('Clerk') && !text(list).includes(hidden.email))
  assert.ok(text(found).includes(other.email) && !text(found).includes(admin.email))
  assert.ok(!/members\/[\da-f-]{36}/.test(text(list)))
  assert.deepEqual(statuses(answers), [403, 403, 403, 403, 403, 403])
  assert.deepEqual([await statusOf(app, other), (await membershipOf(app, member)).roles], ['active', []])
})

test('P63: a former admin, the admin of another account, and an admin without the API change nothing', async (t) => {
  const app = await startTestApp(t)
  const [team, rival] = [await newTeam(app, { admins: 2 }), await newTeam(app)]
  const { member, role, system } = team
  const [admin, former] = team.admins as [Visitor, Visitor]
  const closed = await newTeam(app, { accountAdminApi: false })
  await former.open(`/members/${member.membershipId}`)
  await app.platform.patch(`/admin/memberships/${former.membershipId}/roles`, { roles: [role.id] })
  const across = await visitorOf(app, team, rival.admin)
  const attempts = async (each: Visitor, of: Visitor) =>
    statuses([
      await each.open(`/members/${of.membershipId}`),
      await each.send(formOf(of, 'status'), { action: 'block' }),
      await each.send(formOf(of, 'roles'), { roles: role.id }),
      await each.send(formOf(of, 'remove')),
      await each.send(formOf(of, 'hand-over')),
    ])

  const [asFormer, asRival] = [await attempts(former, member), await attempts(across, member)]
  const foreignIds = await attempts(rival.admin, member)
  const withoutApi = await attempts(closed.admin, closed.member)
  const foreignRole = await admin.send(formOf(member, 'roles'), { roles: rival.role.id })

  assert.deepEqual(asFormer, [403, 403, 403, 403, 403])
  assert.deepEqual(asRival, [404, 404, 404, 404, 404])
  assert.deepEqual(foreignIds, [404, 404, 404, 404, 404])
  assert.deepEqual(withoutApi, [403, 403, 403, 403, 403])
  assert.equal(foreignRole.status, 400)
  for (const each of [member, closed.member]) {
    const { status, roles } = await membershipOf(app, each)
    assert.deepEqual([status, roles], ['active', []])
  }
  assert.equal((await app.audited({ systemId: system.id, action: 'membership.blocked' })).length, 0)
})

test('P51: an admin undoes no decision of the system on these pages, and is told so', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, join, member } = await newTeam(app, { requireAdminActivation: true })
  const service = await app.serviceOf(system as never)
  const reservedRole = await app.newRole(system.id, { assignableByAccountAdmins: false, name: 'Auditor' })
  const [reserved, blocked] = [await join([reservedRole.id]), await join([])]
  await service.patch(`/admin/memberships/${blocked.membershipId}`, { status: 'blocked' })
  await app.db.execute(
    `update memberships set status = 'pending', activated_at = null where id = '${member.membershipId}'`,
  )

  const pages = [
    await admin.open(`/members/${member.membershipId}`),
    await admin.open(`/members/${blocked.membershipId}`),
    await admin.open(`/members/${reserved.membershipId}`),
  ].map(text)
  const answers = [
    await admin.send(formOf(member, 'status'), { action: 'approve' }),
    await admin.send(formOf(blocked, 'status'), { action: 'unblock' }),
    await admin.send(formOf(reserved, 'roles'), { rolesBefore: reservedRole.id }),
    await admin.send(formOf(reserved, 'remove')),
    await admin.send(formOf(blocked, 'roles'), { roles: reservedRole.id }),
  ]

  assert.match(pages[0]!, /The application approves its members itself\./)
  assert.match(pages[1]!, /The application has blocked this member\./)
  assert.match(pages[2]!, /This member has a role that only the application assigns\./)
  assert.ok(!pages[0]!.includes('Auditor') && !/id="(approve|unblock)"/.test(pages.join('')))
  assert.deepEqual(statuses(answers), [403, 403, 403, 403, 403])
  for (const each of answers) assert.match(text(each), /Only the application can make this change\./)
  assert.deepEqual([await statusOf(app, member), await statusOf(app, blocked)], ['pending', 'blocked'])
})

test('an admin hands over the administration; the only one cannot give it up otherwise', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, adminRole, role, path } = await newTeam(app)
  await app.platform.patch(`/admin/memberships/${admin.membershipId}/roles`, { add: [role.id] })

  const alone = await admin.send(formOf(admin, 'roles'), { rolesBefore: adminRole.id })
  const self = await admin.send(formOf(admin, 'hand-over'))
  const done = await admin.send(formOf(member, 'hand-over'))
  const page = await admin.browser.follow(done)

  assert.deepEqual(statuses([alone, self]), [409, 409])
  assert.match(text(alone), /The organization would have no administrator\./)
  assert.equal(done.headers.get('location'), `${path}?done=handedOverDone`)
  assert.match(text(page), /You handed over the administration\./)
  assert.deepEqual((await membershipOf(app, admin)).roles, [role.id])
  assert.deepEqual((await membershipOf(app, member)).roles, [adminRole.id])
  assert.deepEqual(
    statuses([await admin.send(formOf(member, 'remove')), await member.open('/members')]),
    [403, 200],
  )
})

test('of two admins who block each other at once, one stays, and roles that another admin set are kept', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app, { admins: 2 })
  const [one, two] = team.admins as [Visitor, Visitor]
  const { member, role, adminRole } = team

  await one.open(`/members/${member.membershipId}`)
  await two.send(formOf(member, 'roles'), { roles: role.id })
  await one.send(formOf(member, 'roles'), { roles: adminRole.id })
  const { roles } = await membershipOf(app, member)
  const answers = await Promise.all([
    one.send(formOf(two, 'status'), { action: 'block' }),
    two.send(formOf(one, 'status'), { action: 'block' }),
  ])

  assert.deepEqual(roles, [role.id, adminRole.id].sort())
  assert.equal(answers.filter(({ status }) => status === 303).length, 1)
  assert.ok([403, 404].includes(answers.find(({ status }) => status !== 303)!.status))
  assert.deepEqual([await statusOf(app, one), await statusOf(app, two)].sort(), ['active', 'blocked'])
})

test('P59: a system that requires a second factor has it required before others are shown', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, system } = await newTeam(app)
  await app.platform.patch(`/admin/systems/${system.id}`, { requireMfa: true })

  const answers = [
    await member.open('/members'),
    await admin.open(`/members/${member.membershipId}`),
    await admin.send(formOf(member, 'remove')),
  ]

  for (const { status, headers } of answers) {
    assert.equal(status, 303)
    assert.match(headers.get('location')!, /^\/auth\?.*acr_values=urn%3Atenantry%3Aaal2/)
  }
  assert.equal((await member.open()).status, 200)
  assert.equal(await statusOf(app, member), 'active')
})

test('the list has 50 members on a page, and ignores filters that are invalid', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newTeam(app)
  for (let n = 0; n < 50; n += 1) {
    const user = await app.newUser({ password: undefined })
    await app.newMembership({ userId: user.id, accountId })
  }
  const count = (page: Answer) => text(page).match(/<tr><td/g)?.length ?? 0

  const [first, second] = [await admin.open('/members'), await admin.open('/members?page=2')]
  const odd = await admin.open('/members?page=-1&status=gone&search=%00&search=x')

  assert.deepEqual([count(first), count(second), count(odd)], [50, 2, 50])
  assert.match(text(first), /rel="next"/)
  assert.ok(!/rel="next"/.test(text(second)) && /rel="prev"/.test(text(second)))
})

test('P63: a change that waits for the removal of the own admin role is refused', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app, { admins: 2 })
  const { admin, member, role } = team
  await admin.open(`/members/${member.membershipId}`)

  const answers = await app.db.transaction(async (tx) => {
    await tx.execute(`select from memberships where id = '${admin.membershipId}' for update`)
    await tx.execute(`delete from membership_roles where membership_id = '${admin.membershipId}'`)
    const sent = [
      admin.send(formOf(member, 'status'), { action: 'block' }),
      admin.send(formOf(member, 'roles'), { roles: role.id }),
      admin.send('/invitations', { emails: 'late@invited.example' }),
      admin.send('/settings', { name: 'Mine' }),
    ]
    await setTimeout(400) // on PostgreSQL they have read the role, and wait for the row
    return { sent }
  })
  const refused = statuses(await Promise.all(answers.sent))

  assert.deepEqual(refused, [403, 403, 403, 403])
  const { status, roles } = await membershipOf(app, member)
  assert.deepEqual([status, roles], ['active', []])
  assert.deepEqual((await app.platform.get(`/admin/accounts/${team.accountId}/invitations`)).body.data, [])
  assert.equal((await app.platform.get(`/admin/accounts/${team.accountId}`)).body.name, team.name)
})
