/** The sign-in by a connection of an organization: which user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { newName } from '../../../test/support/domains.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { visitOther } from '../../../test/support/other-provider.ts'
import {
  backOf,
  goThrough,
  linkTo,
  open,
  signIn,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { authUrl, codeFields, newPkce, PASSWORD } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { connectionLinks, memberships, users } from '../../database/schema.ts'

test('a person of a verified domain becomes a member, and signs in again by the link', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, other, person, connection, system, accountId, attempts } = place
  other.claims = person('ana')

  const first = await tokensOf(place, await signIn(place, app.newBrowser()))
  const again = await tokensOf(
    place,
    await signIn(place, app.newBrowser(), { account_id: undefined, connection: connection.id }),
  )

  const [claims, later] = [decodeJwt(first.id_token), decodeJwt(again.id_token)]
  assert.deepEqual([claims.sub, claims.account_id], [later.sub, accountId])
  assert.deepEqual(claims.amr, ['fed'])
  const [user] = await app.db
    .select()
    .from(users)
    .where(eq(users.id, String(claims.sub)))
  assert.deepEqual(
    [user?.email, user?.emailVerified, user?.name, user?.lastLoginAt],
    [person('ana').email, false, null, null],
  )
  const [member] = await app.db.select().from(memberships).where(eq(memberships.userId, user!.id))
  assert.deepEqual([member?.addedBy, member?.confirmEntry, member?.status], ['account', false, 'active'])
  assert.deepEqual(await attempts(), [
    ['signed_in', null],
    ['signed_in', null],
  ])
  const entries = await app.audited({ targetId: user!.id, action: 'user.login' })
  assert.deepEqual(
    entries.map(({ systemId, accountId: of, changes }) => [systemId, of, changes?.connection]),
    Array(2).fill([system.id, accountId, [null, connection.id]]),
  )
})

test('P70: a login by an organization opens its account only: no other account, no system, no page of the user', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, other, person, system, admin } = place
  other.claims = person('ana')
  const browser = app.newBrowser()
  const { sub } = decodeJwt((await tokensOf(place, await signIn(place, browser))).id_token)
  const elsewhere = await app.newMembership({ userId: sub, systemId: system.id, accountName: 'Elsewhere' })
  const foreign = await app.newSystem({ multiAccount: true })
  await app.newMembership({ userId: sub, systemId: foreign.id, accountName: 'Foreign' })

  const silently = async (of: object, more: Record<string, string | undefined>) =>
    backOf(
      await browser.follow(
        await browser.get(authUrl(of as never, newPkce().challenge, { prompt: 'none', ...more })),
      ),
    )
  const its = await silently(system, { account_id: place.accountId })
  const only = await silently(system, {})
  const refused = [
    await silently(system, { account_id: elsewhere.accountId }),
    await silently(system, { account_id: crypto.randomUUID() }),
    await silently(foreign, {}),
  ]
  const stranger = app.newBrowser()
  const nobody = backOf(
    await stranger.get(
      authUrl(system as never, newPkce().challenge, { prompt: 'none', account_id: place.accountId }),
    ),
  )
  const page = (await open({ ...place, accountId: String(elsewhere.accountId) }, browser)).page
  const account = await browser.get('/account')

  assert.ok(its.code && only.code)
  for (const answer of refused) assert.deepEqual({ ...answer, state: '' }, { ...nobody, state: '' })
  assert.equal(nobody.error, 'login_required')
  assert.match(String(page.body), /name="password"/)
  assert.equal(account.status, 303)
  assert.ok(admin)
})

test('P69, P79: an address that the organization does not vouch for leads to nobody, and links nothing', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, other, person, attempts, name } = place
  const victim = await app.newUser({ email: `victim@${newName()}` })
  const known = await app.newUser({ email: `known@${name}` })
  const stated: [object, string][] = [
    [person('a', { email: victim.email }), 'address_foreign'],
    [person('b', { email: known.email, email_verified: false }), 'address_unverified'],
    [person('c', { email: known.email, email_verified: undefined }), 'address_unverified'],
    [person('d', { email: known.email, acct: 1 }), 'address_unverified'],
    [person('e', { email: undefined, email_verified: undefined }), 'no_address'],
  ]

  for (const [claims, code] of stated) {
    other.claims = claims as never
    const { end } = await signIn(place, app.newBrowser())
    assert.equal(end.status, 403, code)
    assert.match(String(end.body), /You are not signed in/)
    assert.deepEqual((await attempts())[0], ['refused', code])
  }
  assert.equal(
    (await app.db.select().from(connectionLinks).where(eq(connectionLinks.connectionId, place.connection.id)))
      .length,
    0,
  )
  for (const { id } of [victim, known])
    assert.equal((await app.db.select().from(memberships).where(eq(memberships.userId, id))).length, 0)
})

test('without jit only members and invited people sign in, with the roles of the invitation', async (t) => {
  const place = await startConnection(t)
  const { app, other, person, admin, system, accountId, attempts, service } = place
  const role = await app.newRole(system.id)
  const stranger = await signInAs(place, person('stranger'))
  expectStatus(
    await service.post(`/admin/accounts/${accountId}/invitations`, {
      email: person('ana').email,
      roles: [role.id],
    }),
    201,
  )
  const invited = await tokensOf(place, await signInAs(place, person('ana')))
  const known = await app.newUser({ email: person('bob').email })
  await app.newMembership({ userId: known.id, systemId: system.id, accountId })
  const member = await tokensOf(place, await signInAs(place, person('bob')))

  assert.equal(stranger.end.status, 403)
  assert.deepEqual(decodeJwt(invited.access_token).roles, [role.name])
  assert.equal(decodeJwt(member.id_token).sub, known.id)
  assert.deepEqual(await attempts(), [
    ['signed_in', null],
    ['signed_in', null],
    ['refused', 'not_member'],
  ])
  assert.ok(other && admin)
  const emails = await app.emailsTo(known.email)
  assert.equal(emails.length, 1)
})

test('P144: a connection lifts no block, also none of the organization', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, admin, attempts } = place
  const { sub } = decodeJwt((await tokensOf(place, await signInAs(place, person('ana')))).id_token)
  const [member] = await app.db
    .select()
    .from(memberships)
    .where(eq(memberships.userId, String(sub)))
  const path = `/admin/memberships/${member!.id}`

  expectStatus(await admin.patch(path, { status: 'blocked' }), 200)
  const blocked = await signInAs(place, person('ana'))
  expectStatus(await admin.delete(path), 204)
  const removed = await signInAs(place, person('ana'))

  assert.ok(!blocked.back.code && !removed.back.code)
  assert.deepEqual((await attempts())[0], ['refused', 'not_member'])
})

test('P139: a connection signs in nobody with a reserved role', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, system, accountId, attempts } = place
  for (const [sub, role] of [
    ['acting', { canActForMembers: true, assignableByAccountAdmins: false }],
    ['reserved', { assignableByAccountAdmins: false }],
  ] as const) {
    const user = await app.newUser({ email: person(sub).email })
    const { id } = await app.newRole(system.id, role)
    await app.newMembership({ userId: user.id, systemId: system.id, accountId, roles: [id] })
    const { end } = await signInAs(place, person(sub))
    assert.equal(end.status, 403)
    assert.deepEqual((await attempts())[0], ['refused', 'reserved_role'])
  }
})

test('another subject of a linked user, or a linked subject with a foreign address, is a conflict', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { person, attempts, name } = place
  await tokensOf(place, await signInAs(place, person('ana')))

  const second = await signInAs(place, person('other', { email: person('ana').email }))
  const foreign = await signInAs(place, person('ana', { email: 'ana@elsewhere.example' }))
  const renamed = await tokensOf(place, await signInAs(place, person('ana', { email: `lovelace@${name}` })))

  assert.deepEqual([second.end.status, foreign.end.status], [403, 403])
  assert.deepEqual((await attempts()).slice(1, 3), Array(2).fill(['refused', 'identity_conflict']))
  assert.ok(renamed.id_token)
})

test('own credentials open a membership that a connection has added only with a mailed code', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, system, accountId } = place
  const known = await app.newUser({ email: person('ana').email })
  await tokensOf(place, await signInAs(place, person('ana')))
  const browser = app.newBrowser()

  const { page } = await open(place, browser)
  const login = await browser.get(/href="([^"]+ways=other)"/.exec(String(page.body))![1]!)
  const next = await browser.follow(await browser.submit(login, { email: known.email, password: PASSWORD }))

  assert.equal(next.status, 200)
  assert.match(String(next.body), /name="code"/)
  const { visitor } = { visitor: browser }
  const code = /\b(\d{6})\b/.exec(String((await app.emailsTo(known.email)).at(-1)?.text))?.[1] ?? ''
  let end = await visitor.follow(await visitor.submit(next, { code }))
  if (end.status === 200) end = await visitor.follow(await visitor.submit(end))
  assert.ok(backOf(end).code, String(end.body))
  const [member] = await app.db.select().from(memberships).where(eq(memberships.userId, known.id))
  assert.equal(member?.confirmEntry, false)
  assert.ok(system && accountId)
})

test('P137: another user than the one of the browser is signed in only by the form of a page that names both', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, system, other } = place
  const browser = app.newBrowser()
  const own = await app.newUser()
  await app.newMembership({ userId: own.id, systemId: system.id, accountName: 'Own' })
  await app.signIn(system as never, { email: own.email, visitor: browser })
  other.claims = person('ana')

  const { pkce, page } = await open(place, browser, { prompt: 'login' })
  const asked = await goThrough(browser, page, place.connection.id, other)
  const forged = await browser.post(/action="([^"]+\/connection)"/.exec(String(asked.body))![1]!, {
    csrf: 'x',
  })
  const before = await app.db
    .select()
    .from(users)
    .where(eq(users.email, person('ana').email))
  const json = await browser.get(/action="([^"]+\/connection)"/.exec(String(asked.body))![1]!, {
    accept: 'application/json',
  })
  let end = await browser.follow(await browser.submit(asked))
  for (let hops = 0; hops < 3 && end.status === 200; hops++)
    end = await browser.follow(await browser.submit(end))

  assert.equal(asked.status, 200)
  for (const { email } of [own, person('ana')]) assert.ok(String(asked.body).includes(email))
  assert.equal(forged.status, 403)
  assert.deepEqual(before, [])
  assert.deepEqual(
    [(json.body as { step: string }).step, (json.body as { new: { email: string } }).new.email],
    ['another_user', person('ana').email],
  )
  assert.ok(backOf(end).code, String(end.body))
  const { body } = await app.token(system as never, codeFields(system as never, { back: backOf(end), pkce }))
  assert.notEqual(decodeJwt(body.id_token).sub, own.id)
})

test('P147: the answer of a provider is refused in another sign-in, for another account, and after the connection is disabled', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, other, connection, admin, join, connect } = place
  other.claims = person('ana')
  const browser = app.newBrowser()
  const neighbor = await join()
  const theirs = await connect(neighbor as never)

  const { page } = await open(place, browser)
  const uid = /\/interaction\/([\w-]+)\//.exec(linkTo(page, connection.id))![1]!
  const wrong = [
    await browser.get(`/interaction/${uid}/connection/${theirs.id}`),
    await browser.get(`/interaction/${uid}/connection/${crypto.randomUUID()}`),
    await browser.get(`/interaction/${uid}/connection/x`),
  ]
  const stranger = await app.newBrowser().get(`/interaction/${uid}/connection/${connection.id}`)
  const away = await browser.get(linkTo(page, connection.id))
  const back = await visitOther(other, away.headers.get('location'))
  const elsewhere = await app.newBrowser().get(back)
  const kept = new Map(browser.jar)
  const arrived = await browser.get(back)
  for (const [key, cookie] of kept) browser.jar.set(key, cookie)
  const replayed = await browser.get(back)
  expectStatus(await admin.patch(connection.path, { enabled: false }), 200)
  const disabled = await browser.get(arrived.headers.get('location')!)

  assert.deepEqual(
    wrong.map(({ status }) => status),
    [404, 404, 404],
  )
  assert.notEqual(stranger.headers.get('location')?.startsWith(other.url), true)
  assert.deepEqual([elsewhere.status, arrived.status, replayed.status], [400, 303, 400])
  assert.equal(disabled.status, 404)
})
