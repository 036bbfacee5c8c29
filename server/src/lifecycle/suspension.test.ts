/** The suspension of an organization: what it ends, who decides it, and what is left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type App, poll } from '../../test/support/device.ts'
import { type Answer, expectStatus } from '../../test/support/http.ts'
import { invitationLinkTo } from '../../test/support/invitations.ts'
import { csrfOf, text, visitorOf } from '../../test/support/organizations.ts'
import {
  authUrl,
  basicAuth,
  codeFields,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../test/support/testing.ts'
import { usedOrganization } from '../../test/support/used-organization.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code ?? body?.error]
type Used = Awaited<ReturnType<typeof usedOrganization>>

const keyToken = async (app: App, { clientId, clientSecret }: Used['key']) => {
  const response = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { authorization: basicAuth({ clientId, clientSecret } as never) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const introspected = async (app: App, { system }: Used, token: string) => {
  const response = await fetch(`${app.url}/token/introspection`, {
    method: 'POST',
    headers: { authorization: basicAuth(system as never) },
    body: new URLSearchParams({ token }),
  })
  return ((await response.json()) as { active: boolean }).active
}

test('P21: while an organization is suspended nothing of it gets access, by any way; keys work again afterwards, sessions do not', async (t) => {
  const app = await startTestApp(t)
  const used = await usedOrganization(app)
  const { system, tokens, key, accountId, account, pages, inConsole } = used
  const acting = expectStatus(await used.actForMember(), 200).body.access_token
  const actingFor = expectStatus(await used.actAsMember(), 200).body.access_token
  const programToken = expectStatus(await keyToken(app, key), 200).body.access_token
  const reads = {
    me: () => app.me(tokens.access_token),
    admin: () => account.get(`/admin/accounts/${accountId}/members`),
    console: () => inConsole.get(`/admin/accounts/${accountId}/members`),
    pages: () => pages.open('/members'),
    acting: () => app.me(acting),
    actingFor: () => app.me(actingFor),
  }
  const statuses = async () =>
    Object.fromEntries(
      await Promise.all(Object.entries(reads).map(async ([name, read]) => [name, (await read()).status])),
    )
  const all = (status: number) => Object.fromEntries(Object.keys(reads).map((name) => [name, status]))
  assert.deepEqual(await statuses(), all(200))
  assert.ok(await introspected(app, used, programToken))
  const living = (await app.platform.get(`/admin/sessions?accountId=${accountId}`)).body.total

  const suspended = expectStatus(await used.setStatus('suspended'), 200).body

  assert.deepEqual([suspended.status, suspended.suspendedBy], ['suspended', ['system']])
  assert.deepEqual(await statuses(), {
    me: 401,
    admin: 401,
    console: 404,
    pages: 403,
    acting: 401,
    actingFor: 401,
  })
  const refused = {
    refresh: await app.refresh(system, tokens.refresh_token!),
    code: await app.token(system, codeFields(system, used.code)),
    device: await poll(app, system, used.asked),
    key: await keyToken(app, key),
    actForMember: await used.actForMember(),
    actAsMember: await used.actAsMember(),
  }
  assert.deepEqual(
    Object.fromEntries(Object.entries(refused).map(([name, answer]) => [name, outcome(answer)])),
    {
      refresh: [400, 'invalid_grant'],
      code: [400, 'invalid_grant'],
      device: [400, 'invalid_grant'],
      key: [400, 'unauthorized_client'],
      actForMember: outcome(refused.actForMember),
      actAsMember: outcome(refused.actAsMember),
    },
  )
  assert.deepEqual([refused.actForMember.status, refused.actAsMember.status], [400, 400])
  assert.equal(await introspected(app, used, programToken), false)
  const ended = (await app.findEvents({ accountId, type: 'session.ended' })).filter(
    ({ data }) => data.reason === 'account_suspended',
  )
  assert.equal(ended.length, living)
  assert.equal((await app.platform.get(`/admin/sessions?accountId=${accountId}`)).body.total, 0)

  const resumed = expectStatus(await used.setStatus('active'), 200).body

  assert.deepEqual([resumed.status, resumed.suspendedBy], ['active', []])
  assert.deepEqual(await statuses(), {
    me: 401,
    admin: 401,
    console: 200,
    pages: 200,
    acting: 401,
    actingFor: 401,
  })
  assert.equal((await keyToken(app, key)).status, 200)
  assert.ok(await introspected(app, used, programToken))
  assert.deepEqual(outcome(await app.refresh(system, tokens.refresh_token!)), [400, 'invalid_grant'])
  assert.ok((await app.signIn(system, { email: used.member.email })).access_token)
})

test('P21: an invitation to a suspended organization is not accepted, by its link or in a sign-in, and is kept', async (t) => {
  const app = await startTestApp(t)
  const used = await usedOrganization(app)
  const { system, accountId, account, path } = used
  const known = await app.newUser({ emailVerified: true })
  expectStatus(await account.post(path, { email: known.email }), 201)
  const link = await invitationLinkTo(app, String(known.email))
  const { browser, open } = await visitorOf(app, { accountId }, known as never)
  await open()
  const before = await browser.get(link)
  assert.equal(before.status, 200)
  await used.setStatus('suspended')

  const page = await browser.get(link)
  const answer = await browser.post(
    '/invitation',
    [
      ['token', new URL(link, app.url).searchParams.get('token')!],
      ['decision', 'accept'],
    ],
    { origin: app.url },
  )
  const registered = await app.newBrowser().get(used.invitation.link)
  const signIn = await app.authorize(system, { email: String(known.email) })
  const members = (await app.platform.get(`/admin/accounts/${accountId}/members`)).body.total
  const pending = (await app.platform.get(`${path}?status=pending`)).body.total

  assert.deepEqual([page.status, answer.status, registered.status], [403, 403, 403])
  assert.match(text(page), /The organization is suspended/)
  assert.equal(signIn.back.error, 'access_denied')
  assert.deepEqual([members, pending], [3, 2])
  await used.setStatus('active')
  assert.equal((await browser.get(link)).status, 200)
})

/** The page or the redirect after the password, in a new browser. */
async function afterPassword(
  app: App,
  system: object,
  email: string,
  parameters: Record<string, string> = {},
) {
  const browser = app.newBrowser()
  const login = await browser.get(authUrl(system as never, newPkce().challenge, parameters))
  const page = await browser.follow(
    await browser.submit(await browser.follow(login), { email, password: PASSWORD }),
  )
  const location = page.headers.get('location')
  return { page, browser, back: location && Object.fromEntries(new URL(location).searchParams) }
}

