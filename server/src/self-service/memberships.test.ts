/** The organizations of a user at /account/accounts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMember } from '../../test/support/connections.ts'
import { newTeam, text } from '../../test/support/organizations.ts'
import { startTestApp } from '../../test/support/testing.ts'

test('a membership is shown as managed by the organization while a connection knows the member', async (t) => {
  const app = await startTestApp(t)
  const { member, accountId, name } = await newTeam(app)
  const path = `/admin/accounts/${accountId}/connections`
  const { id: connectionId } = (await app.platform.post(path, { name: 'Okta', kind: 'oidc' })).body
  const { id: userId, email, browser } = member
  const shown = async () => text(await browser.get('/account/accounts')).includes(`Managed by <bdi>${name}`)

  const before = await shown()
  await linkMember(app, { accountId, connectionId, userId, email })
  const linked = await shown()
  await app.platform.delete(`${path}/${connectionId}`)

  assert.deepEqual([before, linked, await shown()], [false, true, false])
})
