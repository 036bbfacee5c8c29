/** The log of refused requests has no secrets, a bounded number of lines and a closed set of reasons. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as library from 'oidc-provider'
import { FAILURES } from '../../src/errors.ts'
import { PROTOCOL_REASONS, SIGN_IN_REASONS } from '../../src/http/refusals.ts'
import { logIn, startWithRefusals } from '../support/refusals.ts'
import {
  adminClient,
  authorizeAt,
  authUrl,
  basicAuth,
  codeFields,
  newPkce,
  PASSWORD,
  tokenRequest,
} from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

/** A part of each canary, whatever it is encoded as. */
const CANARY = 'k4n4ry'

test('P45: no secret, token, email address or network address of a refused request is in the log', async (t) => {
  const server = await startWithRefusals(t)
  const { url, platform, system, newMember, output } = server
  const { user } = await newMember({ email: `${CANARY}-user@example.test`, name: `${CANARY} Name` })
  const secret = (name: string) => `${CANARY}-${name}-${'Ab3d'.repeat(8)}`
  const hostile = { ...system, clientSecret: secret('secret') }
  const headers = { 'user-agent': secret('agent'), 'x-forwarded-for': '203.0.113.77' }
  const post = (path: string, fields: Record<string, string>, more: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...headers, ...more } })
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(url + path, { redirect: 'manual', headers: { ...headers, ...more } })

  const signedIn = await authorizeAt(url, system, { email: user.email })
  const used = codeFields(system, signedIn)
  const tokens = (await tokenRequest(url, system, used)).body
  await tokenRequest(url, system, used)
  await tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
  await tokenRequest(url, hostile, { grant_type: 'client_credentials' })
  // The secret in place of the client id, as by a client that confuses the two.
  await post('/token', { grant_type: 'client_credentials', client_id: secret('id') })
  await get(`/auth?client_id=${secret('id')}`)
  await get(`/auth?client_id=${CANARY}%40example.test&redirect_uri=x`)
  for (const uri of [
    `https://${CANARY}-user:${secret('password')}@app.example/cb`,
    `https://app.example/${secret('path')}/${CANARY}@example.test?token=${CANARY}#${CANARY}`,
    `${CANARY}@example.test`,
  ])
    await get(authUrl(system, newPkce().challenge, { redirect_uri: uri, login_hint: user.email }))
  for (const name of [
    'scope',
    'prompt',
    'response_type',
    'acr_values',
    'claims',
    'request',
    'max_age',
    'resource',
  ])
    await get(authUrl(system, newPkce().challenge, { [name]: secret(name), state: secret('state') }))
  for (const name of [
    'code',
    'code_verifier',
    'refresh_token',
    'grant_type',
    'subject_token',
    'client_assertion',
  ])
    await post(
      '/token',
      { grant_type: 'authorization_code', [name]: secret(name) },
      { authorization: basicAuth(system) },
    )
  await get('/me', { authorization: `Bearer ${secret('token')}` })
  await get('/me', { authorization: `Bearer ${tokens.access_token}x` })
  await get('/me', { authorization: `DPoP ${secret('dpop')}`, dpop: secret('proof') })
  await get('/admin/users', { authorization: `Bearer ${secret('token')}` })
  await get(`/admin/users?email=${CANARY}%40example.test`, { authorization: `Basic ${secret('basic')}` })
  await adminClient(url, tokens.access_token).get(`/admin/users?q=${CANARY}`)
  for (const [email, password] of [
    [user.email, secret('password')],
    [`${CANARY}-other@example.test`, secret('password')],
    [user.email, secret('password').repeat(40)],
  ] as const)
    await logIn(server, email, password)
  await get(`/session/end?id_token_hint=${secret('hint')}`)
  await get(`/session/end?id_token_hint=${tokens.id_token}x&client_id=${system.clientId}`)
  await get(`/interaction/${secret('uid')}`)
  await post(`/interaction/${secret('uid')}/login`, { email: user.email, password: secret('password') })
  await get(`/social/callback?state=${secret('state')}&code=${secret('code')}&error_description=${CANARY}`)
  await get(`/reset-password?token=${secret('token')}`)
  await get(`/invitation?token=${secret('token')}`)
  await platform.post('/admin/users', { email: user.email, password: secret('password') })

  await t.waitFor(() => assert.ok(server.refusals().length >= 25, String(server.refusals().length)), SOON)
  const { stdout, stderr } = await server.kill('SIGTERM')
  const log = stdout + stderr
  const tokensOf = Object.values(tokens).filter((value) => typeof value === 'string' && value.length > 30)
  for (const value of [...tokensOf, PASSWORD, system.clientSecret, signedIn.back.code, '203.0.113.77'])
    assert.ok(!log.includes(String(value)), `the log has ${value}`)
  const found = log.split('\n').filter((line) => line.includes(CANARY))
  assert.deepEqual(found, [])
  assert.doesNotMatch(log, /@example\.test|eyJ[\w-]{10,}\./)
  const keys = new Set(server.refusals().flatMap(Object.keys))
  const known =
    'level time pid hostname reqId kind reason method route status msg systemId clientId detail fault'
  assert.deepEqual([...keys.difference(new Set([...known.split(' '), 'sent', 'registered']))], [])
  assert.ok(output().length > 0)
})

