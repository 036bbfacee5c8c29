/** The ends of flows lead on to the application: emailed links, sign-ins, devices, invitations, errors. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { approve, askAs, member } from '../../test/support/device.ts'
import { uidOf } from '../../test/support/factors.ts'
import { invited, newAddress, newOrganization } from '../../test/support/invitations.ts'
import {
  begin,
  follow,
  newEmail,
  newestLink,
  newOpenSystem,
  OWN,
  register,
} from '../../test/support/registration.ts'
import { type Answer, authUrl, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { invitations, oneTimeTokens, registrations, systems } from '../database/schema.ts'

const START = 'https://app.example/start?from=mail'
const OWN_ADDRESSES = { initiateLoginUri: START, clientUri: 'https://home.example/', name: 'Orders' }

const text = ({ body }: Answer) => String(body)
const hrefOf = (page: Answer) =>
  /<a class="button(?: quiet)?" id="next" href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/.exec(text(page))
/** Where the button of a page leads, with the parameters that the application gets. */
function wayOn(page: Answer) {
  const [, href = '', label = ''] = hrefOf(page) ?? []
  if (!href.startsWith('http')) return href
  const { origin, pathname, searchParams } = new URL(href.replaceAll('&amp;', '&'))
  assert.match(label, /^(Continue to|Register again for) <bdi>Orders<\/bdi>$/)
  assert.match(text(page), /<title>[^<]*Orders/)
  return { at: origin + pathname, ...Object.fromEntries(searchParams) }
}
const later = sql`now() - interval '1 minute'`

async function newSystem(t: TestContext, fields: object = {}) {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app, { ...OWN_ADDRESSES, ...fields })
  const toStart = (more: object = {}) => ({
    at: 'https://app.example/start',
    from: 'mail',
    iss: app.url,
    ...more,
  })
  return { app, system, toStart }
}

/** A reset that was asked for on the sign-in page of the application. */
async function askedReset(
  app: Awaited<ReturnType<typeof startTestApp>>,
  system: Parameters<typeof begin>[1],
  email: string,
) {
  const browser = app.newBrowser()
  await browser.submit(await follow(browser, await begin(browser, system), 'forgot-password'), { email })
  return newestLink(app, email)
}

test('the page of a reset has the brand of the application that caused it, and its end leads there', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const user = await app.newUser()
  const stranger = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const browser = app.newBrowser()

  const form = await browser.get(await askedReset(app, system, user.email))
  const done = await browser.submit(form, { password: OWN, passwordAgain: OWN })
  const ofStranger = await browser.submit(await browser.get(await askedReset(app, system, stranger.email)), {
    password: OWN,
    passwordAgain: OWN,
  })

  assert.match(text(form), /<title>[^<]*Orders/)
  assert.match(text(done), /Your password was changed/)
  assert.deepEqual(wayOn(done), toStart({ login_hint: user.email }))
  // The application may not read the address of a user who is not one of its own.
  assert.deepEqual(wayOn(ofStranger), toStart())
})

test('the application of a link is that of its row, whatever the address of the page says', async (t) => {
  const { app, toStart, system } = await newSystem(t)
  const other = await app.newSystem({ name: 'Evil', clientUri: 'https://evil.example/' })
  const user = await app.newUser()
  const link = await askedReset(app, system, user.email)
  const { link: ofPlatform } = await app.mailedLink('send-password-reset', user)
  const browser = app.newBrowser()
  const more = `&client_id=${other.clientId}&system_id=${other.id}`

  const page = await browser.get(`${link}${more}`)
  const own = await browser.get(`${ofPlatform}${more}`)
  const done = await browser.submit(page, { password: OWN, passwordAgain: OWN })
  const ended = await browser.get(`${ofPlatform}${more}`)

  for (const each of [page, own, done, ended]) assert.doesNotMatch(text(each), /Evil|evil\.example/)
  assert.deepEqual(wayOn(done), toStart())
  assert.deepEqual([ended.status, wayOn(ended)], [410, '/account'])
})

test('a used, replaced or expired reset leads on, and sends another link to its own user', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const user = await app.newUser()
  const links = [
    await askedReset(app, system, user.email),
    await askedReset(app, system, user.email),
  ] as const
  const browser = app.newBrowser()
  await browser.submit(await browser.get(links[0]), { password: OWN, passwordAgain: OWN })

  const ended = [await browser.get(links[0]), await browser.get(links[1])]
  const twice = await browser.submit(
    { ...ended[0]!, body: text(ended[0]!).replace('/reset-password/again', '/reset-password') },
    { password: OWN, passwordAgain: OWN },
  )
  const before = (await app.emailsTo(user.email)).length
  const sent = await browser.submit(ended[1]!)
  const mails = (await app.emailsTo(user.email)).slice(before)
  const renewed = await browser.get(/https?:\S+/.exec(mails[0]!.text)![0])

  for (const page of [...ended, twice]) {
    assert.equal(page.status, 410)
    assert.match(text(page), /This link no longer works/)
    assert.match(text(page), /action="\/reset-password\/again"/)
    assert.deepEqual(wayOn(page), toStart())
  }
  assert.match(text(sent), /If the address is still that of a user, we sent a new link/)
  assert.deepEqual(wayOn(sent), toStart())
  assert.deepEqual(
    mails.map(({ kind, subject }) => [kind, subject]),
    [['password_reset', 'Choose a new password for Orders']],
  )
  assert.equal(renewed.status, 200)
})

