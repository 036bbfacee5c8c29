/** The operations on connections: what they accept, and what they never return. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPlace, noteTested } from '../../../test/support/connections.ts'
import { newName } from '../../../test/support/domains.ts'
import { type Answer, expectStatus, pathsOf } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { connections } from '../../database/schema.ts'

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]

type App = Awaited<ReturnType<typeof startTestApp>>

const SECRET = 'a secret of the provider'
const FIELDS = {
  issuer: 'https://acme.okta.com/oauth2/default',
  clientId: '0oa1b2c3',
  secretExpiresAt: '2030-01-02T03:04:05.000Z',
  scopes: ['openid', 'email', 'groups'],
  requiredClaims: { hd: ['acme.example'], dept: ['a', 'b'] },
  closedIssuer: true,
  subjectAttribute: 'oid',
  groupAttribute: 'groups',
  jit: true,
  sessionHours: 8,
  mfaAcr: ['phr'],
  reauthentication: 'unconfirmed',
}

test('a draft has its addresses, and a connection keeps what is set, each field by itself too', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, add } = await newPlace(app)

  const draft = await add(admin)
  const { path: at } = draft
  const all = expectStatus(await admin.patch(at, { ...FIELDS, clientSecret: SECRET }), 200).body
  const whole = expectStatus(await admin.post(path, { name: 'All', kind: 'oidc', ...FIELDS }), 201).body
  const cleared = await admin.patch(at, { secretExpiresAt: null, groupAttribute: null, requiredClaims: {} })

  assert.deepEqual(
    [draft.redirectUri, draft.startUrl],
    ['callback', 'start'].map((end) => `${app.url}/sso/${draft.id}/${end}`),
  )
  assert.deepEqual(
    [draft.missing, draft.enabled, draft.setBy, draft.hasSecret],
    [['issuer', 'clientId', 'clientSecret'], false, 'account', false],
  )
  const { issuer, scopes, sessionHours, subjectAttribute, reauthentication, jit, closedIssuer, mfa } = draft
  assert.deepEqual(
    [issuer, scopes, sessionHours, subjectAttribute, reauthentication, jit, closedIssuer, mfa],
    [null, ['openid', 'email', 'profile'], 24, 'sub', 'stated', false, false, null],
  )
  for (const answer of [all, whole])
    for (const [field, value] of Object.entries(FIELDS)) assert.deepEqual(answer[field], value, field)
  assert.deepEqual([all.hasSecret, all.missing], [true, []])
  assert.deepEqual([whole.hasSecret, whole.missing], [false, ['clientSecret']])
  const { secretExpiresAt, groupAttribute, requiredClaims } = cleared.body
  assert.deepEqual([secretExpiresAt, groupAttribute, requiredClaims], [null, null, {}])
  assert.deepEqual(
    (await admin.get(path)).body.map(({ id }: { id: string }) => id),
    [draft.id, whole.id],
  )
})

test('P105: the client secret is in no answer, audit entry or event, and is stored encrypted', async (t) => {
  const app = await startTestApp(t)
  const { admin, system, accountId, path, add } = await newPlace(app)
  const connection = await add(admin, { clientSecret: SECRET })
  await noteTested(app, connection.id)

  const answers = [
    await admin.patch(connection.path, { clientSecret: `${SECRET} 2` }),
    await admin.patch(connection.path, { enabled: true }),
    await admin.get(connection.path),
    await admin.get(path),
    await admin.get(`/admin/names?ids=${connection.id}`),
    await app.platform.get(`/admin/search?q=${encodeURIComponent(SECRET)}`),
    await admin.post(path, { name: connection.name, kind: 'oidc', clientSecret: SECRET }),
    await admin.patch(connection.path, { clientSecret: SECRET, sessionHours: 0 }),
  ]
  const entries = await app.audited({ systemId: system.id })
  const events = await app.findEvents({ accountId })
  const [row] = await app.db.select().from(connections).where(eq(connections.id, connection.id))

  assert.doesNotMatch(JSON.stringify([answers.map(({ body }) => body), entries, events]), /of the provider/)
  assert.deepEqual(
    entries
      .filter(({ targetId }) => targetId === connection.id)
      .map(({ action, changes }) => [action, changes.clientSecret]),
    [
      ['connection.created', [null, 'replaced']],
      ['connection.updated', [null, 'replaced']],
      ['connection.enabled', undefined],
    ],
  )
  assert.ok(!row!.sealedSecret!.includes('of the provider'))
})

const SHARED = [
  ...['common', 'organizations', 'consumers', 'COMMON', '%63ommon', '{tenantid}', ''].map(
    (tenant) => `https://login.microsoftonline.com/${tenant}/v2.0`,
  ),
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  'https://sts.windows.net/common/',
  'https://login.microsoftonline.com./common/v2.0',
  'https://accounts.google.com',
  'https://accounts.google.com/',
  'https://appleid.apple.com',
  'https://account.apple.com',
  'https://www.linkedin.com/oauth',
  'https://slack.com',
  'https://gitlab.com',
  'https://gitlab.com.',
  'https://login.salesforce.com',
  'https://test.salesforce.com',
]

test('P78: an issuer at which people of several organizations sign in is refused, also this installation', async (t) => {
  const app = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true' })
  const { admin, path, add } = await newPlace(app)
  const connection = await add(admin)
  const google = { issuer: 'https://accounts.google.com', requiredClaims: { hd: ['acme.example'] } }

  const refused = []
  for (const issuer of [...SHARED, app.url, `${app.url}/`])
    for (const answer of [
      await admin.post(path, { name: newName(), kind: 'oidc', issuer }),
      await app.platform.patch(connection.path, { issuer, requiredClaims: { tid: ['x'] } }),
    ])
      refused.push([issuer, answer.status, answer.body.errors?.[0]?.path ?? answer.body.code])
  const accepted = [
    await admin.patch(connection.path, google),
    await admin.patch(connection.path, { requiredClaims: { hd: ['acme.example', 'acme.test'] } }),
  ]
  const widened = [
    await admin.patch(connection.path, { requiredClaims: {} }),
    await admin.patch(connection.path, { requiredClaims: { sub: ['x'] } }),
  ]
  const own = await add(admin, {
    issuer: 'https://login.microsoftonline.com/2f1b5c1e-8d3a-4f60-9a77-0c2d4e6f8a1b/v2.0',
  })

  for (const [issuer, status, why] of refused)
    assert.ok(status === 400 && (why === 'issuer_multi_tenant' || why === '/issuer'), `${issuer}: ${why}`)
  assert.ok(refused.filter(([, , why]) => why === 'issuer_multi_tenant').length > 36)
  assert.deepEqual(
    accepted.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(
    widened.map(outcomeOf),
    widened.map(() => [400, 'issuer_multi_tenant']),
  )
  assert.match(own.issuer, /2f1b5c1e/)
})

test('P158: an issuer is a public https address, unless the installation allows private ones', async (t) => {
  const plain = await startTestApp(t)
  const open = await startTestApp(t, { CONNECTIONS_ALLOW_PRIVATE: 'true' })
  const place = await newPlace(plain)
  const { path } = await place.add(plain.platform)
  const priv = ['https://10.0.0.1', 'https://192.168.1.1/realms/a', 'https://[::1]:8443', 'https://localhost']
  const never = [
    ...[
      'http://idp.example',
      'http://10.0.0.1',
      'ftp://idp.example',
      'https://user@idp.example',
      'idp.example',
    ],
    ...[
      'https://idp.example?a=b',
      'https://idp.example#a',

      'https://169.254.169.254',
      '',
    ],
    ...['https://idp.example/ a', 'https://bücher.example', `https://idp.example/${'a'.repeat(500)}`],
  ]
  const statusesOf = async (app: App, issuers: string[]) => {
    const statuses = []
    for (const issuer of issuers) statuses.push([issuer, (await app.platform.patch(path, { issuer })).status])
    return statuses
  }

  assert.deepEqual(
    await statusesOf(plain, [...priv, 'http://localhost:1', ...never]),
    [...priv, 'http://localhost:1', ...never].map((issuer) => [issuer, 400]),
  )
  assert.deepEqual(
    await statusesOf(open, never),
    never.map((issuer) => [issuer, 400]),
  )
  assert.deepEqual(
    await statusesOf(open, [...priv, 'http://127.0.0.1:9', 'http://localhost:9/realms/a']),
    [...priv, 'http://127.0.0.1:9', 'http://localhost:9/realms/a'].map((issuer) => [issuer, 200]),
  )
})

test('what is no setting of a connection is refused with the field', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, add } = await newPlace(app)
  const connection = await add(admin)
  const long = (length: number) => Array.from({ length }, (_, nth) => `v${nth}`)
  const wrong: [string, unknown][] = [
    ...['', 'a'.repeat(101), 1, null].map((value): [string, unknown] => ['name', value]),
    ...['ldap', '', 1].map((value): [string, unknown] => ['kind', value]),
    ...['', 'ä', 'a\nb', null].map((value): [string, unknown] => ['clientId', value]),
    ...['', 'a\u0007', 'a'.repeat(1_001), null].map((value): [string, unknown] => ['clientSecret', value]),
    ...[[], ['email'], ['openid', 'a b'], ['openid', 'openid'], ['openid', ...long(10)], 'openid'].map(
      (value): [string, unknown] => ['scopes', value],
    ),
    ...[
      { a: 1 },
      { a: 'b' },
      { a: [''] },
      { a: [] },
      { a: ['b', 1] },
      { a: { b: 'c' } },
      { a: long(21) },
      { '': ['a'] },
      { ['a'.repeat(101)]: ['a'] },
      Object.fromEntries(long(11).map((name) => [name, ['a']])),
      [],
      null,
    ].map((value): [string, unknown] => ['requiredClaims', value]),
    ...['email', '', null].map((value): [string, unknown] => ['subjectAttribute', value]),
    ...['', 'a'.repeat(257), 1].map((value): [string, unknown] => ['groupAttribute', value]),
    ...[0, 721, 1.5, '8', null].map((value): [string, unknown] => ['sessionHours', value]),
    ...[[''], long(11), ['a', 'a'], 'a'].map((value): [string, unknown] => ['mfaAcr', value]),
    ...['never', null].map((value): [string, unknown] => ['reauthentication', value]),
    ...['soon', '2030-13-01T00:00:00Z', 1].map((value): [string, unknown] => ['secretExpiresAt', value]),
    ...['yes', null].map((value): [string, unknown] => ['jit', value]),
    ...[['x'], 'x', null].map((value): [string, unknown] => ['defaultRoles', value]),
  ]

  const got = []
  for (const [field, value] of wrong) {
    const created = await admin.post(path, { name: newName(), kind: 'oidc', [field]: value })
    const changed = field === 'kind' ? created : await admin.patch(connection.path, { [field]: value })
    for (const answer of [created, changed])
      got.push([field, answer.status, pathsOf(answer).some((each) => each.startsWith(`/${field}`))])
  }
  const unknown = await admin.post(path, { name: newName(), kind: 'oidc', enabled: true })

  assert.deepEqual(
    got,
    wrong.flatMap(([field]) => [
      [field, 400, true],
      [field, 400, true],
    ]),
  )
  assert.equal(unknown.status, 400)
  assert.equal((await admin.get(path)).body.length, 1)
})

test('P156: issuer and subject are fixed after a test, and a connection is enabled after one', async (t) => {
  const app = await startTestApp(t)
  const { admin, path, accountId, add } = await newPlace(app)
  const { issuer, clientId } = FIELDS
  const connection = await add(admin, { issuer, clientId, clientSecret: SECRET })

  const untested = await app.platform.patch(connection.path, { enabled: true })
  const before = await admin.patch(connection.path, { issuer: 'https://other.example' })
  await noteTested(app, connection.id)
  const fixed = [
    await admin.patch(connection.path, { issuer }),
    await app.platform.patch(connection.path, { subjectAttribute: 'oid' }),
  ]
  const enabled = await admin.patch(connection.path, { enabled: true, issuer: 'https://other.example' })
  const changed = await admin.patch(connection.path, { clientId: 'another' })
  const renamed = await admin.patch(connection.path, { name: newName() })
  const disabled = await admin.patch(connection.path, { enabled: false })
  await admin.patch(connection.path, { enabled: true })
  const deleted = await admin.delete(connection.path)
  const again = await admin.post(path, { name: renamed.body.name, kind: 'oidc' })

  assert.deepEqual(outcomeOf(untested), [409, 'connection_untested'])
  assert.equal(before.status, 200)
  assert.deepEqual(
    fixed.map(outcomeOf),
    fixed.map(() => [409, 'connection_fixed']),
  )
  assert.deepEqual([enabled.body.enabled, enabled.body.changedSinceTest], [true, false])
  assert.deepEqual([changed.body.enabled, changed.body.changedSinceTest], [true, true])
  assert.deepEqual([disabled.body.enabled, deleted.status], [false, 204])
  assert.deepEqual([again.body.testedAt, again.body.issuer], [null, null])
  const events = await app.findEvents({ accountId })
  assert.deepEqual(
    events
      .map(({ type, data }) => [type, (data.connection as { id?: string } | undefined)?.id])
      .filter(([type]) => String(type).startsWith('connection')),
    ['enabled', 'disabled', 'enabled', 'disabled'].map((verb) => [`connection.${verb}`, connection.id]),
  )
})
