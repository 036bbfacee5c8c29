/** Which service tokens can access everything: SERVICE_TOKEN_REACH. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newClientKey } from '../../test/support/client-keys.ts'
import { newOperator } from '../../test/support/console.ts'
import { adminClient } from '../../test/support/http.ts'
import { serviceToken, startTestApp } from '../../test/support/testing.ts'
import { readConfig } from '../config/config.ts'

test('P37: only the named clients reach the platform, and what they state is valid everywhere', async (t) => {
  const open = { allowClientCredentials: true, skipConsent: true }
  const { newSystem } = await startTestApp(t)
  const [named, other] = [await newSystem(open), await newSystem(open)]
  const app = await startTestApp(t, { SERVICE_TOKEN_REACH: `absent-client, ${named.clientId}` })
  const clientOf = async ({ clientId, clientSecret }: typeof named) =>
    adminClient(app.url, await serviceToken(app.url, clientId, clientSecret))
  const [trusted, limited] = [await clientOf(named), await clientOf(other)]
  const { system: bank, user } = await app.newMember(open)
  const password = 'a password that only the platform sets'

  const read = [
    await trusted.get(`/admin/systems/${other.id}`),
    await limited.get(`/admin/systems/${named.id}`),
  ]
  const set = [trusted, limited].map((client) =>
    client.post(`/admin/users/${user.id}/set-password`, { password }),
  )
  const [byTrusted, byLimited] = await Promise.all(set)
  const { back } = await app.authorize(bank, { email: user.email, password })

  assert.deepEqual(
    read.map(({ status }) => status),
    [200, 404],
  )
  assert.deepEqual([byTrusted?.status, byLimited?.status], [200, 404])
  assert.ok(back.code)
})

test('P58: an operator of a system whose service token has platform authority does not get its credentials', async (t) => {
  const open = { allowClientCredentials: true }
  const { newSystem } = await startTestApp(t)
  const [named, other] = [await newSystem(open), await newSystem(open)]
  const app = await startTestApp(t, { SERVICE_TOKEN_REACH: `reaching-all, ${named.clientId}` })
  const { jwk } = await newClientKey()
  const outcomes = async ({ id }: { id: string }) => {
    const { client } = await newOperator(app, { systemId: id })
    const answers = [
      await client.post(`/admin/systems/${id}/rotate-secret`),
      await client.patch(`/admin/systems/${id}`, {
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwks: { keys: [jwk] },
      }),
      await client.patch(`/admin/systems/${id}`, { name: 'Renamed' }),
    ]
    return answers.map(({ status }) => status)
  }

  assert.deepEqual(await outcomes(named), [403, 403, 200])
  assert.deepEqual(await outcomes(other), [200, 200, 200])
})

test('a value of SERVICE_TOKEN_REACH that is no list of client ids is refused by name', () => {
  const reachOf = (SERVICE_TOKEN_REACH: string) => readConfig({ SERVICE_TOKEN_REACH }).SERVICE_TOKEN_REACH

  assert.deepEqual(['', 'system', 'platform', ' shop , bank'].map(reachOf), [
    'system',
    'system',
    'platform',
    ['shop', 'bank'],
  ])
  for (const [given, part] of [
    ['platform,shop', 'platform'],
    ['shop,,bank', ''],
    ['every client', 'every client'],
    ['0a0e5b3c-0000-4000-8000-000000000000', '0a0e5b3c-0000-4000-8000-000000000000'],
  ] as const)
    assert.throws(
      () => reachOf(given),
      ({ message }: Error) =>
        message ===
        `SERVICE_TOKEN_REACH must be \`system\`, \`platform\`, or client ids separated by commas; "${part}" is no client id.`,
    )
})
