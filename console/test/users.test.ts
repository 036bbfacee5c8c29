/** Users in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eq, sql } from '../../server/src/database/drizzle.ts'
import { limits } from '../../server/src/database/schema.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { begin } from '../../server/test/support/factors.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.users

test('a new user gets a temporary password that is shown once; if it cannot be made, it can be made again', async (context) => {
  const app = await startTestApp(context)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const newUser = async () => {
    const email = `${crypto.randomUUID()}@example.test`
    await show(visit, app.url, 'users')
    await page.getByRole('button', { name: t.new, exact: true }).first().click()
    await dialog.getByLabel(t.email, { exact: true }).fill(email)
    await dialog.getByLabel(t.withTemporary).check()
    await dialog.getByRole('button', { name: en.parts.create }).click()
    return email
  }
  const shown = async () => {
    await dialog.getByText(t.temporaryShown).waitFor()
    const password = (await dialog.locator('code').textContent()) ?? ''
    await dialog.getByRole('button', { name: en.parts.close }).last().click()
    await page.waitForURL(/users\/[0-9a-f-]{36}/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.ok(!(await page.content()).includes(password))
    return password
  }
  const mustChange = async (email: string) =>
    (await app.platform.get(`/admin/users?search=${email}`)).body.data[0].mustChangePassword

  const email = await newUser()
  const password = await shown()
  assert.ok(password.length >= 12)
  assert.equal(await mustChange(email), true)
  await page.route('**/reset-password', (route) => route.abort(), { times: 1 })
  const second = await newUser()
  await dialog.getByText(t.temporaryLead).waitFor()
  visit.faults.length = 0 // the request that was cut off
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await shown()

  assert.equal(await mustChange(second), true)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('several users are added to an organization with roles; the one who is a member already is named', async (context) => {
  const app = await startTestApp(context)
  const { system, accountId, role } = await newTenant(app)
  const host = `${crypto.randomUUID()}.test`
  const users = await Promise.all(
    ['ana', 'rui', 'eva'].map((name) => app.newUser({ email: `${name}@${host}` })),
  )
  await app.newMembership({ userId: users[2]!.id, accountId })
  const { browser } = await newOperator(app, { systemId: system.id })
  const other = await newOperator(app)
  const [visit, ofSystem] = [
    await openAs(app.url, other.browser, 'platform'),
    await openAs(app.url, browser, `system:${system.id}`),
  ]
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const account = (await app.platform.get(`/admin/accounts/${accountId}`)).body

  await show(visit, app.url, `users?search=${host}`)
  await page.getByLabel(en.parts.selectAll).check()
  await page.getByRole('button', { name: t.addTo }).click()
  await dialog.getByLabel(en.members.system).fill(system.name)
  await page.getByRole('option', { name: system.name }).click()
  await dialog.getByLabel(en.members.organization).fill(account.name)
  await page.getByRole('option', { name: account.name }).click()
  await dialog.getByLabel(role.name).check()
  await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  const failed = page.getByRole('dialog', { name: 'Not done for 1 row' })
  await failed.getByText(`eva@${host}`).waitFor()
  await failed.getByText(en.problems.membership_exists!).waitFor()

  const rolesOf = async (userId: string) =>
    (await app.platform.get(`/admin/memberships?userId=${userId}&accountId=${accountId}`)).body.data[0].roles
  assert.deepEqual(await Promise.all(users.map(({ id }) => rolesOf(id))), [[role.id], [role.id], []])
  visit.faults.length = 0 // 409: a member already

  const more = await Promise.all(['kim', 'leo'].map((name) => app.newUser({ email: `${name}@${host}` })))
  await show(ofSystem, app.url, `accounts/${accountId}`)
  await ofSystem.page.getByRole('button', { name: en.members.add }).click()
  const inSystem = ofSystem.page.getByRole('dialog')
  await inSystem.getByLabel(en.invitations.emails).fill(more.map(({ email }) => email).join('\n'))
  await inSystem.getByRole('button', { name: en.parts.add, exact: true }).click()
  await ofSystem.page.getByText('2 members added').waitFor()

  assert.deepEqual(await Promise.all(more.map(({ id }) => rolesOf(id))), [[], []])
  assert.deepEqual([...visit.faults, ...ofSystem.faults], [])
  await Promise.all([visit.context.close(), ofSystem.context.close()])
})

