/** Connections of an organization in the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { linkMember, noteTested } from '../../server/test/support/connections.ts'
import { newAccountAdmin, newOperator } from '../../server/test/support/console.ts'
import { newSamlKey } from '../../server/test/support/saml-keys.ts'
import { samlMetadata } from '../../server/test/support/saml-metadata.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

const t = en.connections

/** An operator who looks at an organization. */
async function newPlace(
  context: Parameters<typeof startTestApp>[0],
  settings: Parameters<typeof startTestApp>[1] = {},
) {
  const app = await startTestApp(context, settings)
  const system = await app.newSystem({ multiAccount: true })
  const user = await app.newUser()
  const place = { userId: user.id, systemId: system.id, accountName: 'Acme' }
  const { accountId } = await app.newMembership(place)
  const visit = await openAs(app.url, (await newOperator(app)).browser, 'platform')
  const { page } = visit
  const path = `/admin/accounts/${accountId}/connections`
  return {
    ...{ app, system, user, accountId, visit, page, path },
    dialog: page.getByRole('dialog'),
    save: page.getByRole('button', { name: en.parts.save }),
    list: async () => (await app.platform.get(path)).body,
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    choose: async (menu: string, name: string) => {
      await page.getByRole('button', { name: `${en.parts.actions}: ${menu}` }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    },
  }
}

test('an operator adds a connection, enters its values, tests it, turns it on and off, and deletes it', async (context) => {
  const { app, system, accountId, visit, page, path, dialog, save, list, press, choose } =
    await newPlace(context)

  await show(visit, app.url, `accounts/${accountId}?tab=sso`)
  await press(t.add)
  await dialog.getByLabel(t.name).fill('Entra')
  await dialog.getByLabel(t.service).selectOption('entra')
  await dialog.getByLabel(en.settings.addressFirst).check()
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await page.getByRole('heading', { level: 1, name: 'Entra' }).waitFor()
  const [draft] = await list()
  const changed = (await app.platform.get(`/admin/systems/${system.id}`)).body
  await page.getByText(draft.redirectUri).waitFor()
  await page.getByText(t.nextRegister).waitFor()
  const withoutTest = await page.getByRole('button', { name: t.test }).count()
  await page.getByLabel(t.issuer, { exact: true }).fill('https://login.microsoftonline.com/common/v2.0')
  await save.click()
  await page.locator('.save-bar .problem').waitFor()
  assert.equal(visit.faults.splice(0).length, 2) // the response, and its line in the console of the browser
  await page.getByLabel(t.issuer, { exact: true }).fill('https://login.microsoftonline.com/1234/v2.0')
  await page.getByLabel(t.clientId).fill('a-client')
  await page.getByLabel(t.clientSecret, { exact: true }).fill('secret-of-acme')
  await page.getByLabel(t.requiredClaims).fill('tid=1234\nhd=a.example\nhd=b.example')
  await page.getByLabel(t.secretExpiresAt).fill('2036-06-01')
  await page.getByLabel(t.sessionHours).fill('12')
  await page.getByLabel(t.jit).check()
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    save.click(),
  ])
  await page.getByText(t.secretStored).waitFor()
  const [stored] = await list()
  const typed = await page.getByLabel(t.clientSecret, { exact: true }).inputValue()
  await press(t.test)
  await dialog.getByRole('button', { name: t.testLink }).click()
  const href = await dialog.getByRole('link', { name: t.testOpen }).getAttribute('href')
  await noteTested(app, draft.id) // as a browser does that opens it
  await dialog.getByText(t.outcomes.tested).waitFor()
  await dialog.getByRole('button', { name: t.turnOn }).click()
  await page.locator('.badge.good', { hasText: t.on }).waitFor()
  const isFixed = await page.getByLabel(t.issuer, { exact: true }).isDisabled()
  await choose('Entra', t.turnOff)
  await dialog.getByText(t.turnOffLead).waitFor()
  await dialog.getByRole('button', { name: t.turnOff }).click()
  await page.locator('.badge', { hasText: t.off }).waitFor()
  const [off] = await list()
  await choose('Entra', en.parts.delete)
  await dialog.getByText(fill(t.deleteTitle, { name: 'Entra' })).waitFor()
  await dialog.getByRole('button', { name: en.parts.delete }).click()
  await page.getByText(t.none).waitFor()

  assert.equal(draft.subjectAttribute, 'oid')
  assert.equal(changed.addressFirst, true)
  assert.equal(withoutTest, 0)
  const changes = ['clientId', 'clientSecret', 'issuer', 'jit', 'requiredClaims', 'secretExpiresAt']
  assert.deepEqual(Object.keys(sent.postDataJSON()).sort(), [...changes, 'sessionHours'])
  assert.deepEqual(
    [stored.requiredClaims, stored.secretExpiresAt, stored.hasSecret, stored.sessionHours, stored.jit],
    [{ tid: ['1234'], hd: ['a.example', 'b.example'] }, '2036-06-01T00:00:00.000Z', true, 12, true],
  )
  assert.equal(typed, '')
  assert.ok(href?.startsWith(`${app.url}/sso/${draft.id}/test?token=`), String(href))
  assert.ok(isFixed)
  assert.equal(off.enabled, false)
  assert.equal((await app.platform.get(path)).body.length, 0)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('a connection with SAML takes pasted metadata or single values, and a refusal is shown at its field', async (context) => {
  const { app, accountId, visit, page, dialog, save, list, press } = await newPlace(context)
  const [key, next] = [newSamlKey(), newSamlKey()]
  const field = (name: string) => page.getByLabel(name)
  /** What is refused: the sentence at the field. Both lines of the browser's console are expected. */
  const faultAt = async (name: string) => {
    await save.click()
    const text = await page
      .locator('.field', { has: field(name) })
      .locator('.fault')
      .textContent()
    assert.equal(visit.faults.splice(0).length, 2)
    return text
  }

  await show(visit, app.url, `accounts/${accountId}?tab=sso`)
  await press(t.add)
  await dialog.getByLabel(t.name).fill('AD FS')
  await dialog.locator('[name=kind][value=saml]').check()
  await dialog.getByLabel(t.service).selectOption({ label: t.otherSaml })
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await page.getByRole('heading', { level: 1, name: 'AD FS' }).waitFor()
  const [draft] = await list()
  for (const shown of [draft.acsUrl, draft.entityId]) await page.getByText(shown, { exact: true }).waitFor()
  await page.getByText(/Issuer, Sign-on URL,? and Certificates/).waitFor()
  const ofOidc = await field(t.clientId).count()
  await field(t.metadata).fill('<a/>')
  const unreadable = await faultAt(t.metadata)
  await field(t.metadata).fill(samlMetadata({ key }))
  await save.click()
  await page.getByText(fill(t.certificateUntil, { number: 1 })).waitFor()
  const [pasted] = await list()
  const typed = await field(t.metadata).inputValue()
  await field(t.certificates).fill(`${key.pem}\n${next.pem}\nx`)
  const third = await faultAt(t.certificates)
  await field(t.certificates).fill(`${key.pem}\n${next.pem}`)
  await field(t.samlSubject).fill('urn:oid:0.9')
  await field(t.samlAcr).fill('urn:mfa')
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    save.click(),
  ])
  await page.getByText(fill(t.certificateUntil, { number: 2 })).waitFor()
  await noteTested(app, draft.id)
  await show(visit, app.url, `accounts/${accountId}/connections/${draft.id}`)
  const isFixed = [await field(t.issuer).isDisabled(), await field(t.samlSubject).isDisabled()]
  await press(t.turnOn)
  await page.locator('.badge.good', { hasText: t.on }).waitFor()
  const [on] = await list()

  assert.deepEqual([draft.kind, draft.subjectAttribute, ofOidc], ['saml', null, 0])
  assert.ok(unreadable?.startsWith(en.problems.metadata_invalid), String(unreadable))
  assert.deepEqual([pasted.issuer, pasted.missing, typed], ['https://idp.example.com/saml', [], ''])
  assert.match(String(third), /X\.509/)
  assert.deepEqual(Object.keys(sent.postDataJSON()).sort(), ['certificates', 'mfaAcr', 'subjectAttribute'])
  assert.deepEqual(
    [on.enabled, on.certificates.length, on.subjectAttribute, on.mfaAcr],
    [true, 2, 'urn:oid:0.9', ['urn:mfa']],
  )
  assert.deepEqual(isFixed, [true, true])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('where SAML is switched off, the choice of the protocol says it', async (context) => {
  const { app, accountId, visit, page, dialog, list, press } = await newPlace(context, { SAML: 'false' })

  await show(visit, app.url, `accounts/${accountId}?tab=sso`)
  await press(t.add)
  await dialog.getByLabel(t.name).fill('Entra')
  await dialog.locator('[name=kind][value=saml]').check()
  await dialog.getByLabel(t.service).selectOption('entra')
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await dialog.locator('.choice .fault', { hasText: en.problems.saml_disabled }).waitFor()
  const refused = visit.faults.splice(0).length
  await dialog.locator('[name=kind][value=oidc]').check()
  await dialog.getByRole('button', { name: en.parts.create }).click()
  await page.getByRole('heading', { level: 1, name: 'Entra' }).waitFor()

  assert.equal(refused, 2)
  assert.deepEqual(
    (await list()).map(({ kind, subjectAttribute }: Record<string, unknown>) => [kind, subjectAttribute]),
    [['oidc', 'oid']],
  )
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the members of a connection are listed and unlinked, its sessions ended, and its log says why it refused', async (context) => {
  const { app, user, accountId, visit, page, path, dialog, press, choose } = await newPlace(context)
  const body = { name: 'Okta', kind: 'oidc', issuer: 'https://acme.okta.com' }
  const { id } = (await app.platform.post(path, body)).body
  const link = (subject: string) =>
    linkMember(app, { accountId, connectionId: id, userId: user.id, email: user.email, subject })
  await link('00u1')
  const at = `accounts/${accountId}/connections/${id}`
  const links = async () => (await app.platform.get(`${path}/${id}/links`)).body.total

  await show(visit, app.url, `${at}?tab=members`)
  await page.getByText('00u1').waitFor()
  await choose(user.email, en.users.unlink)
  await dialog.getByText(t.unlinkLead).waitFor()
  await dialog.getByRole('button', { name: en.users.unlink }).click()
  await page.getByText(t.linksNone).waitFor()
  const afterOne = await links()
  await link('00u2')
  await show(visit, app.url, `${at}?tab=members`)
  await press(t.unlinkAll)
  await dialog.getByRole('button', { name: t.unlinkAll }).click()
  await page.getByText(t.linksNone).waitFor()
  await choose('Okta', en.sessions.endAll)
  await dialog.getByText(t.endSessionsLead).waitFor()
  await dialog.getByRole('button', { name: en.sessions.endAll }).click()
  await dialog.getByText(t.endSessionsLead).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: t.tabs.log, exact: true }).click()
  await page.getByText(t.logNone).waitFor()

  assert.deepEqual([afterOne, await links()], [0, 0])
  const entries = await app.audited({ targetId: id, action: 'connection.sessions_ended' })
  assert.equal(entries.length, 1)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('an admin of an organization changes its own connections, and only reads what the application has set up', async (context) => {
  const app = await startTestApp(context)
  const system = await app.newSystem({ multiAccount: true, organizationSso: 'account' })
  const { browser, membership, client } = await newAccountAdmin(app, system as { id: string })
  const path = `/admin/accounts/${membership.accountId}/connections`
  await app.platform.post(path, { name: 'Above', kind: 'oidc' })
  const own = (await client.post(path, { name: 'Own', kind: 'oidc' })).body
  const visit = await openAs(app.url, browser, `account:${membership.accountId}`)
  const { page } = visit

  await show(visit, app.url, '')
  await page.getByRole('link', { name: en.shell.singleSignOn }).click()
  await page.getByRole('link', { name: 'Above' }).click()
  await page.getByText(t.setAbove).waitFor()
  const locked = await page.getByLabel(t.clientId).isDisabled()
  const actions = await page.getByRole('button', { name: `${en.parts.actions}: Above` }).count()
  await page.getByRole('link', { name: en.accounts.tabs.sso }).first().click()
  await page.getByRole('link', { name: 'Own' }).click()
  await page.getByLabel(t.clientId).fill('mine')
  await page.getByRole('button', { name: en.parts.save }).click()
  await page.getByText(en.parts.saved, { exact: true }).waitFor()
  const reserved = await page.getByLabel(t.reservedRoles).count()
  const { clientId } = (await client.get(`${path}/${own.id}`)).body
  for (const { id } of (await app.platform.get(path)).body) await app.platform.delete(`${path}/${id}`)
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'system' })
  await show(visit, app.url, '')
  const links = await page.getByRole('link', { name: en.shell.singleSignOn }).count()

  assert.deepEqual([locked, actions, reserved], [true, 0, 0])
  assert.deepEqual([clientId, links], ['mine', 0])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})
