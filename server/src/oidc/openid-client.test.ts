/** A product's backend with openid-client, using its documented calls only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import {
  CALLBACK,
  endOf,
  OPTIONS,
  product,
  SIGNED_OUT,
  signIn,
  through,
} from '../../test/support/openid-client.ts'
import { startTestApp } from '../../test/support/testing.ts'

test('openid-client: discovery, and a sign-in with a valid ID token', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)

  const { tokens } = await signIn(shop, app.newBrowser())

  const claims = tokens.claims()!
  assert.deepEqual(
    [claims.iss, claims.aud, claims.sub, claims.account_id],
    [app.url, shop.system.clientId, shop.user.id, shop.membership.accountId],
  )
  assert.ok(tokens.refresh_token)
  assert.equal(tokens.expires_in, 600)
})

test('openid-client: client_secret_post', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app, client.ClientSecretPost)

  const { tokens } = await signIn(shop, app.newBrowser())

  assert.equal(tokens.claims()?.sub, shop.user.id)
})

test('openid-client: a public client signs in with PKCE', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ redirectUris: [CALLBACK], clientType: 'public' })
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  const config = await client.discovery(new URL(app.url), system.clientId, undefined, client.None(), OPTIONS)

  const { tokens } = await signIn({ system, user, membership, config }, app.newBrowser(), { scope: 'openid' })

  assert.equal(tokens.claims()?.sub, user.id)
})

test('openid-client: refresh, userinfo, introspection and revocation', async (t) => {
  const app = await startTestApp(t)
  const { config, user, ...shop } = await product(app)
  const { tokens } = await signIn({ config, user, ...shop }, app.newBrowser())

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)
  const claims = await client.fetchUserInfo(config, refreshed.access_token, user.id)
  const before = await client.tokenIntrospection(config, refreshed.access_token)
  const introspected = await client.tokenIntrospection(config, refreshed.refresh_token!)
  await client.tokenRevocation(config, refreshed.refresh_token!)
  const after = await client.tokenIntrospection(config, refreshed.access_token)

  assert.equal(refreshed.claims()?.sub, user.id)
  assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
  assert.deepEqual(
    [claims.email, claims.email_verified, claims.name, claims.account_id],
    [user.email, true, 'Pat Example', shop.membership.accountId],
  )
  assert.deepEqual([before.active, before.sub, before.client_id], [true, user.id, shop.system.clientId])
  assert.equal(introspected.active, true)
  assert.equal(after.active, false)
  await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token!), { error: 'invalid_grant' })
  await assert.rejects(client.fetchUserInfo(config, refreshed.access_token, user.id), { status: 401 })
})

test('openid-client: an access token verifies with the keys from discovery', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  const { tokens } = await signIn(shop, app.newBrowser())
  const keys = (await (await fetch(shop.config.serverMetadata().jwks_uri!)).json()) as JSONWebKeySet

  const { payload } = await jwtVerify(tokens.access_token, createLocalJWKSet(keys), {
    issuer: app.url,
    audience: shop.system.clientId,
    typ: 'at+jwt',
  })

  assert.deepEqual([payload.sub, payload.account_id], [shop.user.id, shop.membership.accountId])
})

test('openid-client: a service token by client credentials opens the admin API', async (t) => {
  const app = await startTestApp(t)
  const { config, system } = await product(app)

  const tokens = await client.clientCredentialsGrant(config)

  const answer = await app.as(tokens.access_token).get(`/admin/systems/${system.id}`)
  assert.deepEqual([answer.status, answer.body.id, tokens.refresh_token], [200, system.id, undefined])
})

test('openid-client: a pushed authorization request', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)

  const { start, tokens } = await signIn(
    shop,
    app.newBrowser(),
    { account_id: shop.membership.accountId },
    true,
  )

  assert.match(start.searchParams.get('request_uri')!, /^urn:ietf:params:oauth:request_uri:/)
  assert.equal(tokens.claims()?.account_id, shop.membership.accountId)
})

test('openid-client: a DPoP-bound token requires its key', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  const { tokens } = await signIn(shop, app.newBrowser())
  const handle = client.getDPoPHandle(shop.config, await client.randomDPoPKeyPair('ES256'))

  const bound = await client.refreshTokenGrant(shop.config, tokens.refresh_token!, {}, { DPoP: handle })

  assert.equal(bound.token_type, 'dpop')
  const claims = await client.fetchUserInfo(shop.config, bound.access_token, shop.user.id, { DPoP: handle })
  assert.equal(claims.sub, shop.user.id)
  await assert.rejects(client.fetchUserInfo(shop.config, bound.access_token, shop.user.id), { status: 401 })
})

test('openid-client: the device flow', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  const device = await client.initiateDeviceAuthorization(shop.config, {
    scope: 'openid email offline_access',
  })

  const end = await through(app.newBrowser(), device.verification_uri_complete!, shop.user.email)
  const tokens = await client.pollDeviceAuthorizationGrant(shop.config, { ...device, interval: 1 })

  assert.match(String(end.body), /Device connected/)
  assert.deepEqual(
    [tokens.claims()?.sub, tokens.claims()?.account_id],
    [shop.user.id, shop.membership.accountId],
  )
  assert.ok(tokens.refresh_token)
})

test('openid-client: RP-initiated logout', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  const browser = app.newBrowser()
  const { tokens } = await signIn(shop, browser)
  const end = endOf(shop, tokens)

  const { location } = await through(browser, end.href, shop.user.email)

  assert.equal(location, `${SIGNED_OUT}?state=bye`)
  await assert.rejects(client.refreshTokenGrant(shop.config, tokens.refresh_token!), {
    error: 'invalid_grant',
  })
})

test('openid-client: an authorization error reaches the product', async (t) => {
  const app = await startTestApp(t)
  const shop = await product(app)
  await app.platform.patch(`/admin/memberships/${shop.membership.id}`, { status: 'blocked' })

  await assert.rejects(signIn(shop, app.newBrowser()), { error: 'access_denied' })
})