test('the list marks a user who has to wait after wrong passwords, in one request for all rows, and lifts the wait', async (context) => {
  const app = await startTestApp(context)
  const { user, system } = await app.newMember({ skipConsent: true })
  const visitor = app.newBrowser()
  await visitor.submit(await begin(visitor, system), { email: user.email, password: 'wrong' })
  const wait = { points: 10, expire: sql`${limits.expire} + 0` } // as after ten
  await app.db.update(limits).set(wait).where(eq(limits.userId, user.id))
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/limits') && asked.push(request.url()))

  await show(visit, app.url, 'users')
  const row = page.locator('tbody tr', { hasText: user.email })
  await row.getByText('Has to wait until').waitFor()
  assert.equal(asked.length, 1)
  await page.getByRole('button', { name: `${en.parts.actions}: ${user.email}` }).click()
  await page.getByRole('menuitem', { name: en.limits.clearAttempts }).click()
  await row.getByText('Has to wait until').waitFor({ state: 'detached' })

  assert.deepEqual((await app.platform.get(`/admin/limits?userId=${user.id}`)).body.data, [])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the page of a user shows the emails to this user, and no others', async (context) => {
  const app = await startTestApp(context)
  const [user, other] = [await app.newUser(), await app.newUser()]
  for (const { id } of [user, other]) await app.platform.post(`/admin/users/${id}/send-password-reset`)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: 'Correct-horse-battery-9' })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const rows = page.locator('tbody tr')

  await show(visit, app.url, `users/${user.id}?tab=mail`)
  const { password_changed: byUser, password_reset_by_admin: byAdmin } = en.emailTexts.kinds
  await rows.getByText(byUser).or(rows.getByText(byAdmin)).waitFor()
  const before = await rows.count()
  await page.getByLabel(en.installation.kind).selectOption('password_reset')
  await page.waitForURL(/kind=password_reset/)
  await page.waitForFunction(
    () => document.querySelectorAll('.table:not([data-stale]) tbody tr').length === 1,
  )

  assert.equal(before, 2)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the rest of the profile is edited: what was not changed stays, and a field that is refused is shown', async (context) => {
  const app = await startTestApp(context)
  const given = { nickname: 'Nini', address: { streetAddress: 'Rua A 1', locality: 'Lisboa' } }
  const user = await app.newUser({ ...given, name: 'Ana Souza' })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const { fields } = t
  await show(visit, app.url, `users/${user.id}`)
  await page.getByText('Rua A 1, Lisboa').waitFor()
  await page.getByRole('button', { name: en.parts.edit }).click()

  const save = () => dialog.getByRole('button', { name: en.parts.save }).click()
  await dialog.getByText(fields.more).click()
  await dialog.getByLabel(fields.givenName).fill('Ana')
  await dialog.getByLabel(fields.country).fill('Portugal')
  await dialog.getByLabel(fields.birthdate).fill('tomorrow')
  await dialog.getByText(fields.more).click() // closes the section
  await save()
  await dialog.locator('input[name=birthdate][aria-invalid=true]:focus').waitFor()
  visit.faults.length = 0 // 400: not a date
  await dialog.getByLabel(fields.birthdate).fill('1990-05-01')
  await save()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('1990-05-01').waitFor()

  const { body } = await app.platform.get(`/admin/users/${user.id}`)
  assert.deepEqual(
    [body.name, body.givenName, body.nickname, body.birthdate, body.familyName],
    ['Ana Souza', 'Ana', 'Nini', '1990-05-01', null],
  )
  assert.deepEqual(body.address, { ...given.address, country: 'Portugal' })
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