test('a minute that has had its lines still has the first ones of each other reason', async (t) => {
  const { url, system, linesOf } = await startWithRefusals(t, { LOG_REFUSALS: '2' })
  const request = (body: Record<string, string>, secret = system.clientSecret) =>
    tokenRequest(url, { ...system, clientSecret: secret }, body)

  const lines = await linesOf(async () => {
    for (let n = 0; n < 10; n += 1) await request({ grant_type: 'client_credentials' }, 'wrong')
    for (let n = 0; n < 10; n += 1) await request({ grant_type: 'unknown' })
  })
  const others = await linesOf(() => adminClient(url, 'nothing').get('/admin/users'))

  const reasons = lines.map(({ reason }) => reason).sort()
  assert.deepEqual(reasons, [...Array(3).fill('invalid_client'), ...Array(3).fill('unsupported_grant_type')])
  assert.equal(others.length, 1)
})

test('a flood of refused requests has a bounded number of lines, and one with the number of the others', async (t) => {
  const server = await startWithRefusals(t, { LOG_REFUSALS: '50' })
  const { url, system, linesOf } = server
  const flood = (count: number, send: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, send))
  const wrong = { ...system, clientSecret: 'wrong' }

  const lines = await linesOf(() =>
    flood(200, () => tokenRequest(url, wrong, { grant_type: 'client_credentials' })),
  )
  const others = await linesOf(() => adminClient(url, 'nothing').get('/admin/users'))
  const { stdout } = await server.kill('SIGTERM')

  assert.equal(lines.length, 5)
  assert.equal(others.length, 1, 'the refusals of others still have lines')
  const summary = stdout.split('\n').filter((line) => line.includes('without a line of their own'))
  const { suppressed, systems } = JSON.parse(summary[0]!)
  assert.equal(summary.length, 1)
  assert.deepEqual(suppressed, { 'protocol invalid_client': 195 })
  assert.deepEqual(systems, { [system.id]: 195 })
})

test('the reasons of refusals are a closed set that has every error of the protocol library', () => {
  const made = Object.values(library.errors)
    .filter((each) => each !== library.errors.OIDCProviderError && each.name !== 'CustomOIDCProviderError')
    .map((each) => new (each as unknown as new (text: string) => library.errors.OIDCProviderError)('x').error)
  const features =
    /ciba|attestation|temporarily|binding|credential|nonce|proof$|software|login_hint|user_(code|id)|details|transaction/
  const possible = [...new Set(made)].filter((error) => error !== 'x' && !features.test(error))
  const known: readonly string[] = PROTOCOL_REASONS

  assert.deepEqual(
    possible.filter((error) => !known.includes(error) && !(error in FAILURES)),
    [],
  )
  for (const reason of [...PROTOCOL_REASONS, ...SIGN_IN_REASONS, ...Object.keys(FAILURES)])
    assert.match(reason, /^[a-z0-9_]{3,40}$/)
})
