/** The settings of an application in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

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
  await section.getByRole('button', { name: en.parts.save }).click()
  await section.locator('input[name=invitationUri][aria-invalid=true]:focus').waitFor()
  assert.equal(await saved(), null)
  visit.faults.length = 0 // 400: another origin
  await field.fill('https://app.example.com/welcome')
  await section.getByRole('button', { name: en.parts.save }).click()
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
  await section.getByRole('button', { name: en.parts.save }).click()
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
