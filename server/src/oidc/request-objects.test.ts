/** Signed authorization requests (RFC 9101). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SignJWT } from 'jose'
import * as client from 'openid-client'
import { keySet, newClientKey, requestObjectOf, startKeyServer } from '../../test/support/client-keys.ts'
import { CALLBACK, OPTIONS, through } from '../../test/support/openid-client.ts'
import {
  basicAuth,
  codeFields,
  newBrowser,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../test/support/testing.ts'

async function start(t: TestContext, fields: object = {}, settings?: Record<string, string>) {
  const app = await startTestApp(t, settings)
  const key = await newClientKey()
  const { system, user } = await app.newMember({
    jwks: { keys: [key.jwk] },
    redirectUris: [CALLBACK],
    skipConsent: true,
    ...fields,
  })
  const pkce = newPkce()
  const parameters = {
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid offline_access',
    state: 'signed',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
  }
  const sign = (claims: object = {}, header = {}, by = key) =>
    requestObjectOf(system, by, app.url, { claims: { ...parameters, ...claims }, header })
  const at = (request: string, beside: Record<string, string> = {}) =>
    `/auth?${new URLSearchParams({ client_id: system.clientId, ...beside, request })}`
  /** The parameters of the redirect to the application; of an error page, its error. */
  const send = async (url: string) => {
    const visitor = app.newBrowser()
    let page = await visitor.follow(await visitor.get(url))
    if (/<form/.test(String(page.body)))
      page = await visitor.follow(await visitor.submit(page, { email: user.email, password: PASSWORD }))
    const location = page.headers.get('location')
    const error = /invalid_request\w*/.exec(String(page.body))?.[0] ?? ''
    return location ? Object.fromEntries(new URL(location).searchParams) : { error }
  }
  const push = (fields: Record<string, string>) =>
    newBrowser(app.url).request('/request', {
      method: 'POST',
      headers: { authorization: basicAuth(system), accept: 'application/json' },
      body: new URLSearchParams({ client_id: system.clientId, ...fields }),
    })
  return { app, key, system, user, pkce, parameters, sign, at, send, push }
}

test('openid-client: a sign-in with a signed request', async (t) => {
  const { app, key, system, user } = await start(t)
  const config = await client.discovery(
    new URL(app.url),
    system.clientId,
    undefined,
    client.ClientSecretBasic(system.clientSecret),
    OPTIONS,
  )
  const verifier = client.randomPKCECodeVerifier()

  const url = await client.buildAuthorizationUrlWithJAR(
    config,
    {
      redirect_uri: CALLBACK,
      scope: 'openid offline_access',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    },
    { key: key.privateKey, kid: key.jwk.kid },
  )
  const { location } = await through(app.newBrowser(), url.href, user.email)
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, new URL(location!), checks)

  assert.equal(tokens.claims()?.sub, user.id)
  assert.ok(tokens.refresh_token)
})

test('P32: parameters beside a signed request do not change it', async (t) => {
  const { app, system, pkce, sign, at, send } = await start(t)
  const beside = {
    scope: 'openid email offline_access',
    account_id: crypto.randomUUID(),
    state: 'unsigned',
    redirect_uri: 'https://evil.example/',
    prompt: 'none',
  }

  const back = await send(at(await sign({ scope: 'openid' }), beside))
  const tokens = (await app.token(system, codeFields(system, { back, pkce }))).body

  assert.deepEqual([back.state, tokens.scope, tokens.refresh_token], ['signed', 'openid', undefined])
})

test('P32: a request object that is unsigned, forged, for another server or no request is refused', async (t) => {
  const { app, system, parameters, sign, at, send } = await start(t)
  const foreign = await start(t)
  const without = await app.newSystem({ redirectUris: [CALLBACK] })
  const now = Math.floor(Date.now() / 1_000)
  const [, payload = ''] = (await sign()).split('.')
  const encoded = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
  const byHmac = new SignJWT({ ...parameters, client_id: system.clientId })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(system.clientId)
    .setAudience(app.url)
  const objects = {
    unsigned: `${encoded({ alg: 'none' })}.${payload}.`,
    'signed with the secret': await byHmac.sign(new TextEncoder().encode(system.clientSecret)),
    'by another client': await sign({}, {}, foreign.key),
    'for another client': await sign({ client_id: foreign.system.clientId }),
    'issued by another client': await sign({ iss: foreign.system.clientId }),
    'for another server': await sign({ aud: 'https://other.example' }),
    'without an audience': await sign({ aud: undefined }),
    expired: await sign({ exp: now - 60 }),
    'a client assertion': await sign({}, { typ: 'client-authentication+jwt' }),
    'usable as a client assertion': await sign({ sub: system.clientId }),
    'with another request': await sign({ request: 'x' }),
    'no JWT': 'x',
  }

  for (const [name, object] of Object.entries(objects)) {
    const { code, error } = await send(at(object))
    assert.deepEqual([code, error], [undefined, 'invalid_request_object'], name)
  }
  const noKeys = new URLSearchParams({ client_id: without.clientId, request: await sign() })
  assert.equal((await send(`/auth?${noKeys}`)).error, 'invalid_request_object')
  assert.ok((await send(at(await sign()))).code)
})

test('P32: with requireSignedRequestObject every request must be signed, also a pushed one', async (t) => {
  const { app, system, parameters, sign, at, send, push } = await start(t, {
    requireSignedRequestObject: true,
  })
  const pushedUrl = (request_uri: string) =>
    `/auth?${new URLSearchParams({ client_id: system.clientId, request_uri })}`

  const plain = await send(`/auth?${new URLSearchParams({ client_id: system.clientId, ...parameters })}`)
  const pushedPlain = await push(parameters)
  const pushed = await push({ request: await sign() })
  const codes = [await send(at(await sign())), await send(pushedUrl(pushed.body.request_uri))]
  const keyless = await app.platform.patch(`/admin/systems/${system.id}`, { jwks: null })

  assert.deepEqual([plain.error, plain.code], ['invalid_request', undefined])
  assert.deepEqual([pushedPlain.status, pushedPlain.body.error], [400, 'invalid_request'])
  assert.deepEqual(
    codes.map(({ code }) => typeof code),
    ['string', 'string'],
  )
  assert.deepEqual([keyless.status, keyless.body.errors[0].path], [400, '/requireSignedRequestObject'])
})

test('a signed request is verified with keys from jwksUri', async (t) => {
  const key = await newClientKey('PS256')
  const server = await startKeyServer(t, keySet(key.jwk))
  const keys = { jwks: null, jwksUri: server.uri }
  const { sign, at, send } = await start(t, keys, { WEBHOOK_ALLOW_PRIVATE: 'true' })

  const answers = [await send(at(await sign({}, {}, key))), await send(at(await sign()))]

  assert.deepEqual(
    answers.map(({ code, error }) => [typeof code, error]),
    [
      ['string', undefined],
      ['undefined', 'invalid_request_object'],
    ],
  )
  assert.equal(server.requests(), 1)
})
