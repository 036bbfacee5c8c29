/** A system with the FAPI 2.0 Security Profile, and a backend with openid-client, by its documented calls. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import * as client from 'openid-client'
import {
  assertionOf,
  type ClientKey,
  newClientKey,
  postAsserted,
  requestObjectOf,
} from '../../test/support/client-keys.ts'
import { gist, statusAndPaths } from '../../test/support/http.ts'
import { CALLBACK, OPTIONS, through } from '../../test/support/openid-client.ts'
import { startTestApp } from '../../test/support/testing.ts'

const PROFILE = {
  securityProfile: 'fapi2',
  tokenEndpointAuthMethod: 'private_key_jwt',
  idTokenAlg: 'ES256',
}

/** A member of a system with the profile, the system's keys, and the library. */
async function start(t: TestContext, settings?: Record<string, string>) {
  const app = await startTestApp(t, settings)
  const [key, rsa] = [await newClientKey('ES256'), await newClientKey('RS256')]
  const { system, user, membership } = await app.newMember({
    ...PROFILE,
    jwks: { keys: [key.jwk, rsa.jwk] },
    redirectUris: [CALLBACK],
    skipConsent: true,
    allowClientCredentials: true,
  })
  const config = await client.discovery(
    new URL(app.url),
    system.clientId,
    { id_token_signed_response_alg: 'ES256' },
    client.PrivateKeyJwt({ key: key.privateKey, kid: key.jwk.kid }),
    OPTIONS,
  )
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
  const verifier = client.randomPKCECodeVerifier()
  const parameters = {
    client_id: system.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: client.randomState(),
    nonce: client.randomNonce(),
  }
  /** The redirect with the code, of a browser with a new sign-in. */
  const authorize = async () => {
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters)
    return new URL((await through(app.newBrowser(), url.href, user.email)).location!)
  }
  const checks = {
    pkceCodeVerifier: verifier,
    expectedState: parameters.state,
    expectedNonce: parameters.nonce,
    idTokenExpected: true,
  }
  const post = async (path: string, fields: Record<string, string>, by: ClientKey = key, claims = {}) =>
    postAsserted(app.url, path, await assertionOf(system, by, app.url, { claims }), fields)
  return { app, key, rsa, system, user, membership, config, DPoP, parameters, authorize, checks, post }
}

test('FAPI 2.0 with openid-client: private_key_jwt, a pushed request, PKCE and tokens bound by DPoP', async (t) => {
  const { app, system, user, membership, config, DPoP, authorize, checks } = await start(t)

  const back = await authorize()
  const tokens = await client.authorizationCodeGrant(config, back, checks, undefined, { DPoP })
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP })
  const again = await client.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP })
  const info = await client.fetchUserInfo(config, again.access_token, user.id, { DPoP })
  const state = await client.tokenIntrospection(config, again.access_token)
  const service = await client.clientCredentialsGrant(config, undefined, { DPoP })
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri!))
  const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: app.url, typ: 'at+jwt' })
  await client.tokenRevocation(config, tokens.refresh_token!)

  const jkt = await DPoP.calculateThumbprint()
  assert.equal(back.searchParams.get('iss'), app.url)
  assert.deepEqual([tokens.token_type, refreshed.token_type, service.token_type], ['dpop', 'dpop', 'dpop'])
  assert.deepEqual([payload.sub, payload.account_id, payload.cnf], [user.id, membership.accountId, { jkt }])
  assert.deepEqual((decodeJwt(service.access_token).cnf as object | undefined) ?? {}, { jkt })
  assert.deepEqual(
    [tokens.access_token, tokens.id_token!].map((token) => decodeProtectedHeader(token).alg),
    ['ES256', 'ES256'],
  )
  assert.deepEqual([info.sub, info.email, state.active], [user.id, user.email, true])
  assert.equal(again.refresh_token, tokens.refresh_token, 'a refresh token is not replaced')
  assert.equal(state.client_id, system.clientId)
  await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP }), {
    error: 'invalid_grant',
  })
})

test('P16: with FAPI 2.0 a request that is not pushed, or without PKCE, is refused', async (t) => {
  const { app, user, parameters, post } = await start(t, { PKCE_REQUIRED: 'public' })
  const query = new URLSearchParams(parameters)
  const { code_challenge: _, code_challenge_method: _method, ...bare } = parameters

  const plain = await through(app.newBrowser(), `${app.url}/auth?${query}`, user.email)
  const whole = await post('/request', parameters)
  const pushed = [
    await post('/request', bare),
    await post('/request', { ...parameters, code_challenge_method: 'plain' }),
    await post('/request', { ...parameters, redirect_uri: '' }),
    await post('/request', { ...parameters, response_type: 'code id_token' }),
  ]

  const back = new URL(plain.location ?? 'about:blank').searchParams
  assert.deepEqual([back.get('error'), back.get('code')], ['invalid_request', null])
  assert.equal(whole.status, 201)
  assert.deepEqual(
    pushed.map(({ status }) => status),
    [400, 400, 400, 400],
  )
})

