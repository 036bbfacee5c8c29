/** Registration at systems that are not open for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  begin,
  confirm,
  findUser,
  follow,
  JSON_ONLY,
  membershipsOf,
  newEmail,
  newestLink,
  newOpenSystem,
  OWN,
  register,
  type System,
} from '../../test/support/registration.ts'
import { startTestApp } from '../../test/support/testing.ts'

test('P12: a closed system has no registration page or JSON, and no user is created', async (t) => {
  const app = await startTestApp(t)
  const [open, closed] = [await newOpenSystem(app), await app.newSystem({ multiAccount: true })]
  const browser = app.newBrowser()
  const email = newEmail()
  const early = await follow(browser, await begin(browser, open), 'register')
  const page = await begin(browser, closed)
  const [, uid] = /interaction\/([\w-]+)\//.exec(String(page.body))!
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(String(page.body))!
  const path = `/interaction/${uid}/register`
  const fields = { csrf: csrf!, email, password: OWN, accountName: 'Acme' }

  const answers = [
    await browser.get(path),
    await browser.get(path, JSON_ONLY),
    await browser.post(path, fields),
    await browser.post(path, fields, JSON_ONLY),
  ]

  assert.doesNotMatch(String(page.body), /id="register"/)
  assert.deepEqual(
    answers.map(({ status, body }) => [
      status,
      typeof body === 'string' ? /Page not found/.test(body) : body.code,
    ]),
    [
      [404, true],
      [404, 'not_found'],
      [404, true],
      [404, 'not_found'],
    ],
  )
  assert.equal(await findUser(app, email), undefined)

  // A sign-in started at the open system registers there and does not open this one.
  await browser.submit(early, { email, password: OWN })
  await confirm(app, await newestLink(app, email))
  const { back } = await app.authorize(closed, { email, password: OWN })
  assert.deepEqual(
    (await membershipsOf(app, await findUser(app, email))).map(
      ({ systemId }: { systemId: string }) => systemId,
    ),
    [open.id],
  )
  assert.deepEqual([back.error, back.code], ['access_denied', undefined])
})

test('P12: platform systems are never open for registration', async (t) => {
  const app = await startTestApp(t)
  const { data } = (await app.platform.get('/admin/systems?search=Tenantry&pageSize=100')).body
  const { id } = data.find(({ clientId }: System) => clientId === 'tenantry-console')
  await app.platform.patch(`/admin/systems/${id}`, {
    allowSelfRegister: true,
    redirectUris: ['https://console.example/cb'],
  })
  t.after(() => app.platform.patch(`/admin/systems/${id}`, { allowSelfRegister: false, redirectUris: [] }))
  const console = (await app.platform.get(`/admin/systems/${id}`)).body
  const browser = app.newBrowser()

  const page = await begin(browser, console)
  const form = await browser.get(`${/action="([^"]+)\/login"/.exec(String(page.body))![1]}/register`)

  assert.equal(console.allowSelfRegister, true)
  assert.doesNotMatch(String(page.body), /id="register"/)
  assert.equal(form.status, 404)
})

test('a system closed meanwhile gets no member, and the registrations of a deleted one are gone', async (t) => {
  const app = await startTestApp(t)
  const [closed, gone] = [await newOpenSystem(app), await newOpenSystem(app)]
  const emails = [newEmail(), newEmail()]
  await register(app, closed, { email: emails[0]! })
  await register(app, gone, { email: emails[1]! })
  await app.platform.patch(`/admin/systems/${closed.id}`, { allowSelfRegister: false })
  await app.platform.delete(`/admin/systems/${gone.id}`)

  assert.equal((await confirm(app, await newestLink(app, emails[0]!))).status, 200)
  const user = await findUser(app, emails[0]!)
  assert.deepEqual([user.emailVerified, await membershipsOf(app, user)], [true, []])
  assert.equal((await app.newBrowser().get(await newestLink(app, emails[1]!))).status, 410)
  assert.equal(await findUser(app, emails[1]!), undefined)
})
