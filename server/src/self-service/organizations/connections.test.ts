/** The connections of an organization on its pages. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import { noteTested } from '../../../test/support/connections.ts'
import { newName } from '../../../test/support/domains.ts'
import { newTeam, text, type Visitor } from '../../../test/support/organizations.ts'
import { OTHER_CLIENT, startOtherProvider, visitOther } from '../../../test/support/other-provider.ts'
import { freePort } from '../../../test/support/postgres.ts'
import { newSamlKey } from '../../../test/support/saml-keys.ts'
import { samlMetadata } from '../../../test/support/saml-metadata.ts'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { connectionAttempts, connections, limits } from '../../database/schema.ts'

const OPEN = { organizationSso: 'account' }

/** An organization whose admins set up single sign-on, with what a form of its pages leads to. */
async function newPages(t: TestContext, fields: object = OPEN, settings: Record<string, string> = {}) {
  const app = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true', ...settings })
  const team = await newTeam(app, { ...fields })
  const path = `/admin/accounts/${team.accountId}/connections`
  const list = async () => (await app.platform.get(path)).body
  return { app, ...team, path, list, ...formsOf(team.admin) }
}

function formsOf({ browser, send }: Visitor) {
  /** The page after a form. */
  const sent = async (at: string, fields: Record<string, string> | string[][] = {}) =>
    browser.follow(await send(at, fields))
  return { sent }
}

/** What a form of the page sends along: what it shows, which decides what has changed. */
const before = (page: Answer, form: string): string => {
  const [, rest = ''] = text(page).split(new RegExp(`action="[^"]*/${form}"`))
  const [, value = ''] = /name="before" value="([^"]*)"/.exec(rest) ?? []
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

