/** Service tokens (RFC 6749 section 4.4): plain requests by our handler, others by the library's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import { basicAuth, startTestApp } from '../../../test/support/testing.ts'

const PLAIN = { grant_type: 'client_credentials' }

async function start(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t)
  const ask = async (system: Parameters<typeof basicAuth>[0], fields = {}, headers = {}) => {
    const body = new URLSearchParams({ ...PLAIN, ...fields })
    const answer = await fetch(`${app.url}/token`, {
      method: 'POST',
      headers: { authorization: basicAuth(system), ...headers },
      body,
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  return { ...app, ask }
}

/** The headers without the values that differ between responses. */
function headersOf({ headers }: { headers: Headers }): [string, string][] {
  const all: [string, string][] = []
  headers.forEach((value, name) => void all.push([name, value]))
  return all.filter(([name]) => !['date', 'content-length'].includes(name))
}

test('a service token has the same claims whether our handler or the library issues it', async (t) => {
  const { ask, newSystem, url } = await start(t)
  const system = await newSystem({ allowClientCredentials: true, allowedScopes: ['openid', 'email'] })

  const [plain, ...others] = await Promise.all(
    [{}, { resource: url }, { scope: '' }].map((fields) => ask(system, fields)),
  )

  const timeless = (token: string) => {
    const { jti, iat, exp, ...claims } = decodeJwt(token)
    const [systemId, until, secret, random, proof, ...more] = String(jti).split('.')
    assert.deepEqual([systemId, Number(until), more], [system.id, exp, []])
    assert.ok(random!.length >= 36 && proof!.length === 22)
    return {
      header: decodeProtectedHeader(token),
      claims,
      life: exp! - iat!,
      secret,
      names: Object.keys(decodeJwt(token)),
    }
  }
  const UUID = /\.[0-9a-f]{8}-[0-9a-f-]{27}\./
  assert.match(String(decodeJwt(plain!.body.access_token).jti), UUID, 'the plain one is made by our handler')
  assert.doesNotMatch(String(decodeJwt(others[0]!.body.access_token).jti), UUID, 'the other by the library')
  const { access_token, ...rest } = plain!.body
  assert.deepEqual(rest, { expires_in: 600, token_type: 'Bearer' })
  assert.deepEqual(timeless(access_token).claims, {
    is_admin: true,
    roles: [],
    sub: system.clientId,
    client_id: system.clientId,
    iss: url,
    aud: [system.clientId, url],
  })
  for (const other of others) {
    assert.deepEqual(Object.keys(other.body), Object.keys(plain!.body))
    assert.deepEqual([other.body.expires_in, other.body.token_type], [rest.expires_in, rest.token_type])
    assert.deepEqual(timeless(other.body.access_token), timeless(access_token))
    assert.deepEqual(headersOf(other), headersOf(plain!))
  }
})

test('concurrent service tokens are distinct and verify with the published keys', async (t) => {
  const { ask, newSystem, url } = await start(t)
  const systems = await Promise.all(
    Array.from({ length: 3 }, () => newSystem({ allowClientCredentials: true })),
  )
  const published = createRemoteJWKSet(new URL(`${url}/jwks`))

  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(systems[n % 3]!)))

  const tokens = await Promise.all(
    answers.map(({ body }) => jwtVerify(body.access_token, published, { issuer: url, typ: 'at+jwt' })),
  )
  tokens.forEach(({ payload }, n) => {
    assert.equal(payload.sub, systems[n % 3]!.clientId)
  })
  assert.equal(new Set(tokens.map(({ payload }) => payload.jti)).size, 60)
})

test('a service token with a DPoP proof is bound to its key, and the proof works once', async (t) => {
  const { ask, newSystem, url } = await start(t)
  const system = await newSystem({ allowClientCredentials: true })
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  const dpop = await new SignJWT({ htm: 'POST', htu: `${url}/token` })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .sign(privateKey)

  const bound = await ask(system, {}, { dpop })
  const again = await ask(system, {}, { dpop })
  const broken = await ask(system, {}, { dpop: 'no proof' })

  assert.deepEqual([bound.status, bound.body.token_type], [200, 'DPoP'])
  assert.deepEqual(decodeJwt(bound.body.access_token).cnf, { jkt: await calculateJwkThumbprint(jwk) })
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assert.deepEqual([broken.status, broken.body.error], [400, 'invalid_dpop_proof'])
})

test('a system without client credentials gets no service token by any request', async (t) => {
  const { ask, newSystem, url } = await start(t)
  const system = await newSystem()

  const answers = await Promise.all(
    [{}, { resource: url }, { scope: 'openid' }].map((fields) => ask(system, fields)),
  )

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error]),
    answers.map(() => [400, 'unauthorized_client']),
  )
})
