/** What users do in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { newTenant, openAs, show } from './visit.ts'

after(closeBrowser)

test('everything is reached with the keyboard: search, a page, a user by id', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser({ name: 'Ana Souza' })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, '')

  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type(user.id)
  await page.getByRole('option', { name: /Ana Souza/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/platform/users/${user.id}`)
  await page.getByRole('heading', { level: 1, name: /Ana Souza/ }).waitFor()

  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('an address reproduces the view of a list: search and filters survive a reload and another browser', async (t) => {
  const app = await startTestApp(t)
  const [one, other] = [await app.newUser({ disabled: true }), await app.newUser()]
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, 'users')

  await page.getByRole('searchbox').fill(one.email)
  await page.getByText(one.email).first().waitFor()
  await page.getByText(other.email).waitFor({ state: 'detached' })
  await page.waitForURL(/search=/)
  await page.reload()
  await page.getByText(one.email).first().waitFor()
  const second = await openAs(app.url, browser, 'platform')
  await second.page.goto(page.url())
  await second.page.getByText(one.email).first().waitFor()

  assert.equal(await second.page.getByRole('searchbox').inputValue(), one.email)
  assert.equal(await second.page.locator('tbody tr').count(), 1)
  await Promise.all([visit.context.close(), second.context.close()])
})

test('a viewer is shown no button that changes anything', async (t) => {
  const app = await startTestApp(t)
  const { system, userId } = await newTenant(app)
  const { browser } = await newOperator(app, { level: 'viewer' })
  const visit = await openAs(app.url, browser, 'platform')
  const changing =
    /^(new|create|add (a|an|the)|delete|remove|save|block|approve|disable|enable|rotate|end|send|set|import)\b/i
  const found: string[] = []

  for (const path of [
    'users',
    `users/${userId}`,
    'systems',
    `systems/${system.id}`,
    'members',
    'approvals',
  ]) {
    await show(visit, app.url, path)
    const names = await visit.page.getByRole('button').allInnerTexts()
    found.push(...names.filter((name) => changing.test(name.trim())).map((name) => `${path}: ${name}`))
  }

  assert.deepEqual(found, [])
  await visit.context.close()
})

test('a user who loses the right is told so by the next request, and one who signs out elsewhere is asked again', async (t) => {
  const app = await startTestApp(t)
  const { browser, operatorId } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, 'users')

  await app.platform.delete(`/admin/operators/${operatorId}`)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByText('You no longer have access here.').waitFor()
  await browser.get('/session/end')
  await visit.context.clearCookies()
  await page.reload()
  await page.waitForURL(/\/interaction\//)

  assert.equal(await page.locator('input[name=password]').count(), 1)
  await visit.context.close()
})

/** Moves the focus with the Tab key to what has this text or label. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.textContent?.trim()
    })
    if (focused === name) return
  }
  throw new Error(`The Tab key does not reach ${name}.`)
}

test('with the keyboard alone, an application is created, a member approved, and a delivery sent again', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, accountId, webhook } = await newTenant(app)
  await app.platform.post(`/admin/systems/${system.id}/webhooks/${webhook.id}/test`)
  const [operator, ofSystem] = [await newOperator(app), await newOperator(app, { systemId: system.id })]
  const visits = [
    await openAs(app.url, operator.browser, 'platform'),
    await openAs(app.url, admin.browser, `account:${accountId}`),
    await openAs(app.url, ofSystem.browser, `system:${system.id}`),
  ] as const
  const [platform, account, developer] = visits.map(({ page }) => page) as [Page, Page, Page]

  await show(visits[0], app.url, '')
  await platform.keyboard.press('g')
  await platform.keyboard.press('s')
  await platform.getByRole('heading', { level: 1, name: en.systems.title }).waitFor()
  await platform.keyboard.press('c')
  await platform.getByRole('dialog').getByLabel(en.systems.newName).waitFor()
  await platform.keyboard.type('Made by keyboard')
  await platform.keyboard.press('Enter')
  await platform.getByRole('dialog', { name: 'Made by keyboard is ready' }).waitFor()
  await tabTo(platform, en.systems.toQuickStart)
  await platform.keyboard.press('Enter')
  await platform.waitForURL(/systems\/[0-9a-f-]{36}/)

  await show(visits[1], app.url, '')
  await account.keyboard.press('Control+k')
  await account.getByRole('dialog').getByRole('combobox').waitFor()
  await account.keyboard.type(en.shell.approvals)
  await account.getByRole('option', { name: en.shell.approvals }).waitFor()
  await account.keyboard.press('Enter')
  await account.locator('.approval').waitFor()
  await account.keyboard.press('a')
  await account.getByText('1 member approved').waitFor()

  await show(visits[2], app.url, '')
  await developer.keyboard.press('g')
  await developer.keyboard.press('w')
  for (const page of ['https://hooks.example/x', 'webhook.test']) {
    await developer.locator('tbody .opener', { hasText: page }).waitFor()
    await developer.keyboard.press('j')
    await developer.keyboard.press('Enter')
  }
  await developer.getByRole('dialog').getByText(en.webhooks.payload).first().waitFor()
  await tabTo(developer, en.webhooks.resend)
  await developer.keyboard.press('Enter')
  await developer.getByText(en.webhooks.resent).waitFor()

  const pending = await app.platform.get(`/admin/memberships?accountId=${accountId}&status=pending`)
  assert.equal(pending.body.total, 0)
  assert.deepEqual(
    visits.flatMap(({ faults }) => faults),
    [],
  )
  await Promise.all(visits.map(({ context }) => context.close()))
})

test('a new application and its first user are made in two dialogs; one that fails halfway is sent again', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const { addUser, audiences, newName, origin, toQuickStart } = en.systems
  const create = async (name: string, audience: string) => {
    await show(visit, app.url, 'systems?new=1')
    await dialog.getByLabel(newName).fill(name)
    await dialog.getByLabel(audience).check()
    await dialog.getByLabel(origin).fill('https://app.example.com')
    await dialog.getByRole('button', { name: en.parts.create }).click()
    await dialog.getByRole('button', { name: toQuickStart }).click()
    await page.getByRole('link', { name: addUser.action }).click()
  }
  const add = async (email: string, fields: Record<string, string> = {}) => {
    await dialog.getByLabel(en.users.email, { exact: true }).fill(email)
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
    await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  }
  const [ana, rui] = [`${crypto.randomUUID()}@ana.test`, `${crypto.randomUUID()}@rui.test`]
  const password = { [en.users.password]: 'Correct-horse-battery-9' }
  const accessOf = async (email: string) => {
    const { body } = await app.platform.get(`/admin/memberships?search=${email}`)
    const [{ systemId, status, roles }] = body.data
    const system = (await app.platform.get(`/admin/systems/${systemId}`)).body
    return { system, status, roles, total: body.total }
  }

  await create('For individuals', audiences.individuals)
  await page.route('**/admin/memberships', (route) => route.abort(), { times: 1 })
  await add(ana, password)
  await page.getByText(en.problems.unreachable!).waitFor()
  await dialog.getByRole('button', { name: en.parts.add, exact: true }).click()
  await page.getByText(fill(addUser.added, { email: ana })).waitFor()
  const { system, ...access } = await accessOf(ana)
  assert.deepEqual(access, { status: 'active', roles: [], total: 1 })
  assert.ok((await app.authorize(system, { email: ana, password: password[en.users.password]! })).back.code)
  visit.faults.length = 0 // the request that was cut off

  await create('For organizations', audiences.organizations)
  await add(ana, { ...password, [addUser.organizationName]: 'Acme' })
  await page.getByText(fill(addUser.existed, { email: ana })).waitFor()
  visit.faults.length = 0 // 409: the address has a user
  await page.getByRole('link', { name: en.quickStart.addAnother }).click()
  await dialog.getByLabel(addUser.where.created).check()
  await add(rui, { [addUser.organizationName]: 'Globex' })
  await page.getByText(fill(addUser.added, { email: rui })).waitFor()
  const second = await accessOf(rui)
  assert.deepEqual(second.roles, [second.system.founderRoleId])
  assert.equal((await app.emailsTo(rui)).length, 1)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the quick start leads from a new application to its first sign-in', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const done = page.locator('.quick-steps > [data-done=true] h3')
  const { addUser, newName, toQuickStart } = en.systems
  const [email, password] = [`${crypto.randomUUID()}@ana.test`, 'Correct-horse-battery-9']

  await show(visit, app.url, 'systems?new=1')
  await dialog.getByLabel(newName).fill('Shop')
  const created = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.keyboard.press('Enter')
  const system = await (await created).json()
  await dialog.getByText(new RegExp(`^CLIENT_SECRET=${system.clientSecret}$`, 'm')).waitFor()
  await dialog.getByRole('button', { name: toQuickStart }).click()
  await page.getByText(en.quickStart.waiting).waitFor()
  const before = await done.allTextContents()
  await page.getByRole('checkbox', { name: /Install and start/ }).check()
  await page.reload()
  await done.getByText(en.quickStart.start).waitFor()
  await page.getByRole('link', { name: addUser.action }).click()
  await dialog.getByLabel(en.users.email, { exact: true }).fill(email)
  await dialog.getByLabel(en.users.password).fill('short')
  await page.keyboard.press('Enter')
  await dialog.locator('input[aria-invalid=true]:focus').waitFor()
  visit.faults.length = 0 // 400: the password is too short
  await dialog.getByLabel(en.users.password).fill(password)
  await page.keyboard.press('Enter')
  await done.getByText(addUser.action).waitFor()
  const { back } = await app.authorize(system, { email, password })
  await done.getByText(en.quickStart.signIn).waitFor()
  const links = page.locator('.next-steps a')
  const addresses = await links.evaluateAll((found) => found.map((each) => each.getAttribute('href')))

  assert.deepEqual(
    before.map((title) => title.replace(/ \(.*/, '')),
    [en.quickStart.redirectUri],
  )
  assert.equal(await done.count(), await page.locator('.quick-steps > li').count())
  assert.deepEqual(system.redirectUris, [
    'http://localhost:8080/auth/callback',
    'http://localhost:8080/callback',
  ])
  assert.deepEqual(system.postLogoutRedirectUris, ['http://localhost:8080', 'http://localhost:8080/'])
  assert.equal(system.clientUri, 'http://localhost:8080/')
  assert.ok(system.allowedScopes.includes('offline_access'))
  for (const address of addresses.filter((each) => each?.startsWith('/docs/')))
    assert.equal((await fetch(app.url + address)).status, 200, address!)
  assert.equal(addresses.length, 3)
  assert.ok(back.code)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('of many invitations, those that a failed request did not send stay in the field', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newTenant(app)
  const visit = await openAs(app.url, admin.browser, `account:${accountId}`)
  const { page } = visit
  const { emails, invite, send } = en.invitations
  const unique = crypto.randomUUID()
  const addresses = Array.from({ length: 102 }, (_, each) => `${each}@${unique}.test`)
  await show(visit, app.url, 'invitations')
  await page.getByRole('button', { name: invite }).first().click()

  const field = page.getByRole('dialog').getByLabel(emails)
  await field.fill(addresses.join(' '))
  await page.route('**/invitations/batch', async (route) =>
    route.request().postDataJSON().invitations.length < 100 ? route.abort() : route.continue(),
  )
  await page.getByRole('dialog').getByRole('button', { name: send }).click()
  await page.getByText(en.problems.unreachable!).waitFor()
  assert.equal(await page.getByRole('dialog').getByLabel(emails).inputValue(), addresses.slice(100).join(' '))
  const listed = await app.platform.get(`/admin/accounts/${accountId}/invitations`)
  assert.equal(listed.body.total, 100)
  await visit.context.close()
})

test('the import page creates the users of a CSV file, after a dry run that creates none', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const host = `${crypto.randomUUID()}.test`
  const found = async () => (await app.platform.get(`/admin/users?search=${host}`)).body.data
  await show(visit, app.url, 'import')

  const text = `email,name,team\nana@${host},"Souza, Ana",North\nrui@${host},Rui,South\nnobody,None,\n`
  await page
    .getByLabel(en.imports.choose)
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: en.imports.check }).click()
  await page.getByText(en.imports.checked).waitFor()
  assert.deepEqual(await found(), [])
  await page.getByRole('button', { name: 'Import 2 users' }).click()
  await page.getByText(en.imports.finished, { exact: true }).waitFor()

  const users: { email: string; name: string }[] = await found()
  assert.deepEqual(users.map(({ email, name }) => `${name} <${email}>`).sort(), [
    `Rui <rui@${host}>`,
    `Souza, Ana <ana@${host}>`,
  ])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
