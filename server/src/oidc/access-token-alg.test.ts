/** The signature algorithm of the access tokens of a system (`accessTokenAlg`). */
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { createTenantry } from '../../../sdk/src/index.ts'
import { newTeam } from '../../test/support/organizations.ts'
import { basicAuth, type Driver, startTestApp } from '../../test/support/testing.ts'
import { loadSigningKeys } from './keys/signing-keys.ts'

type System = { clientId: string; clientSecret: string }

async function introspected(app: Driver, system: System, token: string): Promise<boolean> {
  const answer = await fetch(`${app.url}/token/introspection`, {
    method: 'POST',
    headers: { authorization: basicAuth(system as never) },
    body: new URLSearchParams({ token }),
  })
  return (await answer.json()).active
}

const algOf = (token: string) => decodeProtectedHeader(token).alg

/** A system with RS256, and a token of each grant. */
async function withTokens(app: Driver, fields: object = {}) {
  const team = await newTeam(app, {
    accessTokenAlg: 'RS256',
    allowServiceAccounts: true,
    allowActingForMembers: true,
    ...fields,
  })
  const { system, accountId, admin } = team
  const support = await app.newRole(system.id, { assignableByAccountAdmins: false, canActForMembers: true })
  await app.platform.patch(`/admin/memberships/${admin.membershipId}/roles`, { add: [support.id] })
  const parameters = { scope: 'openid offline_access', prompt: 'consent' }
  const signedIn = await app.signIn(system, { email: admin.email, parameters })
  const refreshed = (await app.refresh(system, signedIn.refresh_token ?? '')).body
  const service = (await app.token(system, { grant_type: 'client_credentials' })).body
  const exchanged = await app.token(system, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: team.member.membershipId,
    subject_token_type: 'urn:tenantry:params:oauth:token-type:membership',
    actor_token: signedIn.access_token,
    actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    reason: 'Ticket 4711',
  })
  const path = `/admin/accounts/${accountId}/service-accounts`
  const program = (await app.platform.post(path, { name: 'Export', roles: [] })).body
  const key = (await app.platform.post(`${path}/${program.id}/keys`, {})).body
  const program_ = { clientId: program.clientId, clientSecret: key.secret }
  const ofProgram = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { authorization: basicAuth(program_ as never) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const tokens = {
    code: signedIn.access_token,
    refresh: String(refreshed.access_token),
    client_credentials: String(service.access_token),
    exchange: String(exchanged.body.access_token),
    serviceAccount: String((await ofProgram.json()).access_token),
  }
  return { ...team, tokens, idToken: signedIn.id_token }
}

test('with RS256 the token of every grant verifies by the keys of /jwks and is accepted', async (t) => {
  const app = await startTestApp(t)
  const { system, tokens, accountId } = await withTokens(app)
  const keys = createRemoteJWKSet(new URL(`${app.url}/jwks`))
  const client = createTenantry({
    issuer: app.url,
    clientId: system.clientId,
    clientSecret: system.clientSecret,
  })

  for (const [grant, token] of Object.entries(tokens)) {
    const { protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      issuer: app.url,
      audience: system.clientId,
    })
    assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['RS256', 'at+jwt'], grant)
    assert.equal(await introspected(app, system as System, token), true, grant)
    if (grant !== 'client_credentials') assert.equal((await client.verify(token)).sub, decodeJwt(token).sub)
  }
  for (const token of [tokens.code, tokens.refresh, tokens.exchange])
    assert.equal((await app.me(token)).status, 200)
  const [asUser, asService] = [app.as(tokens.code), app.as(tokens.client_credentials)]
  assert.equal((await asUser.get(`/admin/accounts/${accountId}`)).status, 200)
  assert.equal((await asService.get(`/admin/systems/${system.id}`)).status, 200)
})

test('with RS256 and the type JWT the tokens have their marks', async (t) => {
  const app = await startTestApp(t)
  const { tokens } = await withTokens(app, { accessTokenType: 'JWT' })
  for (const token of Object.values(tokens))
    assert.deepEqual(
      [algOf(token), decodeProtectedHeader(token).typ, decodeJwt(token).token_use],
      ['RS256', 'JWT', 'access'],
    )
})

test('after a change, tokens of the other algorithm are valid until they expire', async (t) => {
  const app = await startTestApp(t)
  const { system, tokens, admin } = await withTokens(app)
  const changed = await app.platform.patch(`/admin/systems/${system.id}`, { accessTokenAlg: 'ES256' })

  const { access_token } = await app.signIn(system, { email: admin.email })
  const service = (await app.token(system, { grant_type: 'client_credentials' })).body.access_token

  assert.equal(changed.body.accessTokenAlg, 'ES256')
  assert.deepEqual([access_token, service].map(algOf), ['ES256', 'ES256'])
  for (const token of [tokens.code, access_token]) assert.equal((await app.me(token)).status, 200)
  const asService = app.as(tokens.client_credentials)
  assert.equal((await asService.get(`/admin/systems/${system.id}`)).status, 200)
})

test('P33: a token has the algorithm of its key; none and a symmetric one are refused, and so is an ID token', async (t) => {
  const app = await startTestApp(t)
  const { tokens, idToken } = await withTokens(app)
  const found = (await loadSigningKeys(app.db, app.seal)).filter(({ state }) => state === 'active')
  const rsa = found.find(({ alg }) => alg === 'RS256')!
  const ec = found.find(({ alg }) => alg === 'ES256')!
  const claims = decodeJwt(tokens.code)
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const body = (header: object) => `${encoded({ typ: 'at+jwt', ...header })}.${encoded(claims)}`
  const asPem = createPublicKey({ key: rsa.publicJwk as JsonWebKey, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString()
  const symmetric = body({ alg: 'HS256', kid: rsa.kid })
  const signature = tokens.code.split('.')[2]
  const forged = [
    `${body({ alg: 'none', kid: rsa.kid })}.`,
    `${symmetric}.${createHmac('sha256', asPem).update(symmetric).digest('base64url')}`,
    `${body({ alg: 'ES256', kid: rsa.kid })}.${signature}`,
    `${body({ alg: 'RS256', kid: ec.kid })}.${signature}`,
    `${body({ alg: 'PS256', kid: rsa.kid })}.${signature}`,
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: rsa.kid })
      .sign(ec.privateJwk as never),
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'PS256', typ: 'at+jwt', kid: rsa.kid })
      .sign({ ...rsa.privateJwk, alg: 'PS256' } as never),
    idToken,
  ]

  const answers = []
  for (const token of forged)
    answers.push((await app.me(token)).status, (await app.as(token).get('/admin/systems')).status)

  assert.deepEqual([algOf(idToken), (await app.me(tokens.code)).status], ['RS256', 200])
  assert.deepEqual([...new Set(answers)], [401])
})

test('accessTokenAlg is ES256 with fapi2, and no other value exists', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const patch = (fields: object) => app.platform.patch(`/admin/systems/${system.id}`, fields)
  const { publicJwk } = (await loadSigningKeys(app.db, app.seal)).find(({ alg }) => alg === 'ES256')!

  const unknown = await Promise.all(['HS256', 'none', 'PS256'].map((alg) => patch({ accessTokenAlg: alg })))
  const profile = await patch({
    securityProfile: 'fapi2',
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: { keys: [{ ...publicJwk, alg: 'ES256' }] },
    idTokenAlg: 'ES256',
    accessTokenAlg: 'RS256',
  })

  for (const { status, body } of [...unknown, profile])
    assert.deepEqual([status, body.errors[0].path], [400, '/accessTokenAlg'])
})
