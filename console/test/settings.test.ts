/** The settings of an application in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/en/index.ts'
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
