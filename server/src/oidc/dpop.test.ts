import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { basicAuth, codeFields, startTestApp } from '../../test/support/testing.ts'

/** A DPoP proof (RFC 9449 section 4.2) for one request. */
async function newProver() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return (method: string, url: string, accessToken?: string) =>
    new SignJWT({
      htm: method,
      htu: url,
      ...(accessToken && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .sign(privateKey)
}

test('of 20 parallel requests with one DPoP proof one succeeds, at /me and at /token', async (t) => {
  const app = await startTestApp(t)
  const { url } = app
  const system = await app.newSystem()
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  const prove = await newProver()
  const post = (fields: Record<string, string>, proof: string) =>
    fetch(`${url}/token`, {
      method: 'POST',
      headers: { authorization: basicAuth(system), dpop: proof },
      body: new URLSearchParams(fields),
    })
  const authorized = await app.authorize(system, { email: user.email })
  const tokens = await (
    await post(codeFields(system, authorized), await prove('POST', `${url}/token`))
  ).json()
  const twenty = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, ask))

  const proofOfMe = await prove('GET', `${url}/me`, tokens.access_token)
  const headers = { authorization: `DPoP ${tokens.access_token}`, dpop: proofOfMe }
  const atMe = await twenty(async () => (await fetch(`${url}/me`, { headers })).status)
  const proofOfToken = await prove('POST', `${url}/token`)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const atToken = await twenty(async () => (await post(refresh, proofOfToken)).status)

  assert.equal(tokens.token_type, 'DPoP')
  assert.deepEqual(atMe.sort(), [200, ...Array(19).fill(401)])
  assert.deepEqual(atToken.sort(), [200, ...Array(19).fill(400)])
})
