/** Live events and deliveries in Chromium: sentences first, JSON on request. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { authUrl, newPkce, startTestApp } from '../../server/test/support/testing.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('live events are sentences, also of a refused redirect URI, and their JSON is shown on request', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const system = await app.newSystem({
    name: 'Ledger',
    multiAccount: true,
    redirectUris: ['https://app.example/cb'],
  })
  const user = await app.newUser({ name: 'Ana Lima' })
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, 'live')
  await page.getByText('Connected').waitFor()

  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const sent = 'https://app.example/wrong'
  await app.newBrowser().get(authUrl(system as never, newPkce().challenge, { redirect_uri: sent }))
  const sentences = page.locator('tbody .sentence')
  await sentences.getByText('Ana Lima has access to Acme').waitFor()
  await sentences.getByText('blocked Ana Lima in Acme').waitFor()
  const refused = `It sent ${sent}; registered: https://app.example/cb`
  await sentences.getByText(refused).waitFor()
  await page.locator('tbody tr', { hasText: 'blocked Ana Lima' }).locator('.opener').click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('.sentence').waitFor()
  const hidden = await dialog.locator('pre').isVisible()
  await dialog.getByText('As JSON').click()
  const event = JSON.parse((await dialog.locator('pre').textContent()) ?? '')

  assert.equal(hidden, false)
  assert.deepEqual([event.type, event.data.membershipId], ['user.access_blocked', membership.id])
  assert.deepEqual(Object.keys(event).sort(), ['data', 'id', 'timestamp', 'type'])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
