/** The settings of an application in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show } from './visit.ts'

after(closeBrowser)

test('the page after an invitation is saved, and refused at its field unless it is on an origin of the application', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({
    multiAccount: true,
    redirectUris: ['https://app.example.com/callback'],
  })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `systems/${system.id}?tab=signIn`)
  const section = page.locator('section', { has: page.getByRole('heading', { name: en.invitations.title }) })
  const field = section.getByLabel(en.settings.invitationUri)
  const saved = async () => (await app.platform.get(`/admin/systems/${system.id}`)).body.invitationUri

  await field.fill('https://elsewhere.example.com/welcome')
  await page.getByRole('button', { name: en.parts.save }).click()
  await section.locator('input[name=invitationUri][aria-invalid=true]:focus').waitFor()
  assert.equal(await saved(), null)
  visit.faults.length = 0 // 400: another origin
  await field.fill('https://app.example.com/welcome')
  await page.getByRole('button', { name: en.parts.save }).click()
  await page.getByText(en.parts.saved, { exact: true }).waitFor()

  assert.equal(await saved(), 'https://app.example.com/welcome')
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the home page of an application is proposed from its redirect URI, and its addresses are saved', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ redirectUris: ['https://app.example.com/callback'] })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `systems/${system.id}?tab=signIn`)
  const section = page.locator('section', { has: page.getByRole('heading', { name: en.settings.addresses }) })

  await section.getByRole('button', { name: 'https://app.example.com/' }).click()
  await section.getByLabel(en.settings.initiateLoginUri).fill('https://app.example.com/login')
  await section.getByLabel(en.settings.tosUri).fill('https://legal.example.com/terms')
  await page.getByRole('button', { name: en.parts.save }).click()
  await page.getByText(en.parts.saved, { exact: true }).waitFor()

  const { body } = await app.platform.get(`/admin/systems/${system.id}`)
  assert.deepEqual(
    [body.clientUri, body.initiateLoginUri, body.tosUri, body.policyUri, body.supportUri],
    [
      'https://app.example.com/',
      'https://app.example.com/login',
      'https://legal.example.com/terms',
      null,
      null,
    ],
  )
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('changes of several sections are counted, discarded or saved at once, and nothing else is sent', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({
    redirectUris: ['https://app.example.com/a', 'https://app.example.com/b'],
  })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `systems/${system.id}?tab=signIn`)
  const status = page.locator('.save-bar [role=status]')
  const change = async () => {
    await page.getByRole('button', { name: `${en.parts.remove}: https://app.example.com/a` }).click()
    await page.getByLabel(en.settings.requireMfa).check()
    await page.getByLabel(en.settings.emailFrom).fill('Orders@mail.example.com')
    await page.getByLabel(en.settings.emailReplyTo).fill('help@example.com')
  }

  await change()
  await status.getByText('4 changes are not saved').waitFor()
  await page.getByLabel(en.settings.requireMfa).uncheck()
  await status.getByText('3 changes are not saved').waitFor()
  await page.getByRole('button', { name: en.settings.discard }).click()
  await page.getByRole('button', { name: `${en.parts.remove}: https://app.example.com/a` }).waitFor()
  const discarded = await status.textContent()
  await change()
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    page.getByRole('button', { name: en.parts.save }).click(),
  ])
  await page.getByText(en.parts.saved, { exact: true }).waitFor()
  await page.waitForFunction(() => document.querySelector('.save-bar [role=status]')?.textContent === '')

  const { body } = await app.platform.get(`/admin/systems/${system.id}`)
  assert.equal(discarded, '')
  assert.deepEqual(sent.postDataJSON(), {
    redirectUris: ['https://app.example.com/b'],
    requireMfa: true,
    emailFrom: 'Orders@mail.example.com',
    emailReplyTo: 'help@example.com',
  })
  assert.deepEqual(
    [body.redirectUris, body.requireMfa, body.emailFrom, body.emailReplyTo],
    [['https://app.example.com/b'], true, 'orders@mail.example.com', 'help@example.com'],
  )
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the settings of an organization are counted and saved at once, and a fault is shown at its field', async (t) => {
  const app = await startTestApp(t)
  const { accountId } = await newTenant(app)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `accounts/${accountId}?tab=settings`)
  const status = page.locator('.save-bar [role=status]')
  const save = page.getByRole('button', { name: en.parts.save })
  const metadata = page.getByLabel(en.users.tabs.metadata)

  const before = await save.count()
  await page.getByLabel(en.accounts.membersVisible).uncheck()
  await page.getByLabel(en.settings.ownColor).check()
  await metadata.fill('{"plan":')
  await status.getByText('3 changes are not saved').waitFor()
  await save.click()
  await page.locator('textarea[name=metadata][aria-invalid=true]:focus').waitFor()
  await metadata.fill('{"plan":"gold"}')
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    save.click(),
  ])
  await page.getByText(en.parts.saved, { exact: true }).waitFor()
  await page.waitForFunction(() => document.querySelector('.save-bar [role=status]')?.textContent === '')

  const { body } = await app.platform.get(`/admin/accounts/${accountId}`)
  assert.equal(before, 0)
  assert.deepEqual(Object.keys(sent.postDataJSON()).sort(), ['branding', 'membersVisible', 'metadata'])
  assert.deepEqual(
    [body.membersVisible, body.branding.color, body.metadata],
    [false, '#3a45c4', { plan: 'gold' }],
  )
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('a page with unsaved settings is left only after a question; the links lead to the sections', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `systems/${system.id}?tab=signIn`)
  const links = page.getByRole('navigation', { name: en.settings.sections })
  const dialog = page.getByRole('dialog', { name: en.settings.leaveTitle })
  const policy = page.getByLabel(en.settings.policyUri)

  await links.getByRole('link', { name: en.settings.protocol }).click()
  await page.waitForFunction((title) => {
    const section = document.querySelector(`section[data-title="${title}"]`)
    return section?.contains(document.activeElement) && section.getBoundingClientRect().top < innerHeight
  }, en.settings.protocol)
  await policy.fill('https://app.example/privacy')
  await page.getByRole('link', { name: en.systems.tabs.roles }).click()
  await dialog.getByRole('button', { name: en.settings.stay }).click()
  await dialog.waitFor({ state: 'detached' })
  const kept = await policy.inputValue()
  await page.getByRole('link', { name: en.shell.users }).first().click()
  await dialog.getByRole('button', { name: en.settings.leave }).click()
  await page.getByRole('heading', { level: 1, name: en.users.title }).waitFor()

  assert.equal(kept, 'https://app.example/privacy')
  assert.equal((await app.platform.get(`/admin/systems/${system.id}`)).body.policyUri, null)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('an operator of one application sees its sender addresses, which only the installation changes', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  await app.platform.patch(`/admin/systems/${system.id}`, { emailFrom: 'orders@mail.example.com' })
  const { browser } = await newOperator(app, { systemId: system.id })
  const visit = await openAs(app.url, browser, `system:${system.id}`)
  const { page } = visit
  await show(visit, app.url, 'settings?tab=signIn')
  const sender = page.getByLabel(en.settings.emailFrom)

  assert.deepEqual([await sender.inputValue(), await sender.isDisabled()], ['orders@mail.example.com', true])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('a role gets permissions of the other roles by a button, beside those that are typed', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true })
  await app.newRole(system.id, { name: 'Accountant', scopes: ['invoices:read', 'invoices:write'] })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await show(visit, app.url, `systems/${system.id}?tab=roles`)
  await page.getByRole('button', { name: en.settings.newRole }).first().click()

  await dialog.getByLabel(en.systems.newName).fill('Buyer')
  await dialog.getByLabel(en.settings.permissions).fill('orders:write')
  for (const permission of ['invoices:read', 'invoices:write', 'invoices:write'])
    await dialog.getByRole('button', { name: permission }).click() // the last takes it back
  const pressed = await dialog.locator('[aria-pressed=true]').allTextContents()
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await dialog.waitFor({ state: 'detached' })

  const { body } = await app.platform.get(`/admin/systems/${system.id}/roles`)
  const buyer = body.find(({ name }: { name: string }) => name === 'Buyer')
  assert.deepEqual(pressed, ['invoices:read'])
  assert.deepEqual(buyer.scopes.sort(), ['invoices:read', 'orders:write'])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
