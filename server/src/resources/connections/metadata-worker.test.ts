/** Metadata of SAML providers that the server reads from its address. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { newPlace, noteTested } from '../../../test/support/connections.ts'
import { type Answer, expectStatus, pathsOf } from '../../../test/support/http.ts'
import { newSamlKey } from '../../../test/support/saml-keys.ts'
import { samlMetadata } from '../../../test/support/saml-metadata.ts'
import { startMetadata, startReading } from '../../../test/support/saml-metadata-server.ts'
import { startSaml } from '../../../test/support/saml-sign-in.ts'
import { newBrowser, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { and, eq, sql } from '../../database/drizzle.ts'
import { connections } from '../../database/schema.ts'

const [key, next, short] = [newSamlKey(), newSamlKey(), newSamlKey({ bits: 1_024 })]
const ISSUER = 'https://idp.example.com/saml'
const SSO_URL = 'https://idp.example.com/sso?idpid=C01'
const ALLOWED = { CONNECTIONS_ALLOW_PRIVATE: 'true' }
const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
const pemsOf = ({ certificates }: { certificates: { pem: string }[] }) => certificates.map(({ pem }) => pem)
const printOf = (pem: string) => new X509Certificate(pem).fingerprint256
const certificateEmails = (sent: { kind: string }[]) =>
  sent.filter(({ kind }) => kind === 'connection_certificates')
/** In ms. */
const [HOUR, DAY] = [3_600_000, 86_400_000]

/** A draft with the metadata of an address, which was read. */
async function startDraft(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t, ALLOWED)
  const place = await newPlace(app)
  const reading = startReading(t, app)
  const metadata = await startMetadata(t, samlMetadata({ key }))
  const draft = await place.add(place.admin, { kind: 'saml', metadataUrl: metadata.url })
  await reading.result(draft.id)
  const patch = (body: object) => place.admin.patch(draft.path, body)
  const read = async () => (await place.admin.get(draft.path)).body
  return { app, ...place, ...reading, metadata, draft, patch, read }
}

test('an address is read when it is set and daily; what it states is taken, and stays when it is removed', async (t) => {
  const { app, user, metadata, draft, patch, read, rowOf, readNow } = await startDraft(t)

  const first = await read()
  const ahead = (await rowOf(draft.id)).nextAttemptAt!.getTime() - Date.now()
  metadata.document = samlMetadata({ key: next, ssoUrl: 'https://idp.example.com/other' })
  const row = await readNow(draft.id)
  const asked = metadata.asked
  await readNow(draft.id)
  expectStatus(await patch({ metadataUrl: null }), 200)
  const removed = await readNow(draft.id)
  const after = await read()

  assert.deepEqual([first.metadataUrl, first.issuer, first.ssoUrl], [metadata.url, ISSUER, SSO_URL])
  assert.deepEqual([pemsOf(first as never), first.missing], [[key.pem], []])
  assert.ok(ahead > 22 * HOUR && ahead <= 25 * HOUR, String(ahead))
  assert.deepEqual(pemsOf(row), [next.pem])
  assert.equal(metadata.asked, asked + 1)
  assert.equal(removed.nextAttemptAt, null)
  assert.deepEqual([after.metadataUrl, after.ssoUrl], [null, 'https://idp.example.com/other'])
  assert.deepEqual(pemsOf(after as never), [next.pem])
  const entries = await app.audited({ targetId: draft.id, action: 'connection.metadata_changed' })
  assert.deepEqual(
    entries.map(({ actorType, changes }) => [actorType, changes.issuer, changes.certificates]),
    [
      ['server', [null, ISSUER], [[], [printOf(key.pem)]]],
      ['server', undefined, [[printOf(key.pem)], [printOf(next.pem)]]],
    ],
  )
  // Nobody signs in by a draft.
  assert.deepEqual(certificateEmails(await app.emailsTo(user.email)), [])
})