test('a member who chose a suspended organization reads whom to ask; for anyone else it is like an unknown one', async (t) => {
  const app = await startTestApp(t)
  const { system, member, accountId, setStatus } = await usedOrganization(app)
  const stranger = await app.newUser()
  await app.newMembership({
    userId: stranger.id,
    systemId: system.id,
    accountName: 'Birch',
    status: 'active',
  })
  await setStatus('suspended')
  const named = { account_id: accountId }

  const silently = await afterPassword(app, system, member.email)
  const byName = await afterPassword(app, system, member.email, named)
  const other = await afterPassword(app, system, String(stranger.email), named)
  const unknown = await afterPassword(app, system, String(stranger.email), {
    account_id: crypto.randomUUID(),
  })
  const none = await byName.browser.get(
    authUrl(system as never, newPkce().challenge, { prompt: 'none', ...named }),
  )

  for (const { page } of [silently, byName]) {
    assert.equal(page.status, 200)
    assert.match(
      text(page),
      /is suspended[\s\S]*Ask an administrator of your organization, or the support of/,
    )
  }
  assert.ok(other.back)
  assert.deepEqual([other.back.error, other.back], ['access_denied', unknown.back])
  assert.equal(new URL(none.headers.get('location')!).searchParams.get('error'), 'access_denied')
  const [entry] = await app.audited({ targetId: String(member.user.id), action: 'sign_in.refused' })
  assert.deepEqual([entry!.changes, entry!.accountId], [{ reason: [null, 'suspended'] }, accountId])
})

