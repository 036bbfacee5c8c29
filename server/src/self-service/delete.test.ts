/** Users delete their own profile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { csrfOf, newTeam, signInToAccount, text, type Visitor } from '../../test/support/organizations.ts'
import { type Answer, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const PAGE = '/account/delete'

async function deleteProfile(browser: TestBrowser): Promise<{ page: Answer; done: Answer; last: Answer }> {
  const page = await browser.get(PAGE)
  const profile = await browser.get('/account')
  const done = await browser.post(PAGE, { csrf: csrfOf(page) || csrfOf(profile) })
  return { page, done, last: await browser.follow(done) }
}

const userStatus = async (app: App, { id }: { id: string }) =>
  (await app.platform.get(`/admin/users/${id}`)).status
const accountStatus = async (app: App, id: string) => (await app.platform.get(`/admin/accounts/${id}`)).status
async function blocksOf(app: App, id: string): Promise<string[]> {
  const found = await app.db.execute(`select set_by from blocks where user_id = '${id}' order by set_by`)
  return (found as { rows: { set_by: string }[] }).rows.map(({ set_by }) => set_by)
}
/** The next user of an address. */
const again = async (app: App, email: string) => (await app.platform.post('/admin/users', { email })).body

test('a user deletes the own profile at once: sessions, memberships, events and audit as by an admin', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({
    skipConsent: true,
    clientUri: 'https://orders.example/',
  })
  const { access_token } = await app.signIn(system, { email: user.email })
  const { browser } = await signInToAccount(app, user.email)
  await browser.get(`/account?client_id=${String(system.clientId)}`)

  const { page, last } = await deleteProfile(browser)

  assert.ok(text(page).includes(system.name), 'what ends is listed')
  assert.match(text(last), /Your profile was deleted/)
  assert.ok(text(last).includes(system.name) && text(last).includes('href="https://orders.example/"'))
  assert.equal((await app.me(access_token)).status, 401)
  assert.match((await browser.get('/account')).headers.get('location')!, /^\/auth\?/)
  assert.equal(await userStatus(app, user), 404)
  assert.equal((await app.platform.get(`/admin/memberships/${membership.id}`)).status, 404)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.deleted' })
  assert.deepEqual([entry?.actorId, entry?.actorVia, entry?.outcome], [user.id, 'account_pages', 'success'])
  const types = (await app.findEvents({ userId: user.id })).map(({ type }) => type)
  for (const type of ['user.deleted', 'user.access_revoked', 'session.ended'])
    assert.ok(types.includes(type as never), type)
})

test('P26: the deletion needs a recent sign-in and our own form', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser, page } = await signInToAccount(app, user.email)
  const csrf = csrfOf(page)

  const foreign = [
    await browser.post(PAGE, { csrf }, { origin: 'https://evil.example' }),
    await browser.post(PAGE, { csrf: '' }),
  ]
  await changeProofs(app.db, user.id, { age: 400 })
  const old = [await browser.get(PAGE), await browser.post(PAGE, { csrf })]

  assert.deepEqual(
    foreign.map(({ status }) => status),
    [403, 403],
  )
  for (const each of old) assert.match(each.headers.get('location')!, /^\/auth\?.*&max_age=300/)
  assert.equal(await userStatus(app, user), 200)
})

test('the last admin of an organization with other members hands over first', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, name, adminRole, accountId } = await newTeam(app)

  const refused = await deleteProfile(admin.browser)
  const stays = await userStatus(app, admin)
  await app.platform.patch(`/admin/memberships/${member.membershipId}/roles`, { add: [adminRole.id] })
  const done = await deleteProfile(admin.browser)

  assert.ok(text(refused.page).includes(name))
  assert.match(text(refused.page), /You are its only administrator/)
  assert.doesNotMatch(text(refused.page), /id="submit"/)
  assert.deepEqual([refused.done.status, stays], [409, 200])
  assert.match(text(done.last), /Your profile was deleted/)
  assert.deepEqual([await userStatus(app, admin), await accountStatus(app, accountId)], [404, 200])
})

test('of the last two admins who delete their profiles at once, one stays', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app, { admins: 2 })
  const [one, two] = team.admins as [Visitor, Visitor]
  const forms = await Promise.all([one, two].map(({ browser }) => browser.get(PAGE)))

  const answers = await Promise.all(
    [one, two].map(({ browser }, at) => browser.post(PAGE, { csrf: csrfOf(forms[at]!) })),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const left = [await userStatus(app, one), await userStatus(app, two)]
  assert.deepEqual(left.toSorted(), [200, 404])
})

