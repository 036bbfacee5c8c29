/** Live events and deliveries in Chromium: sentences first, JSON on request. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/src/database/drizzle.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { authUrl, newPkce, startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
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

test('deliveries are sentences with the names of users, and the request is shown as JSON on request', async (t) => {
  const app = await startTestApp(t, { WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { browser } = await newOperator(app)
  const system = await app.newSystem({ multiAccount: true })
  const url = `/admin/systems/${system.id}/webhooks`
  const { body: webhook } = await app.platform.post(url, { url: 'http://127.0.0.1:1/x', events: [] })
  const user = await app.newUser({ name: 'Ana Lima' })
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })
  await app.db.execute(sql`insert into deliveries (webhook_id, event_seq, ordered_by, status)
    select ${webhook.id}::uuid, seq, id, 'delivered' from events where system_id = ${system.id} and type = 'user.access_granted'`)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const row = page.locator('tbody tr', { hasText: 'Ana Lima has access to Acme' })
  await show(visit, app.url, `webhooks/${system.id}/${webhook.id}`)
  await row.waitFor()
  const type = await row.locator('code').first().textContent()
  await row.locator('.opener').click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('.sentence').waitFor()
  const hidden = await dialog.locator('pre').first().isVisible()
  await dialog.getByText(en.webhooks.payload, { exact: true }).click()
  await dialog.locator('pre').first().waitFor()

  assert.deepEqual([type, hidden], ['user.access_granted', false])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