test('with a suspended and a usable organization the sign-in goes on in the usable one, and says so to whom had used the other', async (t) => {
  const app = await startTestApp(t)
  const { system, member, accountId, setStatus } = await usedOrganization(app)
  const { visitor } = await app.signIn(system, { email: member.email })
  const birch = await app.newMembership({
    userId: member.user.id,
    systemId: system.id,
    accountName: 'Birch',
    status: 'active',
  })
  await setStatus('suspended')

  const again = await app.authorize(system, { email: member.email, visitor, account: birch.accountId })
  const elsewhere = await app.signIn(system, { email: member.email })
  const asked = await visitor.follow(
    await visitor.get(authUrl(system as never, newPkce().challenge, { prompt: 'select_account' })),
  )
  const chosen = await visitor.submit(asked, { accountId })

  assert.ok(again.back.code)
  const claims = JSON.parse(Buffer.from(elsewhere.access_token.split('.')[1]!, 'base64url').toString())
  assert.equal(claims.account_id, birch.accountId)
  assert.doesNotMatch(text(asked), new RegExp(accountId))
  assert.equal(chosen.status, 400)
})

test('on the pages of a suspended organization a member can only leave', async (t) => {
  const app = await startTestApp(t)
  const { member, accountId, setStatus, pages, admin } = await usedOrganization(app)
  const visitor = await visitorOf(app, { accountId }, { id: member.user.id, email: member.email })
  await visitor.open()
  await setStatus('suspended')

  const shown = await visitor.open()
  const others = await Promise.all(['/members', '/invitations', '/activity'].map((path) => pages.open(path)))
  const change = await pages.send('/settings', { name: 'Mine', nameBefore: 'Acme' })
  const listed = await visitor.browser.get('/account/accounts')
  const left = await visitor.browser.post(`/account/organizations/${accountId}/leave`, {
    csrf: csrfOf(shown),
  })

  assert.deepEqual([shown.status, ...others.map(({ status }) => status)], [403, 403, 403, 403])
  assert.deepEqual(
    [change.status, change.headers.get('location')],
    [303, `/account/organizations/${accountId}`],
  )
  assert.match(text(shown), /is suspended and cannot use[\s\S]*action="[^"]+\/leave"/)
  assert.match(text(listed), /suspended/)
  assert.match(left.headers.get('location') ?? '', /done=left/)
  const last = await pages.send('/leave')
  assert.equal(last.status, 409)
  const remaining = (await app.platform.get(`/admin/memberships?accountId=${accountId}`)).body.data
  assert.ok(remaining.some(({ user }: { user: { id: string } }) => user.id === admin.id))
  assert.ok(!remaining.some(({ user }: { user: { id: string } }) => user.id === member.user.id))
})

