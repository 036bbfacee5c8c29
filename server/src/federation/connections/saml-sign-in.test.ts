/** The sign-in by a connection with SAML, and what others do with its addresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { expectStatus } from '../../../test/support/http.ts'
import { freePort } from '../../../test/support/postgres.ts'
import { newSamlKey } from '../../../test/support/saml-keys.ts'
import { askedIn, locationOf, type SamlPlace, startSaml } from '../../../test/support/saml-sign-in.ts'
import { linkTo } from '../../../test/support/sso-sign-in.ts'
import { codeFields, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { connections, sessions } from '../../database/schema.ts'

const stranger = newSamlKey()
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const tokensOf = async ({ app, system }: SamlPlace, signed: Awaited<ReturnType<SamlPlace['signIn']>>) => {
  assert.ok(signed.back.code, `${signed.end.status} ${String(signed.end.body).slice(0, 2_000)}`)
  return expectStatus(await app.token(system as never, codeFields(system as never, signed)), 200).body
}
const errorOf = (response: Response) => new URL(locationOf(response), 'http://a').searchParams.get('error')
const unsolicited = ({ connection }: SamlPlace) => `/sso/${connection.id}/unsolicited`

test('a member signs in by a response that a key of the connection has signed', async (t) => {
  const place = await startSaml(t, { mfaAcr: ['urn:two'] })
  const browser = place.app.newBrowser()

  const signed = await place.signIn(browser, { authnContext: 'urn:two' })
  const tokens = await tokensOf(place, signed)
  const again = await place.signIn(place.app.newBrowser(), { signs: 'both' })
  const claims = decodeJwt(String(tokens.id_token))

  assert.ok(signed.asked.xml.includes(`<saml:Issuer>${place.connection.entityId}</saml:Issuer>`))
  assert.equal(signed.asked.acsUrl, place.connection.acsUrl)
  assert.ok(!signed.asked.xml.includes('ForceAuthn'))
  assert.deepEqual([claims.email, claims.amr], [`ada@${place.domain}`, ['fed', 'mfa']])
  assert.ok(Math.abs(Number(claims.auth_time) - Date.now() / 1_000) < 600)
  assert.equal(decodeJwt(String((await tokensOf(place, again)).id_token)).sub, claims.sub)
  assert.deepEqual(await place.attempts(), Array(2).fill(['signed_in', null]))
})

test('a recent login is asked for, and only the stated time of the login proves it', async (t) => {
  const place = await startSaml(t)
  const old = {
    edit: {
      assertion: (text: string) =>
        text.replace(
          / AuthnInstant="[^"]*"/,
          ` AuthnInstant="${new Date(Date.now() - 900_000).toISOString()}"`,
        ),
    },
  }

  const { asked } = await place.begin(place.app.newBrowser(), { prompt: 'login' })
  const fresh = await place.signIn(place.app.newBrowser(), {}, { prompt: 'login' })
  const stale = await place.signIn(place.app.newBrowser(), old, { max_age: '60' })

  assert.ok(asked.xml.includes(' ForceAuthn="true"'))
  assert.ok(fresh.back.code)
  assert.equal(stale.back.code, undefined)
  assert.deepEqual((await place.attempts())[0], ['refused', 'connection_not_fresh'])
})

test('P152: a session ends when the provider ends its own, if that is before sessionHours', async (t) => {
  const place = await startSaml(t)
  const until = new Date(Date.now() + 1_800_000).toISOString()
  const edit = {
    assertion: (text: string) => text.replace(/ SessionIndex="[^"]*"/, `$& SessionNotOnOrAfter="${until}"`),
  }

  const tokens = await tokensOf(place, await place.signIn(place.app.newBrowser(), { edit }))
  const [row] = await place.app.db
    .select({ left: sql<number>`extract(epoch from ${sessions.expiresAt} - now())::float8` })
    .from(sessions)
    .where(eq(sessions.sid, String(decodeJwt(tokens.access_token).sid)))

  assert.ok(row!.left > 1_500 && row!.left <= 1_800, String(row!.left))
})

test('P81: a response without a ticket of this connection is not read, and a sign-in starts instead', async (t) => {
  const place = await startSaml(t)
  const { app, connection, respond, post, admin } = place
  const browser = app.newBrowser()
  const { asked } = await place.begin(browser)
  const document = respond(asked)
  const other = await place.connect()
  const flipped = asked.relayState.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))

  const posted = [
    await post({ document }),
    await post({ document, relayState: '' }),
    await post({ document, relayState: 'https://app.example.com/start' }),
    await post({ document, relayState: flipped }),
    await post({ document, relayState: `${asked.relayState}A` }),
  ]
  const elsewhere = await post(
    { document, relayState: asked.relayState },
    { at: `${app.url}/sso/${other.id}/acs` },
  )
  const twice = await fetch(connection.acsUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams([['SAMLResponse', ''], ...Array(2).fill(['RelayState', asked.relayState])]),
  })
  const stranger = await app.newBrowser().get(unsolicited(place))

  for (const response of [...posted, twice])
    assert.deepEqual([response.status, locationOf(response)], [303, unsolicited(place)])
  assert.equal(locationOf(elsewhere), `/sso/${other.id}/unsolicited`)
  assert.equal(stranger.status, 200)
  assert.match(String(stranger.body), /sign in there/)
  assert.deepEqual(await place.attempts(), [])
  assert.equal((await admin.get(connection.path)).body.lastError, null)
})

test('P165: a provider that loses RelayState is named once, and no browser goes round', async (t) => {
  const place = await startSaml(t)
  const browser = place.app.newBrowser()
  const { asked } = await place.begin(browser)

  const posted = await place.post({ document: place.respond(asked) })
  const page = await browser.get(locationOf(posted))
  for (let count = 0; count < 3; count++) await browser.get(locationOf(posted))

  assert.equal(page.status, 400)
  assert.match(String(page.body), /was not accepted/)
  assert.match(String(page.body), /id="again"/)
  assert.deepEqual(await place.attempts(), [['refused', 'relay_state_lost']])
})

const REFUSED: Record<string, [string, (place: SamlPlace) => Parameters<SamlPlace['respond']>[1]]> = {
  'an unsigned one': ['saml_signature', () => ({ signs: 'nothing' })],
  'one of another key': ['saml_signature', () => ({ by: stranger })],
  'another audience': ['saml_wrong_audience', () => ({ entityId: 'https://other.example.com' })],
  'another issuer': ['saml_wrong_audience', () => ({ issuer: 'https://evil.example.com' })],
  'another recipient': ['saml_wrong_request', () => ({ acsUrl: 'https://other.example.com/acs' })],
  'another request': ['saml_wrong_request', () => ({ requestId: `_${'0'.repeat(32)}` })],
  'an expired one': ['saml_expired', () => ({ now: new Date(Date.now() - 3_600_000) })],
  'SHA-1': [
    'saml_algorithm',
    () => ({ algorithm: { signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } }),
  ],
  'a NameID that changes': [
    'subject_transient',
    () => ({
      nameId: { value: 'x', attributes: ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"' },
    }),
  ],
  'a subject with a long qualifier': [
    'no_subject',
    () => ({
      nameId: {
        value: 'x',
        attributes: ` Format="${PERSISTENT}" NameQualifier="${'q'.repeat(1_500)}"`,
      },
    }),
  ],
  'two addresses': [
    'address_ambiguous',
    ({ domain }) => ({ attributes: { email: [`a@${domain}`, `b@${domain}`] } }),
  ],
}

test('P87, P88, P89: a response that is not signed, or not for us, signs nobody in and has a code of its own', async (t) => {
  const place = await startSaml(t)

  for (const [name, [code, shape]] of Object.entries(REFUSED)) {
    const browser = place.app.newBrowser()
    const { end, posted, back } = await place.signIn(browser, shape(place))
    assert.equal(errorOf(posted), code, name)
    assert.deepEqual([end.status, back.code], [400, undefined], name)
    assert.deepEqual((await place.attempts())[0], ['refused', code], name)
  }
})

test('P89: a request is answered once, also on another process, and a used response is worth nothing', async (t) => {
  const place = await startSaml(t)
  const port = await freePort()
  await startTestApp(t, { BASE_URL: place.app.url, PORT: String(port) })
  const second = { at: `http://localhost:${port}/sso/${place.connection.id}/acs` }
  const browser = place.app.newBrowser()
  const { asked } = await place.begin(browser)
  const { relayState } = asked
  const eve = place.respond(asked, {
    nameId: { value: 'eve' },
    attributes: { email: [`eve@${place.domain}`] },
  })

  const first = await place.post({ document: place.respond(asked), relayState })
  const replaced = await place.post({ document: eve, relayState }, second)
  const end = await browser.follow(await browser.get(locationOf(first)))
  const replayed = await place.post({ document: place.respond(asked), relayState }, second)
  const reused = await browser.get(locationOf(replayed))
  const { asked: next } = await place.begin(place.app.newBrowser())
  const moved = await place.post({ document: place.respond(asked), relayState: next.relayState })

  assert.deepEqual([locationOf(replaced), locationOf(replayed)], Array(2).fill(locationOf(first)))
  assert.ok(new URL(locationOf(end)).searchParams.get('code'))
  assert.equal(reused.status, 400)
  assert.match(String(reused.body), /does not belong to a sign-in of this browser|provider_state_invalid/)
  assert.equal(errorOf(moved), 'saml_wrong_request')
  assert.deepEqual(
    (await place.app.platform.get(`/admin/users?email=${encodeURIComponent(`eve@${place.domain}`)}`)).body
      .total,
    0,
  )
})

test('P88: what a replaced certificate has signed opens nothing, in a sign-in or a test, once it is replaced', async (t) => {
  const place = await startSaml(t)
  const { app, admin, connection, respond, post } = place
  const own = newSamlKey()
  const urlOf = async () => expectStatus(await admin.post(`${connection.path}/test`), 200).body.testUrl
  const tester = app.newBrowser()
  const begun = await tester.follow(await tester.get(await urlOf()))
  const tested = askedIn(await tester.submit(begun))
  const visitor = app.newBrowser()
  const { asked } = await place.begin(visitor)
  const before = [
    await post({ document: respond(tested), relayState: tested.relayState }),
    await post({ document: respond(asked), relayState: asked.relayState }),
  ]
  const { testedAt } = (await admin.get(connection.path)).body

  expectStatus(await admin.patch(connection.path, { certificates: [own.pem] }), 200)
  await tester.follow(await tester.get(await urlOf()))
  const result = await tester.get(locationOf(before[0]!))
  const end = await visitor.follow(await visitor.get(locationOf(before[1]!)))

  assert.equal(result.status, 400)
  assert.equal((await admin.get(connection.path)).body.testedAt, testedAt)
  assert.equal(end.status, 400)
  assert.equal(end.headers.get('location'), null)
  const next = await place.signIn(app.newBrowser(), { by: own })
  assert.ok(next.back.code)
})

test('P160: garbage with a ticket costs one reading and locks nobody out, and garbage without is not read', async (t) => {
  const place = await startSaml(t)
  const browser = place.app.newBrowser()
  const { asked } = await place.begin(browser)
  const { relayState } = asked

  const garbage = await Promise.all(
    Array.from({ length: 30 }, () => place.post({ document: '<a>', relayState })),
  )
  const genuine = await place.post({ document: place.respond(asked), relayState })
  const others = await Promise.all(Array.from({ length: 30 }, () => place.post({ document: '<a>' })))
  const signed = await place.signIn(place.app.newBrowser())

  for (const response of [...garbage, genuine]) assert.equal(errorOf(response), 'saml_invalid')
  for (const response of others) assert.equal(locationOf(response), unsolicited(place))
  assert.ok(signed.back.code)
  assert.deepEqual(await place.attempts(), [
    ['signed_in', null],
    ['refused', 'saml_invalid'],
  ])
})

test('P167: an invented error or the request of another browser shows a text of ours and uses nothing up', async (t) => {
  const place = await startSaml(t)
  const browser = place.app.newBrowser()
  const { asked } = await place.begin(browser)
  const at = `/sso/${place.connection.id}/finish?request=${asked.id}`
  const posted = await place.post({ document: place.respond(asked), relayState: asked.relayState })

  const invented = await browser.get(`${at}&error=%3Cb%3Ecall+0900`)
  const foreign = await place.app.newBrowser().get(locationOf(posted))
  const none = await browser.get(`/sso/${place.connection.id}/finish`)
  const other = await place.connect()
  const ofOther = await browser.get(`/sso/${other.id}/finish?request=${asked.id}`)
  const end = await browser.follow(await browser.get(locationOf(posted)))

  assert.equal(invented.status, 400)
  assert.doesNotMatch(String(invented.body), /0900/)
  for (const page of [foreign, none, ofOther]) assert.equal(page.status, 400)
  assert.ok(new URL(locationOf(end)).searchParams.get('code'))
})

test('two tabs of a browser sign in, each by the answer to its own request', async (t) => {
  const place = await startSaml(t)
  const browser = place.app.newBrowser()
  const [one, two] = [await place.begin(browser), await place.begin(browser)]

  const ends = []
  for (const { asked } of [two, one]) {
    const posted = await place.post({ document: place.respond(asked), relayState: asked.relayState })
    ends.push(await browser.follow(await browser.get(locationOf(posted))))
  }

  for (const end of ends) assert.ok(new URL(locationOf(end)).searchParams.get('code'), String(end.body))
})

test('P166, P167: a draft takes no response to a sign-in, and a response to a test signs nobody in', async (t) => {
  const place = await startSaml(t, { isDraft: true })
  const { app, admin, connection, respond, post } = place
  const url = async () => expectStatus(await admin.post(`${connection.path}/test`), 200).body.testUrl
  const body = new URLSearchParams({ SAMLResponse: 'x'.repeat(100_000) })
  const closed = await fetch(connection.acsUrl, { method: 'POST', body })
  const browser = app.newBrowser()
  const page = await browser.follow(await browser.get(await url()))
  const away = await browser.submit(page)
  const asked = askedIn(away)

  const failed = await post({ document: respond(asked, { by: stranger }), relayState: asked.relayState })
  const failure = await browser.get(locationOf(failed))
  const invented = await browser.get(`/sso/${connection.id}/finish?request=${asked.id}&error=call+0900`)
  const again = askedIn(await browser.submit(await browser.get(`/sso/${connection.id}/test`)))
  const posted = await post({ document: respond(again), relayState: again.relayState })
  const foreign = await app.newBrowser().get(locationOf(posted))
  const result = await browser.get(locationOf(posted))
  const { testedAt } = (await admin.get(connection.path)).body
  const after = await post({ document: respond(again), relayState: again.relayState })

  assert.equal(closed.status, 404)
  assert.match(String(failure.body), /not signed with a certificate of this connection/)
  assert.doesNotMatch(String(invented.body), /0900/)
  assert.equal(foreign.status, 400)
  assert.equal(result.status, 200)
  assert.match(String(result.body), /The test succeeded/)
  assert.match(String(result.body), /Somebody whose address changes/)
  assert.ok(testedAt)
  assert.equal(after.status, 404)
  expectStatus(await admin.patch(connection.path, { enabled: true }), 200)
  const late = await post({ document: respond(again), relayState: again.relayState })
  assert.equal(locationOf(late), unsolicited(place))
  const tested = (await app.platform.get(`/admin/users?email=ada@${place.domain}`)).body.total
  assert.deepEqual([tested, (await place.attempts())[0]], [0, ['tested', null]])
})

test('a connection that is not enabled, not of SAML or switched off has none of the addresses', async (t) => {
  const place = await startSaml(t)
  const { app, connection, admin } = place
  const { asked } = await place.begin(app.newBrowser())
  const off = await startTestApp(t, { SAML: 'false' })
  const paths = ['acs', 'finish', 'unsolicited']
  const statuses = (url: string, id: string) =>
    Promise.all(
      paths.map(async (path) => {
        const method = path === 'acs' ? 'POST' : 'GET'
        return (await fetch(`${url}/sso/${id}/${path}`, { method, redirect: 'manual' })).status
      }),
    )
  const oidc = await place.add(admin)

  assert.deepEqual(await statuses(off.url, connection.id), [404, 404, 404])
  assert.deepEqual(await statuses(app.url, oidc.id), [404, 404, 404])
  assert.deepEqual(await statuses(app.url, crypto.randomUUID()), [404, 404, 404])
  const posted = await place.post({ document: place.respond(asked), relayState: asked.relayState })
  expectStatus(await admin.patch(connection.path, { enabled: false }), 200)
  assert.deepEqual(await statuses(app.url, connection.id), [404, 404, 404])
  assert.equal((await fetch(`${app.url}${locationOf(posted)}`)).status, 404)
})

test('P84, P88: a form of more than 256 KiB is refused, and the keys of another connection open nothing', async (t) => {
  const place = await startSaml(t)
  const own = newSamlKey()
  const other = await place.connect({ certificates: [own.pem] })
  const browser = place.app.newBrowser()
  const { asked, page } = await place.begin(browser)

  const large = await place.post({ document: 'x'.repeat(300_000), relayState: asked.relayState })
  const foreign = await place.post({
    document: place.respond(asked, { by: own }),
    relayState: asked.relayState,
  })

  assert.equal(large.status, 413)
  assert.equal(errorOf(foreign), 'saml_signature')
  assert.notEqual(linkTo(page, other.id), '')
  const [row] = await place.app.db.select().from(connections).where(eq(connections.id, other.id))
  assert.equal(row!.lastError, null)
})
