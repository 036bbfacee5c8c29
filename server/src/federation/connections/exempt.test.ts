/** Members who are exempt from the single sign-on that their organization requires. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { consoleClient, signInToConsole } from '../../../test/support/console.ts'
import { newExemptible } from '../../../test/support/exempt-members.ts'
import { sendTo, stepOf } from '../../../test/support/factors.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { text, visitorOf } from '../../../test/support/organizations.ts'
import { backOf, linkTo, signInAs, tokensOf } from '../../../test/support/sso-sign-in.ts'
import { type Answer, authUrl, newPkce } from '../../../test/support/testing.ts'
import { and, eq, sql } from '../../database/drizzle.ts'
import { systemUsers, totpFactors, users } from '../../database/schema.ts'

type Place = Awaited<ReturnType<typeof newExemptible>>

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
const isConnectionStep = (page: Answer, { connection }: Place) => {
  assert.equal(page.status, 200, text(page))
  assert.match(linkTo(page, connection.id), /^\/interaction\//, text(page))
}
const tokensAfter = async (place: Place, { pkce, end }: { pkce: ReturnType<typeof newPkce>; end: Answer }) =>
  tokensOf(place, { pkce, end, back: backOf(end) })

test('P103: an exempt member signs in with a password and a second factor', async (t) => {
  const place = await newExemptible(t)
  const { app, contractor, logInAs, enter, exempt, accountId } = place
  await place.require()
  const before = await logInAs(contractor, app.newBrowser())
  const answer = await exempt()

  const signedIn = await enter(app.newBrowser())
  const tokens = await tokensAfter(place, signedIn)

  isConnectionStep(before.page, place)
  assert.deepEqual([answer.ssoExempt, answer.ssoExemptBy], [true, 'platform'])
  assert.equal(stepOf(signedIn.page), 'second-factor')
  const { account_id: at, amr } = decodeJwt(tokens.access_token)
  assert.deepEqual([at, amr], [accountId, ['pwd', 'otp', 'mfa']])
  expectStatus(await app.refresh(place.system as never, tokens.refresh_token), 200)
  const entries = (await app.platform.get(`/admin/audit?action=membership.sso_exempt`)).body.data
  assert.deepEqual(entries[0].changes, { ssoExempt: [false, true], ssoExemptBy: [null, 'platform'] })
})

test('an exempt member may sign in by the connection too, and needs no factor then', async (t) => {
  const place = await newExemptible(t)
  await place.exempt()
  await place.require()
  const claims = place.person('rui', { email: place.contractor.email })
  const link = { ...claims, email: `rui@${place.name}` }
  await place.app.db.update(users).set({ email: link.email }).where(eq(users.id, place.contractor.id))
  await place.app.db
    .update(systemUsers)
    .set({ email: link.email })
    .where(eq(systemUsers.userId, place.contractor.id))

  const tokens = await tokensOf(place, await signInAs(place, link))

  assert.deepEqual(decodeJwt(tokens.access_token).amr, ['fed'])
})

test('P142: without a second factor there is no exemption, and with none left it is void', async (t) => {
  const place = await newExemptible(t)
  const { app, service, member, contractor, exempt, logInAs, memberAt, system } = place
  await place.require()
  const none = await app.platform.patch(`/admin/memberships/${member.id}`, { ssoExempt: true })
  await exempt()
  expectStatus(await app.platform.post(`/admin/users/${contractor.id}/disable-mfa`), 200)
  const browser = app.newBrowser()

  const { page } = await logInAs(contractor, browser)
  const json = await browser.request(
    new URL(linkTo(page, place.connection.id), app.url).pathname.split('/connection')[0]!,
    {
      headers: { accept: 'application/json' },
    },
  )
  const enrolled = await sendTo(browser, page, 'enrol', { code: '000000' })

  assert.deepEqual(outcomeOf(none), [409, 'factor_missing'])
  isConnectionStep(page, place)
  assert.match(text(page), /only with a second factor that you had/)
  assert.equal(json.body.reason, 'exempt_without_factor')
  assert.notEqual(enrolled.status, 200)
  assert.deepEqual(await app.db.select().from(totpFactors).where(eq(totpFactors.userId, contractor.id)), [])
  const { data } = (await service.get(`/admin/audit?action=sign_in.refused`)).body
  assert.deepEqual(data[0].changes.reason, [null, 'exempt_without_factor'])
  assert.equal((await app.platform.get(memberAt)).body.ssoExempt, true)
  assert.equal(system.id, data[0].systemId)
})

test('P142: a factor that somebody with the password enrolls elsewhere does not enter', async (t) => {
  const place = await newExemptible(t, { requireMfa: false })
  const { app, contractor, exempt, logInAs } = place
  await exempt()
  await place.require()
  const factorOf = eq(totpFactors.userId, contractor.id)
  const [own] = await app.db.select().from(totpFactors).where(factorOf)
  const signsIn = async () => stepOf((await logInAs(contractor, app.newBrowser())).page)

  const before = await signsIn()
  // The first factor of another scope, beside the own one: enrolled with no factor of that scope.
  const thief = { ...own!, id: crypto.randomUUID(), systemId: place.system.id, confirmedAt: new Date() }
  await app.db.insert(totpFactors).values(thief)
  const besideOwn = await signsIn()
  // The own one is gone, and one was enrolled with the password alone.
  await app.db.delete(totpFactors).where(factorOf)
  await app.db.insert(totpFactors).values({ ...own!, confirmedAt: new Date() })
  const instead = await signsIn()
  // Exempted again, with the factors that there are now.
  await exempt(false)
  await exempt()
  const again = await signsIn()

  assert.equal(before, 'second-factor')
  // The form of the step `connection`, to sign in as another user.
  assert.equal(besideOwn, 'another')
  assert.equal(instead, 'another')
  assert.equal(again, 'second-factor')
})

test('P142: the end of an exemption ends what the member has opened without a connection', async (t) => {
  const place = await newExemptible(t)
  const { app, contractor, exempt, enter, logInAs, system } = place
  await exempt()
  await place.require()
  const browser = app.newBrowser()
  const signedIn = await enter(browser)
  const tokens = await tokensAfter(place, signedIn)
  const elsewhere = await app.newMember()
  const other = await app.signIn(elsewhere.system, { email: elsewhere.user.email })
  const late = await enter(app.newBrowser())

  await exempt(false)

  const silent = await browser.follow(
    await browser.get(authUrl(system as never, newPkce().challenge, { prompt: 'none' })),
  )
  assert.equal((await app.me(tokens.access_token)).status, 401)
  assert.equal((await app.refresh(system as never, tokens.refresh_token)).status, 400)
  assert.equal(backOf(silent).error, 'login_required')
  await assert.rejects(tokensAfter(place, late))
  isConnectionStep((await logInAs(contractor, app.newBrowser())).page, place)
  expectStatus(await app.me(other.access_token), 200)
})

test('requiring it ends the sessions of exempt members too, who sign in again with a factor', async (t) => {
  const place = await newExemptible(t)
  const { app, exempt, enter } = place
  const tokens = await tokensAfter(place, await enter(app.newBrowser()))
  await exempt()

  await place.require()

  assert.equal((await app.me(tokens.access_token)).status, 401)
  expectStatus(await app.me((await tokensAfter(place, await enter(app.newBrowser()))).access_token), 200)
})

test('P73: an exemption by a lower authority does not count where a higher one requires single sign-on', async (t) => {
  const place = await newExemptible(t)
  const { app, at, admin, service, contractor, enter, logInAs, memberAt } = place
  const byAdmin = await admin.patch(memberAt, { ssoExempt: true })
  expectStatus(await service.patch(at, { ssoRequired: true }), 200)

  const step = await logInAs(contractor, app.newBrowser())
  const again = await admin.patch(memberAt, { ssoExempt: false })
  const raised = await service.patch(memberAt, { ssoExempt: true })
  const entered = await tokensAfter(place, await enter(app.newBrowser()))
  expectStatus(await app.platform.patch(at, { ssoRequired: true }), 200)
  const ended = await app.me(entered.access_token)
  const refused = await service.patch(memberAt, { ssoExempt: false })
  const byService = await service.patch(memberAt, { ssoExempt: true })
  const byPlatform = await app.platform.patch(memberAt, { ssoExempt: true })
  const undone = await service.patch(memberAt, { ssoExempt: false })

  assert.deepEqual([byAdmin.status, byAdmin.body.ssoExemptBy], [200, 'account'])
  isConnectionStep(step.page, place)
  assert.equal(again.status, 401, 'the sessions of the admin have ended')
  assert.deepEqual([raised.status, raised.body.ssoExemptBy], [200, 'system'])
  assert.equal(ended.status, 401)
  assert.deepEqual([refused.status, refused.body.ssoExempt], [200, false])
  assert.deepEqual(outcomeOf(byService), [403, 'insufficient_authority'])
  assert.deepEqual([byPlatform.status, byPlatform.body.ssoExemptBy], [200, 'platform'])
  assert.deepEqual(outcomeOf(undone), [403, 'insufficient_authority'])
})

test('P103: an admin exempts others, not themself, and only where they set up single sign-on', async (t) => {
  const place = await newExemptible(t, { isAdmin: true })
  const { app, admin, memberAt, system, enter } = place
  const tokens = await tokensAfter(place, await enter(app.newBrowser()))
  const self = app.as(tokens.access_token)

  const own = await self.patch(memberAt, { ssoExempt: true })
  const read = expectStatus(await self.get(memberAt), 200).body
  const sentBack = await self.patch(memberAt, { status: 'active', ssoExempt: false, ssoExemptBy: null })
  const byOther = await admin.patch(memberAt, { ssoExempt: true })
  const lifted = await self.patch(memberAt, { ssoExempt: false })
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'system' })
  const withoutRight = await admin.patch(memberAt, { ssoExempt: true })
  const empty = await admin.patch(memberAt, {})

  assert.deepEqual(outcomeOf(own), [403, 'insufficient_authority'])
  assert.deepEqual([read.ssoExempt, read.ssoExemptBy], [false, null])
  assert.equal(sentBack.status, 200, JSON.stringify(sentBack.body))
  assert.deepEqual([byOther.status, byOther.body.ssoExempt], [200, true])
  assert.deepEqual([lifted.status, lifted.body.ssoExempt], [200, false])
  assert.deepEqual(outcomeOf(withoutRight), [403, 'sso_not_enabled'])
  assert.deepEqual(outcomeOf(empty), [400, 'invalid_request'])
})

test('a factor that is valid everywhere counts only for a member who has entered the system', async (t) => {
  const place = await newExemptible(t)
  const { app, contractor, memberAt, system } = place
  const row = and(eq(systemUsers.userId, contractor.id), eq(systemUsers.systemId, system.id))
  await app.db.update(systemUsers).set({ enteredAt: null }).where(row)

  const unknown = await app.platform.patch(memberAt, { ssoExempt: true })
  await app.db.update(systemUsers).set({ enteredAt: sql`now()` }).where(row)
  const known = await app.platform.patch(memberAt, { ssoExempt: true })

  assert.deepEqual(outcomeOf(unknown), [409, 'factor_missing'])
  assert.equal(known.status, 200)
})

test('P142: the other admins get an email about an exemption, and once an hour about an exempt admin who signs in', async (t) => {
  const place = await newExemptible(t, { isAdmin: true })
  const { app, accountId, system, exempt, enter, contractor, service } = place
  const boss = await app.newUser()
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.newMembership({ userId: boss.id, systemId: system.id, accountId, roles: [role.id] })
  await exempt()
  await place.require()

  await enter(app.newBrowser())
  await enter(app.newBrowser())

  const kinds = async (email: string) =>
    (await app.emailsTo(email)).map(({ kind }) => kind).filter((kind) => /exempt/.test(kind))
  assert.deepEqual(await kinds(boss.email), ['member_exempt', 'exempt_sign_in'])
  assert.deepEqual(await kinds(contractor.email), ['member_exempt'])
  const [, about] = (await app.emailsTo(boss.email)).filter(({ kind }) => /exempt/.test(kind))
  assert.ok(about!.text.replaceAll('\u2060', '').includes(contractor.email), about!.text)
  const { data } = (await service.get('/admin/audit?action=connection.exempt_sign_in')).body
  assert.deepEqual(
    data.map(({ actor, target }: { actor: object; target: object }) => [
      (actor as { id: string }).id,
      (target as { id: string }).id,
    ]),
    Array(2).fill([contractor.id, place.contractorAs.id]),
  )
})

test('P102: the pages of the organization and the console ask an exempt admin for the factor', async (t) => {
  const place = await newExemptible(t, { isAdmin: true })
  const { app, accountId, contractor, exempt } = place
  await exempt()
  await place.require()
  const member = { accountId }
  const visitor = await visitorOf(app, member, place.user)
  const closed = await visitor.open('/members')
  const browser = app.newBrowser()
  const before = (await app.platform.get(`/admin/audit?action=connection.exempt_sign_in`)).body.total
  const page = await signInToConsole(browser, contractor)
  const verified = await place.withFactor(browser, page)
  const client = consoleClient(app.url, browser, contractor, `account:${accountId}`)

  const members = await client.get(`/admin/accounts/${accountId}/members`)
  const opened = await browser.get(`/account/organizations/${accountId}/members`)
  const noted = await app.platform.get(`/admin/audit?action=connection.exempt_sign_in`)
  await exempt(false)
  const after = await client.get(`/admin/accounts/${accountId}/members`)
  const shut = await browser.get(`/account/organizations/${accountId}/members`)

  assert.equal(closed.status, 403)
  assert.equal(stepOf(page), 'second-factor')
  assert.ok(verified.status < 400)
  expectStatus(members, 200)
  expectStatus(opened, 200)
  assert.equal(noted.body.total, before + 1, 'once for a browser session')
  assert.deepEqual(outcomeOf(after), [404, 'context_not_found'])
  assert.equal(shut.status, 403)
})
