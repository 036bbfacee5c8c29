/** Client authentication by a signed JWT (`private_key_jwt`, RFC 7523). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { exportSPKI, importJWK, SignJWT } from 'jose'
import {
  assertionOf,
  type ClientKey,
  keySet,
  newClientKey,
  postAsserted,
  startKeyServer,
} from '../../test/support/client-keys.ts'
import { gist } from '../../test/support/http.ts'
import { type Answer, authUrl, basicAuth, codeFields, startTestApp } from '../../test/support/testing.ts'

const SERVICE = { grant_type: 'client_credentials' }
/** Keys can be fetched from this machine. */
const PRIVATE = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const REFUSED = [401, 'invalid_client']

async function start(t: TestContext, settings?: Record<string, string>) {
  const app = await startTestApp(t, settings)
  /** A system that authenticates with these keys. */
  const newSigning = async (keys: object, more: object = {}) =>
    app.newSystem({
      tokenEndpointAuthMethod: 'private_key_jwt',
      allowClientCredentials: true,
      ...keys,
      ...more,
    })
  type System = Awaited<ReturnType<typeof newSigning>>
  const post = async (
    system: System,
    key: ClientKey,
    fields: Record<string, string> = SERVICE,
    path = '/token',
  ) => postAsserted(app.url, path, await assertionOf(system, key, app.url), fields)
  const ask = (assertion: string) => postAsserted(app.url, '/token', assertion, SERVICE)
  return { app, newSigning, post, ask }
}

test('a system with private_key_jwt authenticates at every endpoint, and its secret is refused', async (t) => {
  const { app, newSigning, post } = await start(t)
  const key = await newClientKey()
  const system = await newSigning({ jwks: { keys: [key.jwk] } }, { skipConsent: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const by = (path: string, fields: Record<string, string>) => post(system, key, fields, path)

  const authorized = await app.authorize(system, { email: user.email })
  const code = await by('/token', codeFields(system, authorized))
  const refreshed = await by('/token', {
    grant_type: 'refresh_token',
    refresh_token: code.body.refresh_token,
  })
  const token = refreshed.body.access_token
  const { searchParams } = new URL(authUrl(system, authorized.pkce.challenge), app.url)
  const pushed = await by('/request', Object.fromEntries(searchParams))
  const introspected = await by('/token/introspection', { token })
  const revoked = await by('/token/revocation', { token })
  const secrets = [
    await app.token(system, SERVICE),
    await app.token({ ...system, clientType: 'public' }, { ...SERVICE, client_secret: system.clientSecret }),
  ]
  const both = await postAsserted(app.url, '/token', await assertionOf(system, key, app.url), SERVICE, {
    authorization: basicAuth(system),
  })

  assert.deepEqual(
    [code.status, refreshed.status, pushed.status, introspected.body.active, revoked.status],
    [200, 200, 201, true, 200],
  )
  assert.deepEqual(secrets.map(gist), [REFUSED, REFUSED])
  assert.deepEqual(gist(both), [400, 'invalid_request'])
})

test('RS256, PS256, ES256 and EdDSA are accepted, with the issuer or the endpoint as audience', async (t) => {
  const { app, newSigning, ask } = await start(t)
  const keys = await Promise.all(['RS256', 'PS256', 'ES256', 'EdDSA'].map(newClientKey))
  const system = await newSigning({ jwks: { keys: keys.map(({ jwk }) => jwk) } })

  const answers = []
  for (const key of keys)
    for (const aud of [app.url, `${app.url}/token`, [app.url, 'https://other.example']])
      answers.push(await ask(await assertionOf(system, key, app.url, { claims: { aud } })))

  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
})

test('P20: of 20 parallel uses of a client assertion one succeeds, and a refused request uses it', async (t) => {
  const { app, newSigning, ask } = await start(t)
  const key = await newClientKey()
  const system = await newSigning({ jwks: { keys: [key.jwk] } })
  const [parallel, spent] = [await assertionOf(system, key, app.url), await assertionOf(system, key, app.url)]

  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(parallel)))
  const failed = await postAsserted(app.url, '/token', spent, {
    grant_type: 'refresh_token',
    refresh_token: 'x',
  })
  const again = await ask(spent)

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(401)])
  assert.deepEqual([gist(failed), gist(again)], [[400, 'invalid_grant'], REFUSED])
})

