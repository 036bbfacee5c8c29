/** Connections with SAML: what they accept, and what the metadata of a provider sets. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { newPlace, noteTested } from '../../../test/support/connections.ts'
import { type Answer, expectStatus, pathsOf } from '../../../test/support/http.ts'
import { newSamlKey } from '../../../test/support/saml-keys.ts'
import { samlMetadata } from '../../../test/support/saml-metadata.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { limits } from '../../database/schema.ts'

const [key, next, short] = [newSamlKey(), newSamlKey(), newSamlKey({ bits: 1_024 })]
const ISSUER = 'https://idp.example.com/saml'
const SSO_URL = 'https://idp.example.com/sso?idpid=C01'
const SETTINGS = { issuer: ISSUER, ssoUrl: SSO_URL, certificates: [key.pem] }
const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
const stored = (pem: string) => {
  const { validFromDate, validToDate } = new X509Certificate(pem)
  return { pem, notBefore: validFromDate.toISOString(), notAfter: validToDate.toISOString() }
}
const INVALID = [400, 'metadata_invalid']

async function newDraft(t: Parameters<typeof startTestApp>[0], settings: Record<string, string> = {}) {
  const app = await startTestApp(t, settings)
  const place = await newPlace(app)
  const draft = await place.add(place.admin, { kind: 'saml' })
  const patch = (body: object) => place.admin.patch(draft.path, body)
  return { app, ...place, draft, patch, read: async () => (await place.admin.get(draft.path)).body }
}

test('a draft has its addresses and serves our metadata, and a connection keeps what is set', async (t) => {
  const { app, draft, patch, read, add, admin } = await newDraft(t)
  const oidc = await add(admin)

  const ours = await fetch(`${app.url}/sso/${draft.id}/metadata`)
  const document = await ours.text()
  const others = await Promise.all(
    [oidc.id, crypto.randomUUID(), 'x'].map(
      async (id) => (await fetch(`${app.url}/sso/${id}/metadata`)).status,
    ),
  )
  const more = { subjectAttribute: 'urn:oid:0.9', groupAttribute: 'memberOf', mfaAcr: ['urn:mfa'] }
  const whole = expectStatus(await patch({ ...SETTINGS, ...more }), 200).body
  const changed = expectStatus(
    await patch({ certificates: [next.pem, key.pem], subjectAttribute: null }),
    200,
  )

  const at = `${app.url}/sso/${draft.id}`
  assert.deepEqual([draft.acsUrl, draft.entityId, draft.redirectUri], [`${at}/acs`, `${at}/metadata`, null])
  assert.deepEqual(draft.missing, ['issuer', 'ssoUrl', 'certificates'])
  assert.deepEqual([draft.subjectAttribute, draft.enabled, draft.certificates], [null, false, []])
  assert.equal(ours.headers.get('content-type'), 'application/samlmetadata+xml')
  assert.ok(document.includes(`entityID="${at}/metadata"`) && document.includes(`Location="${at}/acs"`))
  assert.deepEqual(others, [404, 404, 404])
  for (const [field, value] of Object.entries({ ...SETTINGS, ...more, certificates: [stored(key.pem)] }))
    assert.deepEqual(whole[field], value, field)
  assert.deepEqual(whole.missing, [])
  assert.deepEqual(changed.body.certificates, [stored(next.pem), stored(key.pem)])
  assert.deepEqual((await read()).certificates, changed.body.certificates)
  assert.deepEqual([oidc.acsUrl, oidc.entityId, oidc.certificates], [null, null, []])
})

test('the fields of the other kind are refused, each by its name', async (t) => {
  const { admin, add, patch, path } = await newDraft(t)
  const oidc = await add(admin)
  const oidcFields = {
    ...{ clientId: 'a', clientSecret: 'b', secretExpiresAt: null, scopes: ['openid'] },
    ...{ requiredClaims: {}, reauthentication: 'stated' },
  }
  const samlFields = { ssoUrl: SSO_URL, certificates: [key.pem], metadata: samlMetadata({ key }) }

  for (const [field, value] of Object.entries(oidcFields)) {
    assert.deepEqual(pathsOf(await patch({ [field]: value })), [`/${field}`])
    const created = await admin.post(path, { name: 'A', kind: 'saml', [field]: value })
    assert.deepEqual(pathsOf(created), [`/${field}`])
  }
  for (const [field, value] of Object.entries(samlFields))
    assert.deepEqual(pathsOf(await admin.patch(oidc.path, { [field]: value })), [`/${field}`])
  assert.deepEqual(pathsOf(await admin.patch(oidc.path, { subjectAttribute: 'email' })), [
    '/subjectAttribute',
  ])
  assert.deepEqual(pathsOf(await admin.patch(oidc.path, { subjectAttribute: null })), ['/subjectAttribute'])
})

test('only RSA certificates of 2,048 bits, at most five, and public https addresses are accepted', async (t) => {
  const { patch, read } = await newDraft(t)
  const six = Array.from({ length: 6 }, () => key.pem)
  const lists = [
    [],
    six,
    ['x'],
    [short.pem],
    [key.pem, key.pem],
    [key.privateKey.export({ type: 'pkcs8', format: 'pem' })],
  ]
  const urls = [
    'http://idp.example.com/sso',
    'https://user:word@idp.example.com/sso',
    'https://idp.example.com/sso#part',
    'https://127.0.0.1/sso',
    'https://localhost/sso',
    'javascript:alert(1)',
    `https://idp.example.com/${'x'.repeat(2_000)}`,
    '',
  ]

  for (const certificates of lists) assert.equal((await patch({ certificates })).status, 400)
  for (const ssoUrl of urls) assert.deepEqual(pathsOf(await patch({ ssoUrl })), ['/ssoUrl'], ssoUrl)
  for (const issuer of ['', 'x'.repeat(1_025)])
    assert.deepEqual(pathsOf(await patch({ issuer })), ['/issuer'])
  assert.deepEqual(pathsOf(await patch({ certificates: [key.pem, short.pem] })), ['/certificates/1'])
  assert.equal((await patch({ issuer: 'JumpCloud' })).status, 200)
  assert.deepEqual((await read()).missing, ['ssoUrl', 'certificates'])
})

test('P90: pasted metadata sets issuer, address and keys, and of another issuer it changes nothing', async (t) => {
  const { app, draft, patch, read } = await newDraft(t)

  const pasted = expectStatus(await patch({ metadata: samlMetadata({ key }), sessionHours: 8 }), 200).body
  const replaced = expectStatus(await patch({ metadata: samlMetadata({ key: next }) }), 200).body
  const refused = [
    samlMetadata({ key, issuer: 'https://other.example.com' }),
    samlMetadata({ key, ssoUrl: 'http://idp.example.com/sso' }),
    samlMetadata({ key, ssoUrl: 'https://10.0.0.1/sso' }),
    `<!DOCTYPE x>${samlMetadata({ key })}`,
    samlMetadata({ key: short }),
    'https://idp.example.com/metadata',
  ]
  for (const metadata of refused) assert.deepEqual(outcomeOf(await patch({ metadata })), INVALID)
  const beside = await patch({ metadata: samlMetadata({ key }), certificates: [key.pem] })
  const after = await read()

  const { issuer, ssoUrl, certificates, sessionHours } = pasted
  assert.deepEqual([issuer, ssoUrl, certificates, sessionHours], [ISSUER, SSO_URL, [stored(key.pem)], 8])
  assert.deepEqual(replaced.certificates, [stored(next.pem)])
  assert.deepEqual(pathsOf(beside), ['/certificates'])
  assert.deepEqual([after.issuer, after.certificates], [ISSUER, [stored(next.pem)]])
  assert.equal((await patch({ metadata: 'x'.repeat(1_000_001) })).status, 400)
  const prints = [key, next].map(({ pem }) => new X509Certificate(pem).fingerprint256)
  const entries = await app.audited({ targetId: draft.id, action: 'connection.metadata_changed' })
  assert.deepEqual(
    entries.map(({ changes }) => changes.certificates),
    [
      [[], [prints[0]]],
      [[prints[0]], [prints[1]]],
    ],
  )
  const [updated] = await app.audited({ targetId: draft.id, action: 'connection.updated' })
  assert.deepEqual(updated!.changes, { sessionHours: [24, 8] })
})

test('P156: issuer and subject of a provider change until the first test that succeeded, keys also later', async (t) => {
  const { app, draft, patch, read } = await newDraft(t)
  expectStatus(await patch(SETTINGS), 200)
  expectStatus(await patch({ issuer: `${ISSUER}/2`, subjectAttribute: 'uid' }), 200)
  await noteTested(app, draft.id)

  const fixed = [409, 'connection_fixed']
  assert.deepEqual(outcomeOf(await patch({ issuer: ISSUER })), fixed)
  assert.deepEqual(outcomeOf(await patch({ subjectAttribute: null })), fixed)
  assert.deepEqual(outcomeOf(await patch({ metadata: samlMetadata({ key }) })), INVALID)
  expectStatus(await patch({ certificates: [next.pem] }), 200)
  const { changedSinceTest, certificates } = await read()
  assert.deepEqual([changedSinceTest, certificates], [true, [stored(next.pem)]])
})

test('an account admin who exchanges the keys loses what the system trusted the connection with', async (t) => {
  const { app, draft, patch, read } = await newDraft(t)
  expectStatus(await patch(SETTINGS), 200)
  expectStatus(await app.platform.patch(draft.path, { mfa: 'trusted', reservedRoles: true }), 200)

  expectStatus(await patch({ metadata: samlMetadata({ key: next }) }), 200)

  const { mfa, reservedRoles } = await read()
  assert.deepEqual([mfa, reservedRoles], [null, false])
})

test('a test needs issuer, address and certificate', async (t) => {
  const { admin, draft, patch } = await newDraft(t)
  const { issuer, ssoUrl } = SETTINGS
  expectStatus(await patch({ issuer, ssoUrl }), 200)

  const answer = await admin.post(`${draft.path}/test`)

  assert.deepEqual(outcomeOf(answer), [409, 'connection_incomplete'])
  assert.equal(answer.body.detail, 'certificates')
})

test('where SAML is switched off, nothing is created, tested or read, and our metadata does not exist', async (t) => {
  const { app, admin, path, draft } = await newDraft(t)
  expectStatus(await admin.patch(draft.path, SETTINGS), 200)
  const off = await startTestApp(t, { SAML: 'false' })
  const place = await newPlace(off)
  const disabled = [403, 'saml_disabled']

  assert.deepEqual(outcomeOf(await place.admin.post(place.path, { name: 'A', kind: 'saml' })), disabled)
  const metadata = samlMetadata({ key })
  assert.deepEqual(
    outcomeOf(await place.admin.post(place.path, { name: 'A', kind: 'oidc', metadata })),
    disabled,
  )
  assert.equal((await fetch(`${off.url}/sso/${draft.id}/metadata`)).status, 404)
  assert.equal((await fetch(`${app.url}/sso/${draft.id}/metadata`)).status, 200)
  assert.equal((await admin.get(path)).body.length, 1)
})

test('P90: metadata is read for those only who set up the connection, with a budget for each account', async (t) => {
  const { app, patch, path, draft } = await newDraft(t)
  const other = await newPlace(app)
  const ofOther = await other.add(other.admin, { kind: 'saml' })
  const metadata = samlMetadata({ key })
  const many = metadata.replace(/<X509Certificate>.*<\/X509Certificate>/, (one) =>
    Array.from({ length: 51 }, (_, at) => one.replace('>', `>${'A'.repeat(at)}`)).join(''),
  )
  const counted = sql`${limits.key} ~ 'connection_metadata:'`

  const before = await app.db.$count(limits, counted)
  const foreign = [
    await other.admin.patch(draft.path, { metadata }),
    await other.admin.post(path, { name: 'Other', kind: 'saml', metadata }),
  ]
  const after = await app.db.$count(limits, counted)
  const tooMany = await patch({ metadata: many })
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + 3600000` })
    .where(counted)
  const late = await patch({ metadata })
  const elsewhere = await other.admin.patch(ofOther.path, { metadata })

  assert.deepEqual(
    foreign.map(({ status }) => status),
    [404, 404],
  )
  assert.equal(after, before)
  assert.deepEqual([tooMany.status, tooMany.body.detail], [400, 'more than 50 certificates'])
  assert.deepEqual(outcomeOf(late), [429, 'too_many_requests'])
  assert.equal(elsewhere.status, 200)
})
