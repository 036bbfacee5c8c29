/** Service accounts of an organization in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeProofs } from '../../server/test/support/browser-sessions.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newAccountAdmin, newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.serviceAccounts

test('an admin creates a service account whose key gets a token, and takes its access away', async (context) => {
  const app = await startTestApp(context)
  const system = await app.newSystem({ multiAccount: true, allowServiceAccounts: true })
  const { user, membership, browser } = await newAccountAdmin(app, system)
  await app.newRole(system.id, { name: 'Reader' })
  const visit = await openAs(app.url, browser, `account:${membership.accountId}`)
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const menu = async (name: string) => {
    await page.getByRole('button', { name: `${en.parts.actions}: Export` }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const list = async () =>
    (await app.platform.get(`/admin/accounts/${membership.accountId}/service-accounts`)).body

  await show(visit, app.url, '')
  await page.getByRole('link', { name: t.title }).click()
  await page.getByText(t.emptyLead).waitFor()
  await page.getByRole('button', { name: t.new }).first().click()
  await dialog.getByLabel(t.name).fill('Export')
  await dialog.getByLabel('Reader').check()
  await dialog.getByRole('button', { name: en.parts.create }).click()

  await dialog.getByRole('button', { name: t.newKey }).waitFor() // the service account exists
  await changeProofs(app.db, user.id, { age: 600 })
  await dialog.getByRole('button', { name: t.newKey }).click()
  await page.getByText(en.shell.reasons.insufficient_user_authentication).waitFor()
  assert.equal(visit.faults.splice(0).length, 2) // the response, and its line in the console of the browser
  await page.keyboard.press('Escape')
  await changeProofs(app.db, user.id, { age: 0 })
  await dialog.getByRole('button', { name: t.newKey }).click()
  const command = (await dialog.getByRole('region', { name: t.command }).textContent()) ?? ''
  const [, clientId = '', secret = ''] = /-u '(sa_[^:]+):(tk_[^']+)'/.exec(command) ?? []
  const response = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  assert.equal(response.status, 200)
  assert.ok(command.startsWith(`curl ${app.url}/token `), command)

  await dialog.getByRole('button', { name: en.settings.done }).click()
  await page.getByText(`…${secret.slice(-4)}`).waitFor()
  await menu(t.disable)
  await page.locator('tbody .badge', { hasText: t.disabled }).waitFor()
  assert.equal((await list())[0].disabled, true)
  await page.getByRole('button', { name: fill(t.revoke, { hint: secret.slice(-4) }) }).click()
  await dialog.getByRole('button', { name: fill(t.revoke, { hint: secret.slice(-4) }) }).click()
  await page.getByText(t.noKeys).waitFor()
  await menu(t.delete)
  await dialog.getByRole('button', { name: t.delete }).click()
  await page.getByText(t.emptyLead).waitFor()

  assert.deepEqual(await list(), [])
  assert.deepEqual(visit.faults, [])

  const all = `/admin/accounts/${membership.accountId}/service-accounts`
  const { body: left } = await app.platform.post(all, { name: 'Left' })
  await app.platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: false })
  await show(visit, app.url, '')
  await page.getByRole('link', { name: t.title }).click()
  await page.getByText(t.notAllowedLead).waitFor()
  await app.platform.delete(`${all}/${left.id}`)
  await show(visit, app.url, '')
  assert.equal(await page.getByRole('link', { name: t.title }).count(), 0)
  const operator = await openAs(app.url, (await newOperator(app)).browser, 'platform')
  await show(operator, app.url, `accounts/${membership.accountId}?tab=serviceAccounts`)
  await operator.page.getByRole('link', { name: t.allowIt }).click()
  await operator.page.getByLabel(en.settings.allowServiceAccounts).waitFor()
  await Promise.all([visit.context.close(), operator.context.close()])
})

test('an admin is not offered to change a service account with a reserved role, only to revoke its keys', async (context) => {
  const app = await startTestApp(context)
  const system = await app.newSystem({ multiAccount: true, allowServiceAccounts: true })
  const { membership, browser } = await newAccountAdmin(app, system)
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false })
  const path = `/admin/accounts/${membership.accountId}/service-accounts`
  const { id } = (await app.platform.post(path, { name: 'Vendor', roles: [reserved.id] })).body
  const { hint } = (await app.platform.post(`${path}/${id}/keys`, {})).body
  const visit = await openAs(app.url, browser, `account:${membership.accountId}`)
  const { page } = visit

  await show(visit, app.url, 'service-accounts')
  await page.getByText(t.reserved).waitFor()

  assert.equal(await page.getByRole('button', { name: 'Vendor' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: fill(t.revoke, { hint: hint }) }).count(), 1)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