test('P20: a client assertion for another client, server, time or purpose is refused', async (t) => {
  const { app, newSigning, ask } = await start(t)
  const [key, other] = [await newClientKey(), await newClientKey()]
  const system = await newSigning({ jwks: { keys: [key.jwk] } })
  const foreign = await newSigning({ jwks: { keys: [other.jwk] } })
  const now = Math.floor(Date.now() / 1_000)
  const hmac = await importJWK(
    { kty: 'oct', k: Buffer.from(system.clientSecret).toString('base64url') },
    'HS256',
  )
  const spki = new TextEncoder().encode(
    await exportSPKI((await importJWK(key.jwk, 'ES256', { extractable: true })) as CryptoKey),
  )
  const byHmac = (secret: typeof hmac | Uint8Array) =>
    new SignJWT({ iss: system.clientId, sub: system.clientId, aud: app.url, jti: 'x', exp: now + 60 })
      .setProtectedHeader({ alg: 'HS256', kid: key.jwk.kid })
      .sign(secret)
  const of = (claims: Record<string, unknown>, header = {}, by = key) =>
    assertionOf(system, by, app.url, { claims, header })
  const [, payload = ''] = (await of({})).split('.')
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`

  const assertions = {
    'of another key': await of({}, { kid: key.jwk.kid }, other),
    'of an unknown key': await of({}, {}, other),
    'of another client': await of({ iss: foreign.clientId, sub: foreign.clientId }),
    'another issuer': await of({ iss: foreign.clientId }),
    'another subject': await of({ sub: foreign.clientId }),
    'an unknown client': await of({ iss: 'unknown', sub: 'unknown' }),
    'for another server': await of({ aud: 'https://other.example' }),
    'for the application': await of({ aud: system.clientId }),
    'without an audience': await of({ aud: undefined }),
    'without jti': await of({ jti: undefined }),
    'without exp': await of({ exp: undefined }),
    expired: await of({ exp: now - 60 }),
    'not valid yet': await of({ nbf: now + 120 }),
    'issued in the future': await of({ iat: now + 120 }),
    'valid for too long': await of({ exp: now + 3_600 }),
    'a request object': await of({}, { typ: 'oauth-authz-req+jwt' }),
    'an access token': await of({}, { typ: 'at+jwt' }),
    'signed with the secret': await byHmac(hmac),
    'signed with the public key as a secret': await byHmac(spki),
    unsigned: none,
  }

  for (const [name, assertion] of Object.entries(assertions))
    assert.deepEqual(gist(await ask(assertion)), REFUSED, name)
  assert.equal((await ask(await of({}))).status, 200)
})

test('P38: a service token ends with the key that it was issued for, or with the method', async (t) => {
  const { app, newSigning, post } = await start(t)
  const [first, second] = [await newClientKey(), await newClientKey()]
  const keys = [first.jwk, second.jwk]
  const system = await newSigning({ jwks: { keys } })
  const change = (body: object) => app.platform.patch(`/admin/systems/${system.id}`, body)
  const issued = await Promise.all([first, second].map((key) => post(system, key)))
  const isValid = ({ body }: Answer) =>
    app
      .as(body.access_token)
      .get(`/admin/systems/${system.id}`)
      .then(({ status }) => status === 200)
  const states = async () => Promise.all(issued.map(isValid))

  const before = await states()
  await change({ jwks: { keys: [second.jwk] } })
  const replaced = await states()
  const refused = await post(system, first)
  await change({ tokenEndpointAuthMethod: 'client_secret' })
  const changed = await states()
  const bySecret = await app.token(system, SERVICE)
  const byKey = await post(system, second)

  assert.deepEqual(
    [before, replaced, changed],
    [
      [true, true],
      [false, true],
      [false, false],
    ],
  )
  assert.deepEqual([gist(refused), bySecret.status, gist(byKey)], [REFUSED, 200, REFUSED])
})

test('keys are fetched from jwksUri: a new one is accepted, a removed one is refused in 6 minutes', async (t) => {
  const { app, newSigning, post } = await start(t, PRIVATE)
  const [first, second] = [await newClientKey(), await newClientKey('RS256')]
  const encryption = { ...first.jwk, kid: 'enc', use: 'enc' }
  const server = await startKeyServer(t, keySet(encryption, first.jwk))
  const [system, other] = [
    await newSigning({ jwksUri: server.uri }),
    await newSigning({ jwksUri: server.uri }),
  ]
  const passes = (seconds: number) => t.mock.timers.setTime(Date.now() + seconds * 1_000)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })

  const early = [await post(system, first), await post(system, first), await post(system, second)]
  await post(other, first)
  const requests = server.requests()
  server.answering(keySet(second.jwk))
  passes(61)
  const rotated = await post(system, second)
  passes(301)
  // Ends the cache of the system, whose clock is another one.
  await app.platform.patch(`/admin/systems/${other.id}`, { name: other.name })
  const late = [await post(other, first), await post(other, second)]
  t.mock.timers.reset()

  assert.deepEqual([early.map(({ status }) => status), requests], [[200, 200, 401], 1])
  assert.deepEqual([rotated.status, late.map(({ status }) => status)], [200, [401, 200]])
})

test('P48: a key set that fails, redirects, is too large or private is refused, and asked for once in 10 s', async (t) => {
  const { newSigning, post } = await start(t, PRIVATE)
  const key = await newClientKey()
  const pair = await newClientKey()
  const fill = 'x'.repeat(70_000)
  const target = await startKeyServer(t, keySet(key.jwk))
  const answers: Parameters<typeof startKeyServer>[1][] = [
    (_, response) => void response.writeHead(500).end(),
    (_, response) => void response.writeHead(302, { location: target.uri }).end(),
    (_, response) => void response.end('<html>'),
    (_, response) => void response.end('{"keys":[null]}'),
    (_, response) => void response.end(JSON.stringify({ fill, keys: [key.jwk] })),
    keySet(key.jwk, { ...pair.jwk, d: 'AAAA' }),
    keySet({ kty: 'oct', k: 'AAAA', kid: key.jwk.kid }),
    keySet(...Array.from({ length: 21 }, (_, n) => ({ ...key.jwk, kid: `${key.jwk.kid}${n || ''}` }))),
  ]

  for (const answer of answers) {
    const server = await startKeyServer(t, answer)
    const system = await newSigning({ jwksUri: server.uri })
    const refused = [await post(system, key), await post(system, key)]

    assert.deepEqual(refused.map(gist), [REFUSED, REFUSED], String(answer))
    assert.equal(server.requests(), 1, String(answer))
  }
  assert.equal(target.requests(), 0)
})
