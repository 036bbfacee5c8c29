/** The second factors of a user, one by one, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { passkeys, totpFactors } from '../../server/src/database/schema.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('one passkey of a user is removed, the authenticator app remains, and a viewer can remove neither', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser({ name: 'Ana Souza' })
  const shop = await app.newSystem({ name: 'Northsea Shop' })
  await app.newMembership({ userId: user.id, systemId: shop.id })
  const secret = Buffer.from('a secret of thirty-two characters')
  await app.db.insert(totpFactors).values({ userId: user.id, sealedSecret: secret, confirmedAt: new Date() })
  const passkey = { userId: user.id, publicKey: secret, systemId: shop.id }
  await app.db.insert(passkeys).values({ ...passkey, credentialId: user.id, name: 'Phone' })
  const { browser } = await newOperator(app)
  const viewer = await newOperator(app, { level: 'viewer' })
  const visits = [
    await openAs(app.url, browser, 'platform'),
    await openAs(app.url, viewer.browser, 'platform'),
  ] as const
  const [{ page }, { page: watched }] = visits
  const { factorKinds, factorIn, factorRemoved } = en.users
  const removal = `${en.parts.remove}: ${factorKinds.passkey} “Phone”`
  const path = `users/${user.id}?tab=methods`

  await show(visits[1], app.url, path)
  await watched.getByText(fill(factorIn, { name: 'Northsea Shop' })).waitFor()
  assert.equal(await watched.getByRole('button', { name: en.parts.remove }).count(), 0)
  await show(visits[0], app.url, path)
  await page.getByRole('button', { name: removal }).click()
  await page.getByRole('dialog').getByRole('button', { name: en.parts.remove, exact: true }).click()
  await page.getByText(fill(factorRemoved, { factor: `${factorKinds.passkey} “Phone”` })).waitFor()
  await page.getByRole('button', { name: removal }).waitFor({ state: 'detached' })

  const { data } = (await app.platform.get(`/admin/users/${user.id}/factors`)).body
  assert.deepEqual(
    data.map(({ kind }: { kind: string }) => kind),
    ['totp'],
  )
  for (const { faults, context } of visits) {
    assert.deepEqual(faults, [])
    await context.close()
  }
})