test('a new link is sent only to the address of the row while it is that of its user, with one answer', async (t) => {
  const { app, system } = await newSystem(t)
  const user = await app.newUser()
  const link = await askedReset(app, system, user.email)
  const token = new URL(link, app.url).searchParams.get('token')!
  const again = (fields: Record<string, string>, headers = {}) =>
    app.newBrowser().post('/reset-password/again', fields, headers)
  const masked = (page: Answer) => text(page).replaceAll('Orders', '')
  const elsewhere = newEmail()
  await app.platform.patch(`/admin/users/${user.id}`, { email: elsewhere })
  const successor = await app.newUser({ email: user.email })
  const count = async () => [
    (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'password_reset').length,
    (await app.emailsTo(elsewhere)).filter(({ kind }) => kind === 'password_reset').length,
  ]
  const before = await count()

  const moved = await again({ token })
  const offered = await app.newBrowser().get(link)
  const foreign = await again({ token }, { origin: 'https://evil.example' })

  assert.deepEqual(await count(), before)
  assert.equal(moved.status, 200)
  assert.match(masked(moved), /we sent a new link/)
  assert.doesNotMatch(text(offered), /reset-password\/again/)
  assert.equal(foreign.status, 403)
  assert.ok(successor.id)
})

test('new links have the budget of visitors: three to an address, then one an hour', async (t) => {
  const { app, system } = await newSystem(t)
  const user = await app.newUser()
  const link = await askedReset(app, system, user.email)
  const token = new URL(link, app.url).searchParams.get('token')!

  for (let asked = 0; asked < 5; asked++) {
    const answer = await app.newBrowser().post('/reset-password/again', { token })
    assert.equal(answer.status, 200)
  }

  const sent = (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'password_reset')
  assert.equal(sent.length, 3)
})

test('a registration that is confirmed, used or expired leads to the application', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const [email, late] = [newEmail(), newEmail()]
  await register(app, system, { email })
  await register(app, system, { email: late })
  const [link, expired] = [await newestLink(app, email), await newestLink(app, late)]
  await app.db.update(registrations).set({ expiresAt: later }).where(eq(registrations.email, late))
  const browser = app.newBrowser()

  const form = await browser.get(link)
  const done = await browser.submit(form, { password: OWN, passwordAgain: OWN })
  const used = await browser.get(link)
  const gone = await browser.get(expired)

  assert.match(text(form), /<title>[^<]*Orders/)
  assert.deepEqual(wayOn(done), toStart({ login_hint: email }))
  assert.deepEqual([used.status, wayOn(used)], [410, toStart({ login_hint: email })])
  assert.deepEqual([gone.status, wayOn(gone)], [410, toStart()])
  assert.match(text(gone), /Register again for/)
  const rows = await app.db.select().from(registrations).where(eq(registrations.email, email))
  assert.deepEqual(
    rows.map(({ passwordHash }) => passwordHash),
    [''],
  )
})

test('a verified address and an expired verification lead to the application of the email', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, OWN_ADDRESSES)
  const toStart = { at: 'https://app.example/start', from: 'mail', iss: app.url }
  const path = `/admin/users/${org.admin.id}/resend-verification`
  assert.equal((await org.service.post(path)).status, 202)
  const [first] = [/https?:\S+/.exec((await app.emailsTo(org.admin.email)).at(-1)!.text)![0]]
  assert.equal((await org.service.post(path)).status, 202)
  const second = /https?:\S+/.exec((await app.emailsTo(org.admin.email)).at(-1)!.text)![0]
  const browser = app.newBrowser()

  const form = await browser.get(first)
  const done = await browser.submit(form)
  await app.db.update(oneTimeTokens).set({ expiresAt: later }).where(eq(oneTimeTokens.userId, org.admin.id))
  const gone = await browser.get(second)

  assert.match(text(form), /<title>[^<]*Orders/)
  assert.deepEqual(wayOn(done), { ...toStart, login_hint: org.admin.email })
  assert.deepEqual([gone.status, wayOn(gone)], [410, { ...toStart, login_hint: org.admin.email }])
  assert.doesNotMatch(text(gone), /again/)
})

