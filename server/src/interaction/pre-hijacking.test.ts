/** An attacker registers the address of a victim in advance. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  begin,
  codeOf,
  confirm,
  findUser,
  follow,
  membershipsOf,
  newEmail,
  newestLink,
  newOpenSystem,
  OWN,
  register,
  resend,
} from '../../test/support/registration.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'

/** Mallory registers a victim's address and keeps everything he obtains. */
async function hijacked(app: App) {
  const system = await newOpenSystem(app)
  const victim = newEmail('victim')
  const first = await register(app, system, {
    email: victim,
    fields: { password: 'mallorys own words', name: 'Mallory' },
  })
  const browser = app.newBrowser()
  const stopped = await browser.follow(
    await browser.submit(await begin(browser, system), { email: victim, password: 'mallorys own words' }),
  )
  const link = await newestLink(app, victim)
  /** All attempts of Mallory afterwards. */
  const tries = async () => {
    const other = app.newBrowser()
    const again = await other.submit(await begin(other, system), {
      email: victim,
      password: 'mallorys own words',
    })
    return {
      password: again.status,
      link: (await app.newBrowser().get(link)).status,
      codes: [
        codeOf(await first.browser.follow(await first.browser.submit(first.page))),
        codeOf(await browser.follow(await browser.submit(stopped))),
        codeOf(await begin(browser, system)),
      ],
    }
  }
  return { system, victim, tries }
}

const NOTHING = { password: 401, link: 410, codes: [null, null, null] }

test('P09: a registration replaces an earlier unverified one completely', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries } = await hijacked(app)

  const { browser, page } = await register(app, system, { email: victim, fields: { name: 'Vera' } })
  const before = await tries()
  await confirm(app, await newestLink(app, victim))
  const after = await tries()
  const done = await browser.follow(await browser.submit(page))

  assert.deepEqual([before, after], [NOTHING, NOTHING])
  assert.ok(codeOf(done))
  const user = await findUser(app, victim)
  assert.deepEqual([user.name, user.emailVerified, user.mfaEnabled], ['Vera', true, false])
  assert.equal((await membershipsOf(app, user)).length, 1)
})

test('P09: a password reset takes over an unverified registration without membership', async (t) => {
  const app = await startTestApp(t)
  const { system, victim, tries } = await hijacked(app)
  const browser = app.newBrowser()

  await browser.submit(await follow(browser, await begin(browser, system), 'forgot-password'), {
    email: victim,
  })
  await browser.submit(await browser.get(await newestLink(app, victim)), { password: OWN })
  const joining = await browser.follow(
    await browser.submit(await begin(browser, system), { email: victim, password: OWN }),
  )

  assert.deepEqual(await tries(), NOTHING)
  assert.match(String(joining.body), /Join <bdi>/)
  assert.deepEqual(await membershipsOf(app, await findUser(app, victim)), [])
  assert.ok(codeOf(await browser.follow(await browser.submit(joining))))
})

test('P09: a user created by an administrator cannot be registered over', async (t) => {
  const app = await startTestApp(t)
  const { system, victim } = await hijacked(app)
  const { id } = await findUser(app, victim)
  await app.platform.post(`/admin/users/${id}/set-password`, { password: PASSWORD })
  const made = await app.newUser({ emailVerified: false })

  for (const email of [victim, made.email]) {
    const { browser, page } = await register(app, system, { email })

    assert.equal((await browser.submit(page)).status, 400)
    assert.equal((await app.authorize(system, { email, password: OWN })).page.status, 401)
    assert.equal((await app.emailsTo(email)).at(-1)!.kind, 'account_exists')
  }
})

test('P09: a registration whose email is rate limited replaces nothing', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const email = newEmail()
  await register(app, system, { email })
  const mine = await register(app, system, { email, fields: { password: 'the third of my words' } })
  await resend(mine.browser, mine.page)
  const link = await newestLink(app, email)

  await register(app, system, { email, fields: { password: 'mallorys own words' } })
  await confirm(app, link)

  assert.equal((await app.emailsTo(email)).length, 3)
  assert.ok(codeOf(await mine.browser.follow(await mine.browser.submit(mine.page))))
  assert.equal((await app.authorize(system, { email, password: 'mallorys own words' })).page.status, 401)
})