test('an organization without others is deleted too; a suspended one stays, empty', async (t) => {
  const app = await startTestApp(t)
  const [gone, kept] = [await newTeam(app), await newTeam(app)]
  for (const { member } of [gone, kept])
    await app.platform.delete(`/admin/memberships/${member.membershipId}`)
  await app.platform.patch(`/admin/accounts/${kept.accountId}`, { status: 'suspended' })

  const pages = [await deleteProfile(gone.admin.browser), await deleteProfile(kept.admin.browser)]

  assert.match(text(pages[0]!.page), /It is deleted with its data here/)
  assert.match(text(pages[1]!.page), /It remains without members/)
  assert.deepEqual(
    [await accountStatus(app, gone.accountId), await accountStatus(app, kept.accountId)],
    [404, 200],
  )
  assert.equal((await app.platform.get(`/admin/accounts/${kept.accountId}/members`)).body.total, 0)
  const [entry] = await app.audited({ targetId: gone.accountId, action: 'account.deleted' })
  assert.equal(entry?.actorId, gone.admin.id)
  assert.equal((await app.findEvents({ accountId: gone.accountId, type: 'account.deleted' })).length, 1)
})

test('P51: a block and a disabling outlive the profile, and apply to the next user of the address', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app)
  const { member, system, accountId } = team
  const single = await app.newSystem({ allowClientCredentials: true })
  const own = await app.newMembership({ userId: member.id, systemId: single.id })
  const other = await app.newSystem({ allowClientCredentials: true })
  await app.newMembership({ userId: member.id, systemId: other.id })
  const [service, ofSingle, ofOther] = [
    await app.serviceOf(system as never),
    await app.serviceOf(single as never),
    await app.serviceOf(other as never),
  ]
  await app.platform.patch(`/admin/memberships/${member.membershipId}`, { status: 'blocked' })
  await ofSingle.patch(`/admin/memberships/${own.id}`, { status: 'blocked' })
  await ofOther.patch(`/admin/users/${member.id}`, { disabled: true })

  await deleteProfile(member.browser)
  const isGone = await userStatus(app, member)
  const keptRows = async () => {
    const systems = [system, single, other].map(({ id }) => `'${id}'`).join()
    const found = await app.db.execute(`select * from kept_decisions where system_id in (${systems})`)
    return (found as { rows: object[] }).rows
  }
  const rows = await keptRows()
  const stored = JSON.stringify(rows)
  const next = await again(app, member.email)
  const blocked = await blocksOf(app, next.id)
  const joined = await service.post('/admin/memberships', { userId: next.id, accountId })
  const read = (await ofOther.get(`/admin/users/${next.id}`)).body
  const left = await keptRows()
  await app.platform.delete(`/admin/users/${next.id}`)
  const free = await again(app, member.email)
  const freed = await service.post('/admin/memberships', { userId: free.id, accountId })

  assert.equal(isGone, 404)
  assert.equal(rows.length, 3)
  assert.ok(!stored.includes(member.email))
  assert.notEqual(next.id, member.id)
  assert.deepEqual(blocked, ['platform', 'system'])
  assert.equal(joined.status, 403, 'the platform has blocked the user there')
  assert.equal(read.disabled, true)
  assert.equal(left.length, 0)
  assert.equal(freed.status, 201, 'an admin who deletes a user lifts everything')
})

test('P51: a system that deletes the next user of the address does not lift what another has decided', async (t) => {
  const app = await startTestApp(t)
  const { member, system } = await newTeam(app)
  const service = await app.serviceOf(system as never)
  const other = await app.serviceOf((await app.newSystem({ allowClientCredentials: true })) as never)
  await service.patch(`/admin/memberships/${member.membershipId}`, { status: 'blocked' })
  await deleteProfile(member.browser)

  const laundered = await other.post('/admin/users', { email: member.email })
  const removed = await other.delete(`/admin/users/${laundered.body.id}`)
  const isGone = await userStatus(app, laundered.body)
  const own = (await service.post('/admin/users', { email: member.email })).body
  const blocks = await blocksOf(app, own.id)
  await service.delete(`/admin/users/${own.id}`)
  const free = await blocksOf(app, (await again(app, member.email)).id)

  assert.deepEqual([laundered.status, removed.status, isGone], [201, 204, 404])
  assert.deepEqual(blocks, ['system'])
  assert.deepEqual(free, [], 'the system that has decided it can lift it')
})

test('the last administrator of the platform stays', async (t) => {
  const app = await startTestApp(t)
  const [user, other] = [await app.newUser(), await app.newUser()]
  const operate = ({ id }: { id: string }) =>
    app.db.execute(`insert into operators (user_id, level) values ('${id}', 'admin')`)
  await app.db.execute(`delete from operators where system_id is null`)
  await app.db.execute(`delete from membership_roles where role_id in
    (select r.id from roles r join systems s on s.id = r.system_id where s.platform and r.is_admin)`)
  await operate(user)
  const { browser } = await signInToAccount(app, user.email)

  const alone = await deleteProfile(browser)
  await operate(other)
  const done = await deleteProfile(browser)

  assert.equal(alone.done.status, 409)
  assert.match(text(alone.page), /You are the last administrator of this installation/)
  assert.match(text(done.last), /Your profile was deleted/)
  assert.equal(await userStatus(app, user), 404)
})
