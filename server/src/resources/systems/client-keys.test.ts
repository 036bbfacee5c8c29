/** The keys of a system in the admin API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import { newClientKey } from '../../../test/support/client-keys.ts'
import { statusAndPaths } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'

test('only public keys of the supported types are registered, with one kid each', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const { jwk, privateKey } = await newClientKey()
  const small = await exportJWK((await generateKeyPair('RS256', { modulusLength: 2_048 })).publicKey)
  const p384 = await exportJWK((await generateKeyPair('ES384')).publicKey)
  const bad: Record<string, object> = {
    private: { ...(await exportJWK(privateKey)), kid: 'a' },
    'with a private member': { ...jwk, d: '' },
    symmetric: { kty: 'oct', k: 'AAAA', kid: 'a' },
    'another curve': { ...p384, kid: 'a' },
    'a small modulus': { ...small, n: small.n!.slice(0, 170), kid: 'a' },
    'a small exponent': { ...small, e: 'Aw', kid: 'a' },
    'an invalid point': { ...jwk, x: jwk.y },
    'another alg': { ...jwk, alg: 'RS256' },
    'for encryption': { ...jwk, use: 'enc' },
    'to sign': { ...jwk, key_ops: ['sign'] },
    'without kid': { ...jwk, kid: undefined },
    empty: {},
  }
  const set = (body: object) => platform.patch(`/admin/systems/${id}`, body)

  for (const [name, key] of Object.entries(bad))
    assert.deepEqual(statusAndPaths(await set({ jwks: { keys: [jwk, key] } })), [400, ['/jwks/keys/1']], name)
  const twice = await set({ jwks: { keys: [jwk, { ...jwk, use: 'sig' }] } })
  const many = await set({ jwks: { keys: Array(21).fill(jwk) } })
  const huge = await set({ jwks: { keys: [{ ...jwk, x5c: ['x'.repeat(20_000)] }] } })
  const none = await set({ jwks: { keys: [] } })
  const stored = await set({ jwks: { keys: [{ ...jwk, use: 'sig' }] } })

  assert.deepEqual(statusAndPaths(twice), [400, ['/jwks/keys/1']])
  assert.deepEqual([many, huge, none].map(statusAndPaths), [
    [400, ['/jwks/keys']],
    [400, ['/jwks']],
    [400, ['/jwks/keys']],
  ])
  assert.deepEqual([stored.status, stored.body.jwks], [200, { keys: [{ ...jwk, use: 'sig' }] }])
})

test('private_key_jwt requires keys of one source, and a public client has neither', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { jwk } = await newClientKey()
  const [jwks, jwksUri] = [{ keys: [jwk] }, 'https://app.example/jwks']
  const [confidential, open] = [await newSystem(), await newSystem({ clientType: 'public' })]
  const byKey = { tokenEndpointAuthMethod: 'private_key_jwt' }
  const of = (system: { id: string }, body: object) => platform.patch(`/admin/systems/${system.id}`, body)

  const refused = [
    await of(confidential, byKey),
    await of(confidential, { tokenEndpointAuthMethod: 'none' }),
    await of(confidential, { jwks, jwksUri }),
    await of(confidential, { jwksUri: 'http://app.example/jwks' }),
    await of(confidential, { jwksUri: 'https://10.0.0.1/jwks' }),
    await of(confidential, { jwksUri: 'https://user@app.example/jwks' }),
    await of(open, { tokenEndpointAuthMethod: 'client_secret' }),
    await of(open, { jwks }),
    await of(open, { jwksUri }),
  ].map(statusAndPaths)
  const set = await of(confidential, { ...byKey, jwks })
  const removed = await of(confidential, { jwks: null })
  const moved = await of(confidential, { jwks: null, jwksUri })

  const method = [400, ['/tokenEndpointAuthMethod']]
  const address = [400, ['/jwksUri']]
  assert.deepEqual(refused, [
    ...[method, method, address, address, address, address],
    ...[method, [400, ['/jwks']], address],
  ])
  assert.deepEqual([set.status, statusAndPaths(removed), moved.status], [200, method, 200])
  assert.deepEqual([moved.body.jwks, moved.body.jwksUri], [null, jwksUri])
  assert.deepEqual(
    [confidential.tokenEndpointAuthMethod, open.tokenEndpointAuthMethod],
    ['client_secret', 'none'],
  )
})
