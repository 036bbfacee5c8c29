/** The page of an organization, and leaving it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newTeam, signInToAccount, text, visitorOf } from '../../../test/support/organizations.ts'
import { startTestApp } from '../../../test/support/testing.ts'

test('a member sees the organization, the own roles and the admins, and comes there from the accounts', async (t) => {
  const app = await startTestApp(t)
  const { system, name, path, admin, member } = await newTeam(app)

  const accounts = await member.browser.get('/account/accounts')
  const page = await member.open()
  const ofAdmin = await admin.open()

  assert.ok(text(accounts).includes(`href="${path}"`))
  assert.equal(page.status, 200)
  for (const each of [name, system.name, admin.email]) assert.ok(text(page).includes(each), each)
  assert.match(text(page), /No roles/)
  assert.match(text(ofAdmin), /Chief/)
  const main = text(page).slice(text(page).indexOf('<main'))
  assert.ok(!main.includes(member.email), 'is no admin')
})

test('P63: a page of an organization exists for its active members only', async (t) => {
  const app = await startTestApp(t)
  const [team, other] = [await newTeam(app), await newTeam(app)]
  const [pending, blocked] = [await team.join([]), await team.join([])]
  const disabled = await team.join([])
  await app.db.execute(`update memberships set status = 'pending' where id = '${pending.membershipId}'`)
  await app.platform.patch(`/admin/memberships/${blocked.membershipId}`, { status: 'blocked' })
  await (await app.serviceOf(team.system as never)).patch(`/admin/users/${disabled.id}`, { disabled: true })
  const stranger = await visitorOf(app, team, (await app.newUser()) as never)
  const single = await app.newMember()
  const alone = await visitorOf(app, { accountId: single.membership.accountId }, single.user as never)
  const anonymous = app.newBrowser()

  const refused = {
    pending,
    blocked,
    disabled,
    stranger,
    alone,
    'admin of another': await visitorOf(app, team, other.admin),
  }
  for (const [name, each] of Object.entries(refused)) {
    const answers = [await each.open(), await each.send('/leave')]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404],
      name,
    )
  }
  for (const id of ['0', crypto.randomUUID(), "' or true --"])
    assert.equal(
      (await team.admin.browser.get(`/account/organizations/${encodeURIComponent(id)}`)).status,
      404,
    )
  const redirect = await anonymous.get(team.path)
  assert.match(redirect.headers.get('location')!, /^\/auth\?client_id=tenantry-account&/)
  assert.ok(!text(await alone.browser.get('/account/accounts')).includes('/account/organizations/'))
})

test('a sign-in for the page of an organization continues there', async (t) => {
  const app = await startTestApp(t)
  const { member, path, name } = await newTeam(app)
  const browser = app.newBrowser()

  const login = await browser.follow(await browser.get(path))
  const page = await browser.follow(
    await browser.submit(login, { email: member.email, password: 'correct horse battery staple' }),
  )

  assert.ok(text(page).includes(name) && text(page).includes(`action="${path}/leave"`))
})

test('a member leaves: the session there ends, the other stays, with audit entry and event', async (t) => {
  const app = await startTestApp(t)
  const { system, member, accountId } = await newTeam(app)
  const elsewhere = await app.newMembership({
    userId: member.id,
    systemId: system.id,
    accountName: 'Elsewhere',
  })
  const [here, there] = [
    await app.signIn(system as never, { email: member.email, account: accountId }),
    await app.signIn(system as never, { email: member.email, account: elsewhere.accountId }),
  ]
  await member.open()

  const done = await member.browser.follow(await member.send('/leave'))

  assert.match(text(done), /You left the organization\./)
  assert.ok(!text(done).includes(accountId))
  assert.deepEqual(
    [(await app.me(here.access_token)).status, (await app.me(there.access_token)).status],
    [401, 200],
  )
  assert.equal((await member.open()).status, 404)
  const [entry] = await app.audited({ targetId: member.membershipId, action: 'membership.left' })
  assert.deepEqual(
    [entry?.actorId, entry?.accountId, entry?.actorVia],
    [member.id, accountId, 'account_pages'],
  )
  const events = await app.findEvents({ userId: member.id, type: 'user.access_revoked' })
  assert.deepEqual(
    events.map(({ data }) => [data.membershipId, data.status, data.reason]),
    [[member.membershipId, 'removed', 'left']],
  )
})

test('the only admin cannot leave, and of the last two that leave at once one stays', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app, { admins: 2 })
  const [one, two] = team.admins as [typeof team.admin, typeof team.admin]
  await Promise.all([one.open(), two.open()])

  const { sent } = await app.db.transaction(async (tx) => {
    await tx.execute(`select from memberships where account_id = '${team.accountId}' for update`)
    const sent = [one.send('/leave'), two.send('/leave')]
    await setTimeout(300) // on PostgreSQL both wait for their rows, and then leave at the same time
    return { sent }
  })
  const answers = await Promise.all(sent)
  const stays = answers[0]!.status === 303 ? two : one
  const again = await stays.send('/leave')

  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409])
  assert.equal(again.status, 409)
  assert.match(text(again), /You are the only administrator\. Make another member an administrator first\./)
  assert.equal((await app.audited({ systemId: team.system.id, action: 'membership.left' })).length, 1)
  const { body } = await app.platform.get(`/admin/accounts/${team.accountId}/members`)
  assert.deepEqual(
    body.data.map(({ userId }: { userId: string }) => userId).sort(),
    [stays.id, team.member.id].sort(),
  )
})

test('P26: another site cannot submit the forms of an organization, and a link does nothing', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app)
  const { member, path } = team
  await member.open()
  const foreign = await signInToAccount(app, team.admin.email)
  const csrf = /name="csrf" value="([^"]+)"/.exec(text(foreign.page))![1]!

  const own = /name="csrf" value="([^"]+)"/.exec(text(await member.open()))![1]!
  const answers = [
    await member.browser.post(`${path}/leave`, { csrf: own }, { origin: 'https://evil.example' }),
    await member.browser.post(`${path}/leave`, { csrf: own }, { 'sec-fetch-site': 'cross-site' }),
    await member.browser.post(`${path}/leave`, { csrf }),
    await member.browser.post(`${path}/leave`, {}),
  ]
  const link = await member.browser.get(`${path}/leave`)
  const forms: [string, Record<string, string>][] = [
    ['/settings', { name: 'Mallory Ltd' }],
    [`/members/${member.membershipId}/remove`, {}],
    [`/members/${member.membershipId}/status`, { action: 'block' }],
    [`/members/${member.membershipId}/hand-over`, {}],
    ['/invitations', { emails: 'mallory@evil.example' }],
  ]
  for (const [form, fields] of forms)
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }] as const)
      answers.push(await foreign.browser.post(path + form, { csrf, ...fields }, { ...headers }))

  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 403),
  )
  assert.equal(link.status, 405)
  assert.equal((await member.open()).status, 200)
})

test('P63: only an admin changes the name and the settings, and what others have changed meanwhile is kept', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, accountId } = await newTeam(app)
  const name = `Acme & <Söhne> ${accountId.slice(0, 4)}`
  const read = async () => (await app.platform.get(`/admin/accounts/${accountId}`)).body

  await admin.open()
  const saved = await admin.browser.follow(await admin.send('/settings', { name: ` ${name}\n` }))
  const hidden = [await member.open('/members'), await admin.open('/members'), await member.open()]
  const refused = await member.send('/settings', { name: 'Mine', membersVisible: 'yes' })
  const after = await read()
  const empty = await admin.send('/settings', { name: ' ' })
  const old = { name: 'An old tab', nameBefore: 'An old tab', acceptOtherAddressBefore: 'no' }
  await app.platform.patch(`/admin/accounts/${accountId}`, { acceptOtherAddress: true })
  const kept = await admin.send('/settings', { ...old, membersVisible: 'yes' })

  assert.match(text(saved), /Your changes were saved\./)
  assert.ok(text(saved).includes('value="Acme &amp; &lt;Söhne&gt;'))
  assert.deepEqual(
    hidden.map(({ status }) => status),
    [403, 200, 200],
  )
  assert.ok(!text(hidden[2]!).includes('/members"') && text(hidden[1]!).includes(member.email))
  assert.equal(refused.status, 403)
  assert.deepEqual([after.name, after.membersVisible], [name, false])
  assert.deepEqual([empty.status, kept.status], [400, 303])
  const last = await read()
  assert.deepEqual([last.name, last.membersVisible, last.acceptOtherAddress], [name, true, true])
  assert.equal((await member.open('/members')).status, 200)
  const entries = await app.audited({ targetId: accountId, action: 'account.updated' })
  assert.deepEqual(
    entries.map(({ actorId }) => actorId),
    [admin.id, 'test-platform', admin.id],
  )
  assert.equal((await app.findEvents({ accountId, type: 'account.updated' })).length, 3)
  await admin.send('/settings', {
    name,
    nameBefore: name,
    membersVisible: 'yes',
    acceptOtherAddressBefore: 'yes',
  })
  assert.equal((await read()).acceptOtherAddress, false)
})