test('P20: with FAPI 2.0 a secret, an RS256 assertion or another audience is refused', async (t) => {
  const { app, system, key, rsa, parameters, post } = await start(t)
  const [issuer, endpoint] = [app.url, `${app.url}/token`]

  const refused = [
    await post('/request', parameters, rsa),
    await post('/request', parameters, key, { aud: `${app.url}/request` }),
    await post('/request', parameters, key, { aud: endpoint }),
    await post('/request', parameters, key, { aud: [issuer] }),
    await post('/request', parameters, key, { aud: [issuer, endpoint] }),
    await app.token(system, { grant_type: 'client_credentials' }),
    await app.token({ ...system, clientType: 'public' }, { grant_type: 'client_credentials' }),
  ]
  const accepted = await post('/request', parameters)

  assert.deepEqual(
    refused.map(gist),
    refused.map(() => [401, 'invalid_client']),
  )
  assert.equal(accepted.status, 201)
})

test('P32: with FAPI 2.0 a request object is signed with PS256, ES256 or EdDSA and valid for an hour at most', async (t) => {
  const { app, system, key, rsa, parameters, post } = await start(t)
  const nbf = Math.floor(Date.now() / 1_000)
  const push = async (by: ClientKey, claims: object) => {
    const changes = { claims: { ...parameters, ...claims } }
    return post('/request', {
      client_id: system.clientId,
      request: await requestObjectOf(system, by, app.url, changes),
    })
  }

  const refused = [
    await push(rsa, { nbf }),
    await push(key, {}),
    await push(key, { nbf, exp: nbf + 3_601 }),
    await push(key, { nbf: nbf - 3_601 }),
  ]
  const accepted = await push(key, { nbf })

  assert.deepEqual(
    refused.map(gist),
    refused.map(() => [400, 'invalid_request_object']),
  )
  assert.equal(accepted.status, 201)
})

test('P34: with FAPI 2.0 no token is issued or accepted without the DPoP key', async (t) => {
  const { app, user, config, DPoP, authorize, checks } = await start(t)
  const other = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
  const refused = { error: 'invalid_grant' }

  const back = await authorize()
  await assert.rejects(client.authorizationCodeGrant(config, back, checks), refused)
  await assert.rejects(client.clientCredentialsGrant(config), refused)
  const tokens = await client.authorizationCodeGrant(config, back, checks, undefined, { DPoP })
  await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), refused)
  const atMe = async (authorization: string) =>
    (await fetch(`${app.url}/me`, { headers: { authorization } })).status
  const bearer = [await atMe(`Bearer ${tokens.access_token}`), await atMe(`DPoP ${tokens.access_token}`)]

  assert.ok(bearer.every((status) => status === 400 || status === 401))
  await assert.rejects(client.fetchUserInfo(config, tokens.access_token, user.id, { DPoP: other }))
})

test('securityProfile fapi2 is set only with settings that the profile allows', async (t) => {
  const { app, system } = await start(t)
  const plain = await app.newSystem()
  const of = ({ id }: { id: string }, body: object) => app.platform.patch(`/admin/systems/${id}`, body)
  const { jwks } = system

  assert.deepEqual(
    [
      await of(plain, { securityProfile: 'fapi2' }),
      await of(plain, { ...PROFILE, jwks, idTokenAlg: 'RS256' }),
      await of(plain, { ...PROFILE, jwks, allowDeviceFlow: true }),
      await of(system, { tokenEndpointAuthMethod: 'client_secret' }),
      await of(system, { idTokenAlg: 'RS256' }),
      await of(system, { allowDeviceFlow: true }),
    ].map(statusAndPaths),
    [
      [400, ['/tokenEndpointAuthMethod']],
      [400, ['/idTokenAlg']],
      [400, ['/allowDeviceFlow']],
      [400, ['/tokenEndpointAuthMethod']],
      [400, ['/idTokenAlg']],
      [400, ['/allowDeviceFlow']],
    ],
  )
  assert.equal((await of(system, { securityProfile: null, idTokenAlg: 'RS256' })).status, 200)
})