test('P51: each rank suspends, also beside another; a lower one does not resume, and an account that is sent back as read changes nothing', async (t) => {
  const app = await startTestApp(t)
  const { accountId, account, setStatus } = await usedOrganization(app)
  const { platform } = app
  const by = async () => (await platform.get(`/admin/accounts/${accountId}`)).body.suspendedBy

  const ownStatus = await setStatus('active', account)
  const tooLow = await setStatus('suspended', account)
  const steps = [
    await setStatus('suspended', platform),
    await setStatus('suspended'),
    await setStatus('active'),
  ]
  const held = await by()
  await setStatus('active', platform)
  await setStatus('suspended')
  const { createdAt: _, ...read } = (await platform.get(`/admin/accounts/${accountId}`)).body
  const sentBack = await platform.patch(`/admin/accounts/${accountId}`, { ...read, name: 'Acme Ltd' })
  const ofSystem = await by()
  await setStatus('suspended', platform)
  const ofBoth = await by()
  const stillHeld = await setStatus('active')
  await setStatus('active', platform)

  assert.deepEqual(
    [outcome(ownStatus), outcome(tooLow)],
    [
      [200, undefined],
      [403, 'insufficient_authority'],
    ],
  )
  assert.deepEqual(steps.map(outcome), [
    [200, undefined],
    [200, undefined],
    [403, 'insufficient_authority'],
  ])
  assert.deepEqual(held, ['platform', 'system'])
  assert.deepEqual([outcome(sentBack), ofSystem], [[200, undefined], ['system']])
  assert.deepEqual(
    [ofBoth, outcome(stillHeld)],
    [
      ['platform', 'system'],
      [403, 'insufficient_authority'],
    ],
  )
  assert.deepEqual(await by(), [])
  const events = await app.findEvents({ accountId })
  const types = events.map(({ type }) => type).filter((type) => /suspended|resumed/.test(type))
  assert.deepEqual(types, ['account.suspended', 'account.resumed', 'account.suspended', 'account.resumed'])
  const entries = await app.audited({ targetId: accountId, action: 'account.suspended' })
  assert.deepEqual(
    entries.map(({ changes }) => changes),
    [
      { status: ['active', 'suspended'], suspendedBy: [[], ['platform']] },
      { suspendedBy: [['platform'], ['platform', 'system']] },
      { status: ['active', 'suspended'], suspendedBy: [[], ['system']] },
      { suspendedBy: [['system'], ['platform', 'system']] },
    ],
  )
})

test('P51: an organization that the platform has suspended is not deleted by its system', async (t) => {
  const app = await startTestApp(t)
  const { accountId, service, setStatus } = await usedOrganization(app)
  await setStatus('suspended', app.platform)

  const refused = await service.delete(`/admin/accounts/${accountId}`)
  const kept = await app.platform.get(`/admin/accounts/${accountId}`)
  await setStatus('active', app.platform)
  await setStatus('suspended')
  const deleted = await service.delete(`/admin/accounts/${accountId}`)

  assert.deepEqual([outcome(refused), kept.status], [[403, 'insufficient_authority'], 200])
  assert.equal(deleted.status, 204)
})

test('personal accounts and those of platform systems are not suspended', async (t) => {
  const app = await startTestApp(t)
  const { membership } = await app.newMember()
  const operator = await app.newUser()
  const [system] = (await app.platform.get('/admin/systems?search=platform')).body.data.filter(
    ({ platform }: { platform: boolean }) => platform,
  )
  const ofPlatform = await app.newMembership({
    userId: operator.id,
    systemId: system.id,
    accountName: 'Staff',
  })
  const suspend = (id: string) => app.platform.patch(`/admin/accounts/${id}`, { status: 'suspended' })

  assert.deepEqual(outcome(await suspend(membership.accountId)), [409, 'not_organization'])
  assert.deepEqual(outcome(await suspend(ofPlatform.accountId)), [409, 'platform_system'])
})

test('P21: of sign-ins at the same time as the suspension no session is left', async (t) => {
  const app = await startTestApp(t)
  const { system, member, accountId, setStatus } = await usedOrganization(app)
  const visitors = await Promise.all(
    [1, 2, 3, 4].map(async () => (await app.signIn(system, { email: member.email })).visitor),
  )
  await app.platform.delete(`/admin/sessions/by-system/${system.id}`)

  const [, ...signIns] = await Promise.all([
    setStatus('suspended'),
    ...visitors.map((visitor) => app.authorize(system, { email: member.email, visitor })),
  ])
  const sessions = (await app.platform.get(`/admin/sessions?accountId=${accountId}`)).body.total

  assert.equal(sessions, 0)
  for (const signIn of signIns)
    if (signIn.back.code)
      assert.deepEqual(outcome(await app.token(system, codeFields(system, signIn))), [400, 'invalid_grant'])
})

test('the list of accounts is filtered by status', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, setStatus } = await usedOrganization(app)
  await setStatus('suspended')

  const listed = async (status: string) =>
    (await app.platform.get(`/admin/accounts?systemId=${system.id}&status=${status}`)).body.data.map(
      ({ id }: { id: string }) => id,
    )

  assert.deepEqual(await listed('suspended'), [accountId])
  assert.ok(!(await listed('active')).includes(accountId))
})