test('an admin adds a connection, enters its values, tests it, turns it on, and deletes it', async (t) => {
  const { app, admin, list, sent, path } = await newPages(t)

  assert.match(text(await admin.open('/sso')), /No connections yet/)
  await admin.open('/sso/connections/new')
  const added = text(await sent('/sso/connections/new', { name: ' Okta ', service: 'okta' }))
  const [draft] = await list()
  const at = `/sso/connections/${draft.id}`
  assert.match(added, /The connection was added/)
  for (const shown of [draft.redirectUri, draft.startUrl, 'Setup not finished', 'Create App Integration'])
    assert.ok(added.includes(shown), shown)
  assert.match(added, /<details class="guide" open><summary\s*>.*Steps in Okta/)
  assert.ok(!added.includes('id="test"') && !added.includes('id="turn-on"'))
  const other = await startOtherProvider(await freePort(), draft.redirectUri)
  t.after(() => other.close())
  other.claims = { sub: 'ana', email: 'ana@acme.example', email_verified: true }
  const values = { issuer: other.url, clientId: OTHER_CLIENT.id, clientSecret: OTHER_CLIENT.secret }
  const more = {
    secretExpiresAt: '2036-06-01',
    requiredClaims: 'email=ana@acme.example',
    subjectAttribute: 'sub',
  }
  const saved = text(
    await sent(`${at}/provider`, {
      ...{ ...values, ...more, scopes: 'openid email', before: before(await admin.open(at), 'provider') },
    }),
  )
  assert.match(saved, /The connection was changed/)
  assert.ok(!saved.includes(OTHER_CLIENT.secret), 'the secret is not shown')
  assert.match(saved, /A secret is stored/)
  const [stored] = await list()
  assert.deepEqual(
    [stored.issuer, stored.hasSecret, stored.secretExpiresAt, stored.requiredClaims, stored.scopes],
    [other.url, true, '2036-06-01T00:00:00.000Z', { email: ['ana@acme.example'] }, ['openid', 'email']],
  )
  const page = await admin.browser.follow(await admin.send(`${at}/test`))
  assert.match(text(page), /This tests the connection/)
  const away = await admin.browser.submit(page)
  const result = await admin.browser.get(await visitOther(other, away.headers.get('location')))
  assert.match(text(result), /The test succeeded/)
  const tested = text(await admin.open(at))
  assert.match(tested, /id="turn-on"/)
  assert.ok(!tested.includes('name="issuer"'), 'the issuer is fixed')
  assert.match(text(await sent(`${at}/enable`)), /The connection is on/)
  assert.equal((await list())[0].enabled, true)
  assert.match(text(await admin.open('/sso')), /badge good">On/)
  assert.match(text(await admin.open(`${at}/log`)), /ana@acme\.example.*Test succeeded/s)
  assert.match(text(await sent(`${at}/disable`)), /The connection is off/)
  assert.match(text(await sent(`${at}/delete`)), /The connection was deleted/)

  assert.deepEqual(await list(), [])
  const entries = (await app.audited({ targetId: draft.id })).filter(({ actorType }) => actorType === 'user')
  assert.deepEqual(
    entries.map(({ action, actorVia }) => [action, actorVia]),
    ['created', 'updated', 'test_requested', 'enabled', 'disabled', 'deleted'].map((verb) => [
      `connection.${verb}`,
      'account_pages',
    ]),
  )
  assert.match(text(await admin.open('/activity')), /deleted the connection/)
  assert.equal((await app.platform.get(`${path}/${draft.id}`)).status, 404)
  assert.equal((await admin.open(at)).status, 404)
})

test('a form changes only what the admin has changed, and shows what is wrong at its field', async (t) => {
  const { app, system, admin, role, adminRole, list, sent, path } = await newPages(t)
  const reserved = await app.newRole(system.id, { name: 'Vendor', assignableByAccountAdmins: false })
  await admin.open('/sso/connections/new')
  await sent('/sso/connections/new', { name: 'Entra', service: 'entra' })
  const [{ id, subjectAttribute }] = await list()
  const at = `/sso/connections/${id}`
  const page = await admin.open(at)
  const [ofSettings, ofProvider] = [before(page, 'settings'), before(page, 'provider')]
  await app.platform.patch(`${path}/${id}`, { sessionHours: 12, closedIssuer: true })
  const settings = { name: 'Entra ID', sessionHours: '24', jit: 'yes', before: ofSettings }
  const read = async () => (await app.platform.get(`${path}/${id}`)).body

  const saved = await sent(`${at}/settings`, [...Object.entries(settings), ['roles', role.id]])
  const first = await read()
  const wrong = text(
    await sent(`${at}/settings`, { ...settings, name: '', sessionHours: '721', before: ofSettings }),
  )
  const provider = { subjectAttribute: 'oid', scopes: 'openid', before: ofProvider }
  const faults = [
    [{ issuer: 'ftp://acme' }, 'issuer'],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer'],
    [{ issuer: 'https://accounts.google.com' }, 'issuer'],
    [{ requiredClaims: 'hd' }, 'requiredClaims'],
    [{ scopes: 'email' }, 'scopes'],
    [{ secretExpiresAt: 'soon' }, 'secretExpiresAt'],
    [{ clientId: 'é' }, 'clientId'],
  ] as const
  for (const [fields, field] of faults) {
    const answer = text(await sent(`${at}/provider`, { ...provider, ...fields }))
    assert.match(answer, new RegExp(`id="${field}-error"`), JSON.stringify(fields))
  }
  const google = {
    ...provider,
    issuer: 'https://accounts.google.com',
    requiredClaims: 'hd=a.example\nhd=b.example',
  }
  const accepted = await sent(`${at}/provider`, google)
  const forged = [adminRole.id, reserved.id].map((each) =>
    sent(`${at}/settings`, { ...settings, roles: each }),
  )
  const refused = await Promise.all(forged)
  await sent('/sso/connections/new', { name: 'Second', service: 'other' })
  const taken = text(await sent('/sso/connections/new', { name: 'Entra ID', service: 'other' }))

  assert.equal(subjectAttribute, 'oid')
  assert.match(text(saved), /The connection was changed/)
  assert.deepEqual(
    [first.name, first.jit, first.defaultRoles, first.sessionHours, first.closedIssuer],
    ['Entra ID', true, [role.id], 12, true],
  )
  assert.ok(wrong.includes('id="name-error"') && wrong.includes('id="sessionHours-error"'))
  assert.match(wrong, /value="721"/)
  assert.match(text(accepted), /The connection was changed/)
  const last = await read()
  assert.deepEqual(last.requiredClaims, { hd: ['a.example', 'b.example'] })
  assert.deepEqual([last.defaultRoles, last.sessionHours], [[role.id], 12])
  assert.ok(refused.every((answer) => text(answer).includes('role="alert"')))
  assert.match(taken, /id="name-error"/)
})

test('an admin adds a connection with SAML, pastes metadata, replaces certificates, and turns it on', async (t) => {
  const { app, admin, list, sent } = await newPages(t)
  const [key, next] = [newSamlKey(), newSamlKey()]
  await admin.open('/sso/connections/new')
  const added = text(await sent('/sso/connections/new', { name: 'AD FS', service: 'other', kind: 'saml' }))
  const [draft] = await list()
  const at = `/sso/connections/${draft.id}`
  const values = async (fields: Record<string, string>) =>
    text(await sent(`${at}/provider`, { ...fields, before: before(await admin.open(at), 'provider') }))

  const refused = [
    await values({ metadata: '<a/>' }),
    await values({ certificates: `${key.pem}\r\nx` }),
    await values({ ssoUrl: 'ftp://idp.example.com' }),
  ]
  const long = samlMetadata({ key }).replace(/<\/EntityDescriptor>$/, (end) => ' '.repeat(90_000) + end)
  const pasted = await values({ metadata: long })
  const [stored] = await list()
  await values({ certificates: `${key.pem}\n${next.pem}`, subjectAttribute: 'urn:oid:0.9' })
  const settings = { name: 'AD FS 2', sessionHours: '12', mfaAcr: 'urn:mfa', reauthentication: 'yes' }
  await sent(`${at}/settings`, { ...settings, before: before(await admin.open(at), 'settings') })
  const whole = text(await admin.open(at))
  const test = await admin.send(`${at}/test`)
  await noteTested(app, draft.id)
  const on = text(await sent(`${at}/enable`))
  const fixed = text(await admin.open(at))
  const [last] = await list()
  const off = text(await sent(`${at}/disable`))

  assert.deepEqual([draft.kind, draft.subjectAttribute], ['saml', null])
  for (const shown of [draft.acsUrl, draft.entityId, 'name="metadata"'])
    assert.ok(added.includes(shown), shown)
  assert.ok(!added.includes('name="clientId"') && !added.includes('name="reauthentication"'))
  for (const [index, field] of ['metadata', 'certificates', 'ssoUrl'].entries())
    assert.match(refused[index]!, new RegExp(`id="${field}-error"`))
  assert.match(pasted, /The connection was changed/)
  assert.deepEqual([stored.issuer, stored.missing], ['https://idp.example.com/saml', []])
  assert.ok(whole.includes('Certificate 2 ends') && whole.includes('id="test"'))
  assert.equal(test.status, 303)
  assert.match(String(test.headers.get('location')), /\/sso\/.*\/test\?token=/)
  assert.match(on, /The connection is on/)
  assert.ok(!fixed.includes('name="issuer"') && !fixed.includes('name="subjectAttribute"'))
  assert.deepEqual(
    [last.enabled, last.certificates.length, last.subjectAttribute, last.sessionHours, last.mfaAcr],
    [true, 2, 'urn:oid:0.9', 12, ['urn:mfa']],
  )
  assert.match(off, /The connection is off/)
})

test('where SAML is switched off, no connection with it is added on the pages', async (t) => {
  const { admin, list, sent } = await newPages(t, OPEN, { SAML: 'false' })

  const page = text(await admin.open('/sso/connections/new'))
  const refused = text(await sent('/sso/connections/new', { name: 'AD FS', service: 'entra', kind: 'saml' }))
  await sent('/sso/connections/new', { name: 'Entra', service: 'entra', kind: 'oidc' })

  assert.match(page, /value="saml" disabled/)
  assert.match(refused, /role="alert"[\s\S]*SAML is switched off/)
  assert.deepEqual(
    (await list()).map(({ kind, subjectAttribute }: Record<string, unknown>) => [kind, subjectAttribute]),
    [['oidc', 'oid']],
  )
})

test('P90: metadata on the pages is read for those only who set up connections, with the budget of the account', async (t) => {
  const { app, system, admin, list, sent } = await newPages(t)
  await admin.open('/sso/connections/new')
  await sent('/sso/connections/new', { name: 'AD FS', service: 'other', kind: 'saml' })
  const [{ id }] = await list()
  const at = `/sso/connections/${id}`
  const shown = before(await admin.open(at), 'provider')
  const paste = async () =>
    text(await sent(`${at}/provider`, { metadata: samlMetadata({ key: newSamlKey() }), before: shown }))
  const counted = sql`${limits.key} ~ 'connection_metadata:'`
  const used = () => app.db.select().from(limits).where(counted)

  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'off' })
  const unused = await used()
  const foreign = await paste()
  const after = await used()
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'account' })
  const first = await paste()
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + 3600000` })
    .where(counted)
  const late = await paste()

  assert.match(foreign, /role="alert"/)
  assert.deepEqual(after, unused)
  assert.match(first, /The connection was changed/)
  assert.match(late, /Try again in a minute/)
})

test('P73: what the system has set up is read, and not changed, tested, turned off or deleted', async (t) => {
  const { app, admin, list, sent, path } = await newPages(t)
  await app.platform.post(path, {
    name: 'Above',
    kind: 'oidc',
    issuer: 'https://acme.okta.com',
    clientId: 'c',
  })
  const [{ id }] = await list()
  await noteTested(app, id)
  await app.platform.patch(`${path}/${id}`, { clientSecret: 'secret-of-acme', enabled: true })
  const at = `/sso/connections/${id}`

  const page = text(await admin.open(at))
  const acts: [string, Record<string, string>][] = [
    ['provider', { clientId: 'mine' }],
    ['settings', { name: 'Mine' }],
    ['test', {}],
    ['enable', {}],
    ['disable', {}],
    ['delete', {}],
  ]
  for (const [act, fields] of acts) {
    const answer = text(await sent(`${at}/${act}`, fields))
    assert.match(answer, /role="alert"/, act)
  }

  assert.match(page, /The application has set up this connection/)
  assert.ok(page.includes('https://acme.okta.com') && !page.includes('secret-of-acme'))
  assert.ok(!page.includes('method="post"'), 'there is no form')
  const [after] = await list()
  assert.deepEqual([after.name, after.clientId, after.enabled], ['Above', 'c', true])
})

test('without the right to set up connections an admin turns off and deletes their own', async (t) => {
  const { app, system, admin, member, list, sent, path } = await newPages(t)
  await admin.open('/sso/connections/new')
  await sent('/sso/connections/new', { name: 'Okta', service: 'okta' })
  const [{ id }] = await list()
  const settings = { issuer: 'https://acme.okta.com', clientId: 'c', clientSecret: 's' }
  await app.platform.patch(`${path}/${id}`, settings)
  await noteTested(app, id)
  await app.platform.patch(`${path}/${id}`, { enabled: true })
  await app.platform.patch(`/admin/systems/${system.id}`, { organizationSso: 'off' })
  const at = `/sso/connections/${id}`

  const page = text(await admin.open(at))
  const add = [
    await admin.open('/sso/connections/new'),
    await admin.send('/sso/connections/new', { name: 'B' }),
  ]
  const changed = text(await sent(`${at}/settings`, { name: 'Mine' }))
  const off = text(await sent(`${at}/disable`))
  await member.open('')
  const ofMember = [await member.open(at), await member.send(`${at}/delete`)]
  const gone = await sent(`${at}/delete`)
  const another = await newTeam(app, OPEN)
  const foreign = await another.admin.open(`/sso/connections/${id}`)

  assert.match(page, /sets up the connections of organizations/)
  assert.ok(!page.includes('/provider"') && !page.includes('id="test"') && page.includes('id="disable"'))
  assert.equal(add[0]!.status, 404)
  assert.match(changed, /role="alert"/)
  assert.match(off, /The connection is off/)
  assert.deepEqual(
    ofMember.map(({ status }) => status),
    [403, 403],
  )
  assert.equal(gone.status, 404, 'nothing is left to be shown')
  assert.equal(foreign.status, 404)
  assert.deepEqual(await list(), [])
})

test('P75: every change of a connection asks for a recent sign-in, reading does not', async (t) => {
  const { app, admin, list, sent } = await newPages(t)
  await admin.open('/sso/connections/new')
  await sent('/sso/connections/new', { name: 'Okta', service: 'okta' })
  const [{ id }] = await list()
  const at = `/sso/connections/${id}`
  await admin.open(at)
  await changeProofs(app.db, admin.id, { age: 310 })
  const isAsked = ({ status, headers }: Answer) =>
    status === 303 && /\/auth\?/.test(headers.get('location') ?? '')

  const asked = []
  for (const act of ['provider', 'settings', 'test', 'enable', 'disable', 'delete'])
    asked.push(isAsked(await admin.send(`${at}/${act}`, { name: 'Mine' })))
  asked.push(isAsked(await admin.open('/sso/connections/new')))
  asked.push(isAsked(await admin.send('/sso/connections/new', { name: newName() })))
  const read = [await admin.open(at), await admin.open(`${at}/log`)]

  assert.deepEqual(asked, Array(8).fill(true))
  assert.deepEqual(
    read.map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await list())[0].name, 'Okta')
})

test('P106: the log escapes what a provider has stated, and names a refusal in words', async (t) => {
  const { app, admin, list, sent } = await newPages(t)
  await admin.open('/sso/connections/new')
  await sent('/sso/connections/new', { name: '<b>Okta</b>', service: 'okta' })
  const [{ id }] = await list()
  const row = { connectionId: id, requestId: null, email: null }
  await app.db.insert(connectionAttempts).values([
    { ...row, outcome: 'refused', code: 'provider_refused', subject: '<img src=x>' },
    { ...row, outcome: 'refused', code: 'constructor', subject: null },
  ])
  await app.db.update(connections).set({ lastError: 'provider_refused' }).where(eq(connections.id, id))

  const log = text(await admin.open(`/sso/connections/${id}/log`))
  const page = text(await admin.open(`/sso/connections/${id}`))
  const all = text(await admin.open('/sso'))

  assert.ok(!`${log}${page}${all}`.includes('<img src=x>') && !`${log}${page}${all}`.includes('<b>Okta'))
  assert.match(log, /The provider has refused\. Check the client secret/)
  assert.match(page, /id="last-error"[\s\S]*The provider has refused/)
  assert.match(all, /badge bad">Last attempt refused/)
})