test('P90: what an address serves of another issuer, too long, elsewhere or wrong changes nothing', async (t) => {
  const { metadata, draft, read, readNow } = await startDraft(t)
  const inside = await startMetadata(t, samlMetadata({ key: next }))
  const serve = (document: string) => () => {
    metadata.answer = (_, response) => void response.end(document)
  }
  const status =
    (code: number, headers = {}) =>
    () => {
      metadata.answer = (_, response) =>
        void response.writeHead(code, headers).end(samlMetadata({ key: next }))
    }
  const before = await read()
  const cases: [string, string, () => void][] = [
    [
      'another issuer',
      'metadata_invalid',
      serve(samlMetadata({ key: next, issuer: 'https://other.example' })),
    ],
    ['http', 'metadata_invalid', serve(samlMetadata({ key: next, ssoUrl: 'http://idp.example.com/sso' }))],
    ['a document type', 'metadata_invalid', serve(`<!DOCTYPE x>${samlMetadata({ key: next })}`)],
    ['a short key', 'metadata_invalid', serve(samlMetadata({ key: short }))],
    ['10 MB', 'metadata_invalid', serve(samlMetadata({ key: next }) + ' '.repeat(10_000_000))],
    ['a redirect', 'metadata_unavailable', status(302, { location: inside.url })],
    ['an error', 'metadata_unavailable', status(404)],
  ]

  for (const [name, code, prepare] of cases) {
    prepare()
    const row = await readNow(draft.id)
    assert.equal(row.lastError, code, name)
    assert.ok(row.nextAttemptAt!.getTime() <= Date.now() + HOUR, name)
    const { lastError: _, ...rest } = await read()
    const { lastError: __, ...stored } = before
    assert.deepEqual(rest, stored, name)
  }
  assert.equal(inside.asked, 0)
  serve(samlMetadata({ key: next }))()
  const taken = await readNow(draft.id)

  assert.deepEqual([taken.lastError, pemsOf(taken)], [null, [next.pem]])
})

test('P90: an address is https and public, and is no field of OpenID Connect', async (t) => {
  const app = await startTestApp(t)
  const { admin, add, path } = await newPlace(app)
  const [draft, oidc] = [await add(admin, { kind: 'saml' }), await add(admin)]
  const off = await startTestApp(t, { SAML: 'false' })
  const closed = await newPlace(off)
  const refused = [
    'http://idp.example.com/metadata',
    'https://user:word@idp.example.com/metadata',
    'https://127.0.0.1/metadata',
    'https://localhost/metadata',
    'https://169.254.169.254/metadata',
    'file:///etc/passwd',
    '',
  ]

  for (const metadataUrl of refused)
    assert.deepEqual(pathsOf(await admin.patch(draft.path, { metadataUrl })), ['/metadataUrl'], metadataUrl)
  for (const metadataUrl of ['https://idp.example.com/metadata', null])
    assert.deepEqual(pathsOf(await admin.patch(oidc.path, { metadataUrl })), ['/metadataUrl'])
  const created = await admin.post(path, { name: 'A', kind: 'oidc', metadataUrl: null })
  assert.deepEqual(pathsOf(created), ['/metadataUrl'])
  const whileOff = await closed.admin.post(closed.path, {
    ...{ name: 'A', kind: 'oidc', metadataUrl: 'https://idp.example.com/metadata' },
  })
  assert.deepEqual(outcomeOf(whileOff), [403, 'saml_disabled'])
  assert.equal((await admin.get(draft.path)).body.metadataUrl, null)
})

test('P90: an address that an account admin sets ends what the system trusted the provider with', async (t) => {
  const { app, draft, patch, read } = await startDraft(t)
  const other = await startMetadata(t, samlMetadata({ key }))
  expectStatus(await app.platform.patch(draft.path, { mfa: 'trusted', reservedRoles: true }), 200)

  expectStatus(await patch({ metadataUrl: other.url }), 200)

  const { mfa, reservedRoles } = await read()
  assert.deepEqual([mfa, reservedRoles], [null, false])
})

test('a new key is read after a response that it has signed: sign-ins go on, and the admins get an email', async (t) => {
  const { app, user, admin, connection, signIn } = await startSaml(t, {}, ALLOWED)
  const { issuer } = (await admin.get(connection.path)).body
  const metadata = await startMetadata(t, samlMetadata({ key: next, issuer }))
  const reading = startReading(t, app)
  const stop = () => reading.worker.stop()
  // As if it had been read before the provider changed its key.
  await app.db
    .update(connections)
    .set({
      metadataUrl: metadata.url,
      nextAttemptAt: sql`now() + interval '1 day'`,
      metadataReadAt: sql`now() - interval '1 day'`,
    })
    .where(eq(connections.id, connection.id))

  const refused = await signIn(newBrowser(app.url), { by: next })
  await t.waitFor(() => assert.equal(metadata.asked, 1), SOON)
  const read = await reading.result(connection.id)
  const passed = await signIn(newBrowser(app.url), { by: next })
  const old = await signIn(newBrowser(app.url))
  await stop()
  const later = await reading.rowOf(connection.id)

  assert.equal(refused.back.code, undefined)
  assert.deepEqual(pemsOf(read), [next.pem])
  assert.ok(passed.back.code, JSON.stringify(passed.back))
  assert.equal(old.back.code, undefined)
  const wait = later.nextAttemptAt!.getTime() - later.metadataReadAt!.getTime()
  assert.deepEqual([metadata.asked, wait], [1, HOUR / 6], 'at most every 10 minutes')
  assert.equal(certificateEmails(await app.emailsTo(user.email)).length, 1)
})

