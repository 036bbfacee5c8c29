import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTVerifyOptions, jwtVerify } from 'jose'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { SOON } from '../../test/support/waiting.ts'
import { inArray, sql } from '../database/drizzle.ts'
import { signingKeys } from '../database/schema.ts'
import { rotateSigningKeys } from './keys/signing-keys.ts'

/** Verifies a token as a product does, with the JWKS only. */
const verify = (url: string, token: string, options: JWTVerifyOptions) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${url}/jwks`)), { issuer: url, ...options })

test('an access token follows RFC 9068 and has account, roles and is_admin', async (t) => {
  const { url, newSystem, newUser, newMembership, newRole, signIn } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const roles = [
    await newRole(system.id, { scopes: ['b', 'a'] }),
    await newRole(system.id, { isAdmin: true, scopes: ['b'] }),
  ]
  const user = await newUser()
  const membership = await newMembership({
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
    roles: roles.map((role) => role.id),
  })
  const before = Math.floor(Date.now() / 1_000)

  const tokens = await signIn(system, user)

  const { payload, protectedHeader } = await verify(url, tokens.access_token, {
    audience: system.clientId,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  })
  const { iat = 0, exp = 0, jti = '', auth_time, ...claims } = payload
  assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ'])
  assert.deepEqual(claims, {
    iss: url,
    sub: user.id,
    aud: system.clientId,
    client_id: system.clientId,
    account_id: membership.account.id,
    membership_id: membership.id,
    roles: roles.map((role) => role.name).sort(),
    is_admin: true,
    permissions: ['a', 'b'],
    sid: payload.sid,
    scope: 'openid email profile offline_access',
    acr: 'urn:tenantry:aal1',
    amr: ['pwd'],
  })
  assert.match(jti, new RegExp(`^${payload.sid}\\.[\\w-]{20,}$`))
  assert.ok(iat >= before && iat <= before + 5 && exp === iat + 600 && tokens.expires_in === 600)
  assert.ok(Math.abs(Number(auth_time) - before) <= 5)
})

test('an ID token has the same claims, its audience and how the user signed in', async (t) => {
  const { url, newMember, newRole, platform, signIn } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const role = await newRole(system.id)
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })

  const tokens = await signIn(system, { email: user.email, parameters: { nonce: 'n-0S6', max_age: '600' } })

  const options = { audience: system.clientId, algorithms: ['RS256'] }
  const { payload, protectedHeader } = await verify(url, tokens.id_token, options)
  const access = (await verify(url, tokens.access_token, {})).payload
  assert.notEqual(protectedHeader.typ, 'at+jwt')
  assert.deepEqual(
    [
      payload.sub,
      payload.aud,
      payload.nonce,
      payload.account_id,
      payload.membership_id,
      payload.roles,
      payload.is_admin,
      payload.amr,
    ],
    [user.id, system.clientId, 'n-0S6', access.account_id, membership.id, [role.name], false, ['pwd']],
  )
  assert.deepEqual([payload.sid, payload.auth_time], [access.sid, access.auth_time])
  assert.equal(payload.email, user.email)
  assert.equal(Number(payload.exp) - Number(payload.iat), 600)
})

test('membership_id differs between the accounts of a user and is the same in all tokens for one account', async (t) => {
  const { newSystem, newUser, newMembership, signIn, refresh, me } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, skipConsent: true })
  const user = await newUser()
  const join = (accountName: string) => newMembership({ userId: user.id, systemId: system.id, accountName })
  const [acme, bolt] = [await join('Acme'), await join('Bolt')]
  const enter = (account: string) => signIn(system, { email: user.email, account })

  const [first, again, other] = [
    await enter(acme.accountId),
    await enter(acme.accountId),
    await enter(bolt.accountId),
  ]
  const refreshed = (await refresh(system, first.refresh_token!)).body

  const claimsOf = (token: string) => {
    const { sub, account_id, membership_id } = decodeJwt(token)
    return { sub, account_id, membership_id }
  }
  const inAcme = { sub: user.id, account_id: acme.accountId, membership_id: acme.id }
  for (const token of [
    first.access_token,
    first.id_token,
    again.id_token,
    refreshed.access_token,
    refreshed.id_token,
  ])
    assert.deepEqual(claimsOf(token), inAcme)
  const inBolt = { sub: user.id, account_id: bolt.accountId, membership_id: bolt.id }
  assert.deepEqual([claimsOf(other.access_token), claimsOf(other.id_token)], [inBolt, inBolt])
  const answers = [await me(refreshed.access_token), await me(other.access_token)]
  assert.deepEqual(
    answers.map(({ body }) => body.membership_id),
    [acme.id, bolt.id],
  )
})

test('/me returns the claims of the granted scopes', async (t) => {
  const { newMember, signIn, me, platform } = await startTestApp(t)
  const { system, user } = await newMember()
  await platform.patch(`/admin/users/${user.id}`, { name: 'Ann Lee', locale: 'pt' })
  const whole = await signIn(system, user)
  const little = await signIn(system, { email: user.email, parameters: { scope: 'openid' } })

  const answers = [await me(whole.access_token), await me(little.access_token)]

  const core = ['account_id', 'is_admin', 'membership_id', 'roles', 'sub']
  assert.deepEqual(
    [answers[0]?.body.email, answers[0]?.body.name, answers[0]?.body.locale],
    [user.email, 'Ann Lee', 'pt'],
  )
  for (const { status, body } of answers) {
    assert.equal(status, 200)
    assert.deepEqual(
      Object.keys(body)
        .filter((name) => core.includes(name))
        .sort(),
      core,
    )
    assert.equal(body.sub, user.id)
  }
  assert.deepEqual(
    [answers[1]?.body.email, answers[1]?.body.name, answers[1]?.body.locale],
    [undefined, undefined, undefined],
  )
})

test('tokens of one session share its sid and no other identifier', async (t) => {
  const { url, newMember, signIn, refresh } = await startTestApp(t)
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  const again = (await refresh(system, tokens.refresh_token ?? '')).body

  const [one, other] = [
    (await verify(url, tokens.access_token, {})).payload,
    (await verify(url, again.access_token, {})).payload,
  ]

  assert.deepEqual([one.sid, one.account_id, one.auth_time], [other.sid, other.account_id, other.auth_time])
  assert.notEqual(one.jti, other.jti)
})

test('the JWKS has public keys only, one signing key per algorithm', async (t) => {
  const { newBrowser } = await startTestApp(t)

  const { body } = await newBrowser().get('/jwks')

  const parts = new Set(body.keys.flatMap((key: object) => Object.keys(key)))
  for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']) assert.ok(!parts.has(secret), secret)
  assert.deepEqual([...new Set(body.keys.map((key: { alg: string }) => key.alg))].sort(), ['ES256', 'RS256'])
  assert.ok(
    body.keys.every((key: { kid: string; use: string }) => /^[\w-]{43}$/.test(key.kid) && key.use === 'sig'),
  )
})

test('JWKS and discovery are cacheable for five minutes, no other response is', async (t) => {
  const { url, newMember, signIn, newBrowser } = await startTestApp(t)
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  const authorization = `Bearer ${tokens.access_token}`

  const kept = await Promise.all(
    ['/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map((path) =>
      newBrowser().get(path),
    ),
  )
  const personal = [
    await newBrowser().get('/me', { authorization }),
    await newBrowser().get('/me'),
    await newBrowser().get('/auth'),
    await newBrowser().get('/session/end'),
    await newBrowser().post('/token', {}),
    await newBrowser().post('/token/revocation', { token: 'x', client_id: system.clientId }),
    await newBrowser().post('/token/introspection', { token: 'x', client_id: system.clientId }),
    await newBrowser().post('/request', {}),
  ]

  for (const answer of kept) {
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
    assert.equal(answer.headers.get('set-cookie'), null)
  }
  for (const answer of personal) assert.match(answer.headers.get('cache-control') ?? '', /\bno-store\b/)
  assert.equal(kept[1]?.body.issuer, url)
})

test('discovery has our endpoints and only supported algorithms and grants', async (t) => {
  const { url, newBrowser } = await startTestApp(t)

  const { body } = await newBrowser().get('/.well-known/openid-configuration')

  const endpoints = {
    authorization_endpoint: '/auth',
    token_endpoint: '/token',
    jwks_uri: '/jwks',
    userinfo_endpoint: '/me',
    revocation_endpoint: '/token/revocation',
    end_session_endpoint: '/session/end',
  }
  for (const [name, path] of Object.entries(endpoints)) assert.equal(body[name], url + path)
  assert.deepEqual([body.response_types_supported, body.subject_types_supported], [['code'], ['public']])
  assert.deepEqual(body.id_token_signing_alg_values_supported.sort(), ['ES256', 'RS256'])
  assert.ok(!JSON.stringify(body).match(/none"?\]?,?"?id_token|HS256|"implicit"|"password"/))
  assert.equal(body.authorization_response_iss_parameter_supported, true)
  assert.deepEqual(body.ui_locales_supported, ['en', 'de', 'es', 'fr', 'ja', 'pt-BR'])
})

test('key rotation keeps every token valid: publish, then sign, then verify only', async (t) => {
  const { url, db, seal, newMember, newRole, platform, signIn, refresh, token, me, as, newBrowser, audited } =
    await startTestApp(t)
  const { system, user, membership } = await newMember({ allowClientCredentials: true })
  const role = await newRole(system.id, { isAdmin: true })
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const before = await signIn(system, user)
  /** An unknown key id makes the process reload the keys: at most once a second, so this is repeated. */
  const look = async () => {
    const [, claims = '', signature = ''] = before.access_token.split('.')
    const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"unknown"}').toString('base64url')
    assert.equal((await me([header, claims, signature].join('.'))).status, 401)
  }
  const published = async () =>
    (await newBrowser().get('/jwks')).body.keys.map((key: { kid: string }) => key.kid)
  const service = async () => (await token(system, { grant_type: 'client_credentials' })).body.access_token
  const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''

  const services = [await service()]
  const added = await rotateSigningKeys(db, seal, 600, 3_600) // seconds, by the database's clock
  const isPublished = async () => {
    await look()
    assert.ok((await published()).includes(added[0]))
  }
  await t.waitFor(isPublished, SOON)
  const ahead = (await refresh(system, before.refresh_token ?? '')).body
  const publishedAhead = await published()
  services.push(await service())
  const sooner = sql`interval '601 seconds'`
  await db.update(signingKeys).set({ retiredFrom: sql`${signingKeys.retiredFrom} - ${sooner}` })
  await db
    .update(signingKeys)
    .set({ activeFrom: sql`${signingKeys.activeFrom} - ${sooner}` })
    .where(inArray(signingKeys.kid, added))
  const isActive = async () => {
    await look()
    assert.ok(added.includes(kidOf(await service())))
  }
  await t.waitFor(isActive, SOON)
  const afterwards = (await refresh(system, ahead.refresh_token)).body
  services.push(await service())

  assert.ok(added.every((kid) => publishedAhead.includes(kid)))
  for (const kid of added)
    assert.equal((await audited({ targetId: kid, action: 'signing_key.added' })).length, 1)
  assert.deepEqual(
    [ahead.access_token, ahead.id_token].map(kidOf),
    [before.access_token, before.id_token].map(kidOf),
  )
  assert.deepEqual([afterwards.access_token, afterwards.id_token].map(kidOf).sort(), [...added].sort())
  assert.deepEqual(
    services.map(kidOf),
    [before, ahead, afterwards].map((tokens) => kidOf(tokens.access_token)),
  )
  for (const each of services)
    assert.equal((await verify(url, each, { typ: 'at+jwt' })).payload.sub, system.clientId)
  for (const tokens of [before, ahead, afterwards]) {
    assert.equal((await verify(url, tokens.access_token, { typ: 'at+jwt' })).payload.sub, user.id)
    assert.equal((await verify(url, tokens.id_token, { audience: system.clientId })).payload.sub, user.id)
    assert.equal((await me(tokens.access_token)).status, 200)
    assert.equal((await as(tokens.access_token).get('/admin/memberships')).status, 200)
  }
})

test('a request without openid gets an access token of the account, no ID token and no claims at /me', async (t) => {
  const app = await startTestApp(t)
  const { system, user, membership } = await app.newMember({ skipConsent: true })

  const parameters = { scope: 'email', nonce: '' }
  const { access_token, id_token } = await app.signIn(system, { email: user.email, parameters })

  const { scope, account_id } = decodeJwt(access_token)
  assert.deepEqual([scope, account_id, id_token], ['email', membership.accountId, undefined])
  assert.equal((await app.me(access_token)).status, 403)
})

test('/auth accepts a form, and redirects it to the same request with a query', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const pkce = newPkce()
  const { searchParams } = new URL(authUrl(system, pkce.challenge, { state: 'a b&c' }), app.url)
  const visitor = app.newBrowser()

  const asked = await visitor.post('/auth', Object.fromEntries(searchParams), {
    origin: 'https://app.example',
    'sec-fetch-site': 'cross-site',
  })
  const again = new URL(asked.headers.get('location')!, app.url)
  const login = await visitor.follow(asked)
  const end = await visitor.follow(await visitor.submit(login, { email: user.email, password: PASSWORD }))

  assert.deepEqual([asked.status, again.pathname], [303, '/auth'])
  assert.deepEqual([...again.searchParams], [...searchParams])
  assert.match(end.headers.get('location') ?? '', /^https:\/\/app\.example\/cb\?code=.*state=a\+b%26c/)
})

test('a later request in the same browser can get more scopes', async (t) => {
  const app = await startTestApp(t)
  for (const skipConsent of [true, false]) {
    const { system, user } = await app.newMember({ skipConsent, allowedScopes: ['openid', 'email'] })
    const { email } = user
    const { visitor } = await app.signIn(system, { email, parameters: { scope: 'openid' } })

    const more = await app.signIn(system, { email, visitor, parameters: { scope: 'openid email' } })

    assert.equal(more.scope, 'openid email')
    assert.equal(decodeJwt(more.id_token).email, email)
  }
})