test('answered, declined, blocked and expired invitations lead to the application', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { ...OWN_ADDRESSES, requireAdminActivation: true })
  const toStart = { at: 'https://app.example/start', from: 'mail', iss: app.url }
  const answer = async (decision: string) => {
    const { email, link } = await invited(app, org)
    const browser = app.newBrowser()
    const page = await browser.get(link)
    return { email, link, page: await browser.submit(page, { password: OWN, decision }) }
  }

  const pending = await answer('register')
  const declined = await answer('decline')
  const { link, invitation } = await invited(app, org, newAddress())
  await app.db.update(invitations).set({ expiresAt: later }).where(eq(invitations.id, invitation.id))
  const expired = await app.newBrowser().get(link)
  const used = await app.newBrowser().get(declined.link)

  assert.match(text(pending.page), /awaits approval/)
  assert.deepEqual([wayOn(pending.page), wayOn(declined.page)], [toStart, toStart])
  assert.deepEqual([expired.status, wayOn(expired)], [410, toStart])
  assert.match(text(expired), /Ask <bdi>Ana Lima<\/bdi> for a new invitation/)
  assert.deepEqual([used.status, wayOn(used)], [410, toStart])
  assert.doesNotMatch(text(used), /Ask <bdi>/)
})

test('a joined member continues at invitationUri, else at the page that starts a sign-in', async (t) => {
  const app = await startTestApp(t)
  const accepted = async (fields: object) => {
    const org = await newOrganization(app, { ...OWN_ADDRESSES, ...fields })
    const { email, link } = await invited(app, org)
    const browser = app.newBrowser()
    const done = await browser.submit(await browser.get(link), { password: OWN, decision: 'register' })
    const { origin, pathname, searchParams } = new URL(done.headers.get('location')!)
    assert.equal(searchParams.get('login_hint'), email)
    assert.equal(searchParams.get('account_id'), org.accountId)
    return origin + pathname
  }

  assert.equal(await accepted({}), 'https://app.example/start')
  const invitationUri = 'https://app.example/welcome'
  assert.equal(await accepted({ invitationUri }), invitationUri)
})

test('a sign-in that is finished, or bookmarked in its browser, leads to its application', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const browser = app.newBrowser()
  const login = await begin(browser, system)
  const path = `/interaction/${uidOf(login)}`
  await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))

  const finished = await browser.follow(await browser.get(path))
  for (const key of [...browser.jar.keys()]) if (/interaction|session/.test(key)) browser.jar.delete(key)
  const bookmarked = await browser.follow(await browser.get(path))
  const elsewhere = await app.newBrowser().follow(await app.newBrowser().get(path))

  assert.match(text(finished), /This sign-in is finished/)
  assert.match(text(bookmarked), /This sign-in has expired/)
  for (const page of [finished, bookmarked]) assert.deepEqual(wayOn(page), toStart())
  assert.equal(wayOn(elsewhere), '/account')
})

test('a refused form of a sign-in, and an invalid request, lead to the application', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const browser = app.newBrowser()
  const login = await begin(browser, system)

  const forged = await browser.post(`/interaction/${uidOf(login)}/login`, { csrf: 'x', email: 'a@b.test' })
  const wrong = await browser.get(
    authUrl(system, newPkce().challenge, { redirect_uri: 'https://evil.example/' }),
  )
  const signedOut = await browser.follow(
    await browser.get(
      `/session/end?client_id=${system.clientId}&post_logout_redirect_uri=https://evil.example/`,
    ),
  )

  for (const page of [forged, wrong, signedOut]) assert.deepEqual(wayOn(page), toStart(), text(page))
})

test('whoever is signed out gets back to the application', async (t) => {
  const { app, system, toStart } = await newSystem(t)
  const browser = app.newBrowser()

  const out = await browser.follow(await browser.get(`/session/end?client_id=${system.clientId}`))

  assert.match(text(out), /You are signed out/)
  assert.deepEqual(wayOn(out), toStart())
})

test('the end of a device sign-in leads to the application', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, OWN_ADDRESSES)
  const toStart = { at: 'https://app.example/start', from: 'mail', iss: app.url }

  const done = await approve(app.newBrowser(), (await askAs(app, system)).user_code, alice.email)

  assert.match(text(done), /Device connected/)
  assert.deepEqual(wayOn(done), toStart)
})

test('an address that breaks the rule is no way on, whatever the row has', async (t) => {
  const { app } = await newSystem(t)
  const signedOut = async (row: Partial<typeof systems.$inferInsert>) => {
    const system = await app.newSystem(OWN_ADDRESSES)
    await app.db.update(systems).set(row).where(eq(systems.id, system.id)) // before it is cached
    const browser = app.newBrowser()
    return wayOn(await browser.follow(await browser.get(`/session/end?client_id=${system.clientId}`)))
  }

  assert.deepEqual(await signedOut({ initiateLoginUri: 'http://app.example/start' }), {
    at: 'https://home.example/',
  })
  assert.deepEqual(await signedOut({ redirectUris: ['https://other.example/cb'] }), {
    at: 'https://home.example/',
  })
  assert.equal(await signedOut({ initiateLoginUri: null, clientUri: 'javascript:alert(1)' }), '/account')
})