test('the admins get an email 30, 7 and 1 days before the last certificate ends, each once', async (t) => {
  const app = await startTestApp(t)
  const { admin, add, user } = await newPlace(app)
  const { readNow, worker } = startReading(t, app)
  const ending = newSamlKey({ until: new Date(Date.now() + 40 * DAY) })
  const draft = await add(admin, {
    kind: 'saml',
    issuer: ISSUER,
    ssoUrl: SSO_URL,
    certificates: [ending.pem],
  })
  await noteTested(app, draft.id)
  const endIn = async (days: number) => {
    const notAfter = new Date(Date.now() + days * DAY).toISOString()
    const soon = { pem: key.pem, notBefore: notAfter, notAfter: new Date(Date.now() - DAY).toISOString() }
    const certificates = [soon, { pem: ending.pem, notBefore: notAfter, notAfter }]
    await app.db.update(connections).set({ certificates }).where(eq(connections.id, draft.id))
    const { nextAttemptAt } = await readNow(draft.id)
    return [certificateEmails(await app.emailsTo(user.email)).length, nextAttemptAt]
  }

  const ofDraft = await endIn(20)
  expectStatus(await admin.patch(draft.path, { enabled: true }), 200)
  const counts = []
  for (const days of [31, 29, 28, 6.5, 6, 0.9, 0.5, -1]) counts.push((await endIn(days))[0])
  const [, before] = await endIn(1.5)
  expectStatus(await admin.patch(draft.path, { certificates: [ending.pem] }), 200)
  await readNow(draft.id)
  const [again] = await endIn(29)
  await worker.stop()

  assert.deepEqual(ofDraft, [0, null])
  assert.deepEqual(counts, [0, 1, 1, 2, 2, 3, 3, 3])
  assert.ok((before as Date).getTime() < Date.now() + 0.6 * DAY, 'it is looked at a day before')
  assert.equal(again, 4, 'of other certificates')
})

test('P90: providers that answer slowly delay the metadata of no other organization', async (t) => {
  const app = await startTestApp(t, ALLOWED)
  const slow = await newPlace(app)
  const other = await newPlace(app)
  const { result, worker } = startReading(t, app)
  const waiting: ServerResponse[] = []
  const stuck = await startMetadata(t)
  stuck.answer = (_, response) => void waiting.push(response)
  const quick = await startMetadata(t, samlMetadata({ key }))
  for (let nth = 0; nth < 4; nth += 1) await slow.add(slow.admin, { kind: 'saml', metadataUrl: stuck.url })
  await t.waitFor(() => assert.ok(waiting.length >= 2), SOON)

  const draft = await other.add(other.admin, { kind: 'saml', metadataUrl: quick.url })
  const row = await result(draft.id)

  const leased = and(eq(connections.accountId, slow.accountId), sql`leased_until > now()`)
  assert.ok((await app.db.$count(connections, leased)) <= 2)
  assert.deepEqual(pemsOf(row), [key.pem])
  for (const response of waiting) response.end()
  stuck.answer = (_, response) => void response.end()
  await worker.stop()
})

test('P90: what an address has served does not count after the address was removed', async (t) => {
  const { metadata, draft, patch, read, makeDue, worker } = await startDraft(t)
  const waiting: ServerResponse[] = []
  metadata.answer = (_, response) => void waiting.push(response)
  await makeDue(draft.id)
  await t.waitFor(() => assert.ok(waiting.length > 0), SOON)

  const removed = expectStatus(await patch({ metadataUrl: null }), 200).body
  for (const response of waiting) response.end(samlMetadata({ key: next }))
  await worker.stop() // after the reading

  assert.deepEqual(pemsOf((await read()) as never), [key.pem])
  assert.equal(removed.metadataUrl, null)
})

test('a connection that is switched off is not read, and nothing is where SAML is switched off', async (t) => {
  const { app, admin, metadata, draft, patch, makeDue, rowOf, result, worker } = await startDraft(t)
  await noteTested(app, draft.id)
  for (const enabled of [true, false]) expectStatus(await patch({ enabled }), 200)
  const off = await rowOf(draft.id)
  await worker.stop()
  const before = metadata.asked
  await makeDue(draft.id)
  const idle = startReading(t, app, { SAML: false })
  await idle.worker.stop()
  const whileOff = metadata.asked
  metadata.document = samlMetadata({ key: next })
  await app.db.update(connections).set({ nextAttemptAt: null }).where(eq(connections.id, draft.id))

  const on = startReading(t, app)
  expectStatus(await admin.patch(draft.path, { enabled: true }), 200)
  const row = await result(draft.id)
  await on.worker.stop()

  assert.deepEqual([off.nextAttemptAt, off.leasedUntil], [null, null])
  assert.equal(whileOff, before)
  assert.deepEqual([pemsOf(row), row.enabled], [[next.pem], true])
})
