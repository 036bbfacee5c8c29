import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose'
import { loadSigningKeys, type SigningKey } from '../../server/src/oidc/keys/signing-keys.ts'
import { createTenantry, requireAccount, requireAdmin, requirePermission, requireRole } from '../src/index.ts'
import { refusalOf, startProduct } from './product.ts'

const json64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('an access token of the application yields user, account, roles and permissions', async (t) => {
  const { newMember, newClient, newRole, system, role } = await startProduct(t)
  const admin = await newRole(system.id, { name: 'owner', isAdmin: true, scopes: ['orders:write'] })
  const { user, membership, signIn } = await newMember([role.id, admin.id])
  const token = await signIn()

  const { payload, ...claims } = await newClient().verify(token)

  const { sid, jti, iat, exp, ...rest } = decodeJwt(token) as JWTPayload & Record<'sid' | 'jti', string>
  assert.deepEqual(claims, {
    sub: user.id,
    accountId: membership.accountId,
    membershipId: membership.id,
    roles: ['clerk', 'owner'],
    permissions: ['orders:read', 'orders:write'],
    isAdmin: true,
    profiles: [],
    actorId: undefined,
    isServiceAccount: false,
    sid,
    jti,
    issuedAt: iat,
    expiresAt: exp,
  })
  assert.deepEqual(payload, { sid, jti, iat, exp, ...rest })
})

test('P33, P34: only access tokens issued to this application for a user are accepted', async (t) => {
  const {
    url,
    db,
    seal,
    platform,
    newMember,
    newClient,
    options,
    signIn,
    newSystem,
    newMembership,
    serviceOf,
    system,
  } = await startProduct(t)
  const { user, signIn: enter } = await newMember()
  const token = await enter()
  const [head, body, signature] = token.split('.') as [string, string, string]
  const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)]
  const keys = (await loadSigningKeys(db, seal)).filter(({ state }) => state === 'active')
  const [ec, rsa] = ['ES256', 'RS256'].map((alg) => keys.find((key) => key.alg === alg)) as [
    SigningKey,
    SigningKey,
  ]
  const signed = (more: JWTPayload, { key = ec, ...head }: { key?: SigningKey; typ?: string } = {}) =>
    new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...head })
      .sign(key.privateJwk)
  const publicKey = createPublicKey({ key: ec.publicJwk as JsonWebKey, format: 'jwk' })
  const hmac = (secret: string | Buffer) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from(secret))
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const elsewhere = await newSystem({ skipConsent: true })
  await newMembership({ userId: user.id, systemId: elsewhere.id })
  const both = await signIn(system, { email: user.email })
  const tenantry = newClient()

  const forged: Record<string, string> = {
    'no token': 'x',
    nothing: '',
    'alg none': `${json64({ ...header, alg: 'none' })}.${body}.`,
    'alg none with the old signature': `${json64({ ...header, alg: 'none' })}.${body}.${signature}`,
    'HS256 by the public key as PEM': await hmac(publicKey.export({ format: 'pem', type: 'spki' })),
    'HS256 by the public key as JWK': await hmac(JSON.stringify(ec.publicJwk)),
    'PS256 by our own key': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'PS256', kid: rsa.kid, typ: 'at+jwt' })
      .sign({ ...rsa.privateJwk, alg: 'PS256' }),
    'ES256 under the kid of an RSA key': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: rsa.kid, typ: 'at+jwt' })
      .sign(ec.privateJwk),
    'another key under our kid': await new SignJWT(claims)
      .setProtectedHeader(header as { alg: string })
      .sign(own.privateKey),
    'a changed account': `${head}.${json64({ ...claims, account_id: crypto.randomUUID() })}.${signature}`,
    'an empty signature': `${head}.${body}.`,
    'another issuer': await signed({ iss: 'https://id.example.com' }),
    'another audience': await signed({ aud: elsewhere.clientId }),
    'of another client': await signed({ client_id: elsewhere.clientId }),
    'without an account': await signed({ account_id: undefined } as never),
    'without a session': await signed({ sid: undefined } as never),
    'without an end': await signed({ exp: undefined } as never),
    'not valid yet': await signed({ nbf: claims.iat! + 600 }),
    'of another type': await signed({}, { typ: 'JWT' }),
    'bound to a key': await signed({ cnf: { jkt: 'x' } }),
    'the ID token': both.id_token,
    'the refresh token': both.refresh_token!,
    'a token of another system': (await signIn(elsewhere, { email: user.email })).access_token,
    'a service token of the system': (await serviceOf(system)).token,
    'a service token of the platform': platform.token,
    'longer than any of ours': `${token}${'A'.repeat(20_000)}`,
  }

  assert.equal((await tenantry.verify(token)).sub, user.id)
  assert.equal((await tenantry.verify(await signed({}))).sub, user.id) // the base case is valid
  for (const [about, each] of Object.entries(forged))
    assert.equal(await refusalOf(tenantry.verify(each)), 'invalid_token', about)
  const expired = await signed({ iat: claims.iat! - 660, exp: claims.iat! - 60 })
  assert.equal(await refusalOf(tenantry.verify(expired)), 'expired_token')
  assert.equal((await createTenantry({ ...options, issuer: `${url}/` }).verify(token)).sub, user.id)
})

test('the keys are fetched once, and unknown key ids do not cause further requests', async (t) => {
  const { url, newMember, options } = await startProduct(t)
  const token = await (await newMember()).signIn()
  let asked = 0
  const proxy = createServer(async (request, response) => {
    asked++
    response.end(await (await fetch(url + request.url)).text())
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  const issuer = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
  const tenantry = createTenantry({ ...options, issuer })
  const unknown = [
    json64({ ...decodeProtectedHeader(token), kid: 'unknown' }),
    ...token.split('.').slice(1),
  ].join('.')

  const refusals = await Promise.all(Array.from({ length: 50 }, () => refusalOf(tenantry.verify(unknown))))
  for (let turn = 0; turn < 50; turn++) refusals.push(await refusalOf(tenantry.verify(unknown)))

  assert.deepEqual([...new Set(refusals)], ['invalid_token'])
  assert.equal(asked, 1)
})

test('without keys a token is answered 503, not 401', async (t) => {
  const { newMember, options } = await startProduct(t)
  const token = await (await newMember()).signIn()

  const error = await createTenantry({ ...options, issuer: 'http://127.0.0.1:1' })
    .verify(token)
    .catch((error) => error)

  assert.deepEqual(
    [error.code, error.statusCode, error.headers],
    ['keys_unavailable', 503, { 'retry-after': '1' }],
  )
})

test('account, role, permission and admin are checked; absent claims grant nothing', async (t) => {
  const { newMember, newClient, role } = await startProduct(t)
  const { membership, signIn } = await newMember([role.id])
  const claims = await newClient().verify(await signIn())

  requireAccount(claims, membership.accountId)
  requireRole(claims, 'clerk')
  requirePermission(claims, 'orders:read')
  requireAdmin({ ...claims, isAdmin: true })

  assert.equal(await refusalOf(() => requireAccount(claims, crypto.randomUUID())), 'wrong_account')
  assert.equal(await refusalOf(() => requireAccount(claims, undefined)), 'wrong_account')
  assert.equal(await refusalOf(() => requireRole(claims, 'owner')), 'role_required')
  assert.equal(await refusalOf(() => requirePermission(claims, 'orders')), 'permission_required')
  assert.equal(await refusalOf(() => requireAdmin(claims)), 'admin_required')
})
