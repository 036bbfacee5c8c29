import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { CompactEncrypt, exportJWK, type JWTPayload, SignJWT } from 'jose'
import { type Answer, type SignIn, startTestApp } from '../../test/support/testing.ts'
import { loadSigningKeys, type SigningKey } from './keys/signing-keys.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const json64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) => token.split('.') as [string, string, string]
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

/** An account administrator and a token that is valid at /me and /admin. */
async function newAdmin(app: App) {
  const { system, user, membership } = await app.newMember()
  const role = await app.newRole(system.id, { isAdmin: true })
  await app.platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const tokens = await app.signIn(system, user as SignIn)
  return { system, user, membership, tokens, token: tokens.access_token }
}

/** The real signing keys, to test the checks that follow the signature check. */
async function signingKeys({ db, seal }: App): Promise<{ ec: SigningKey; rsa: SigningKey }> {
  const active = (await loadSigningKeys(db, seal)).filter((key) => key.state === 'active')
  const of = (alg: string) => active.find((key) => key.alg === alg) as SigningKey
  return { ec: of('ES256'), rsa: of('RS256') }
}

/** The order n of P-256 (FIPS 186-5), in hexadecimal: congruent to 0 in signature arithmetic. */
const CURVE_ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'

const signWith = (key: SigningKey, claims: object, header: object = {}) =>
  new SignJWT(claims as JWTPayload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
    .sign(key.privateJwk)

/** Counts connections to an address named in a token. */
async function listenFor(
  t: TestContext,
  answer: object,
): Promise<{ address: string; connections: () => number }> {
  let connections = 0
  const server = createServer((_request, response) => void response.end(JSON.stringify(answer)))
  server.on('connection', () => {
    connections++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  return { address: `http://127.0.0.1:${port}/jwks`, connections: () => connections }
}

function assertRefused(answers: { me: Answer; admin: Answer }, about: string): void {
  assert.deepEqual([answers.me.status, answers.me.body.error], [401, 'invalid_token'], `/me: ${about}`)
  assert.deepEqual(
    [answers.admin.status, answers.admin.body.code],
    [401, 'invalid_token'],
    `/admin: ${about}`,
  )
  for (const { headers } of [answers.me, answers.admin])
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer /, about)
}

const present = async ({ me, as }: App, token: string) => ({
  me: await me(token),
  admin: await as(token).get('/admin/memberships'),
})

test('P33: a token not signed by the key it names is invalid_token, without any fetch', async (t) => {
  const app = await startTestApp(t)
  const { token } = await newAdmin(app)
  const { ec, rsa } = await signingKeys(app)
  const [head, claims, signature] = partsOf(token)
  const header = decoded(head)
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ownJwk = await exportJWK(own.publicKey)
  const { address, connections } = await listenFor(t, {
    keys: [{ ...ownJwk, kid: 'mine', alg: 'ES256', use: 'sig' }],
  })
  const ownSigned = (more: object) =>
    new SignJWT(decoded(claims)).setProtectedHeader({ ...header, ...more }).sign(own.privateKey)
  const hmac = (key: Uint8Array, kid: string) =>
    new SignJWT(decoded(claims)).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(key)
  const publics = [ec, rsa].map(({ kid, publicJwk }) => ({
    kid,
    publicJwk,
    key: createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' }),
  }))
  const der = Buffer.concat([
    Buffer.from([0x30, 0x44, 0x02, 0x20]),
    Buffer.alloc(32, 1),
    Buffer.from([0x02, 0x20]),
    Buffer.alloc(32, 1),
  ])
  const forged: Record<string, string> = {
    ...Object.fromEntries(
      ['none', 'None', 'nOnE', 'NONE', '', 'ES384', 'ES256K', 'RS256'].flatMap((alg) => [
        [`alg ${alg} without a signature`, [json64({ ...header, alg }), claims, ''].join('.')],
        [`alg ${alg} with the old signature`, [json64({ ...header, alg }), claims, signature].join('.')],
      ]),
    ),
    ...Object.fromEntries(
      await Promise.all(
        publics.flatMap(({ kid, publicJwk, key }) =>
          [
            key.export({ format: 'pem', type: 'spki' }),
            key.export({ format: 'der', type: 'spki' }),
            JSON.stringify(publicJwk),
            kid,
          ].map(async (secret, at) => [
            `HS256 by public key ${kid} as ${at}`,
            await hmac(Buffer.from(secret), kid),
          ]),
        ),
      ),
    ),
    'signed by a key of their own under our kid': await ownSigned({}),
    'their key in the header': await ownSigned({ jwk: ownJwk }),
    'their key in the header, without a kid': await ownSigned({ kid: undefined, jwk: ownJwk }),
    'their keys at an address': await ownSigned({ kid: 'mine', jku: address }),
    'their certificate at an address': await ownSigned({ kid: 'mine', x5u: address, x5c: ['AAAA'] }),
    'kid that is a path': await ownSigned({ kid: '../../../../dev/null' }),
    'kid that is an address': await ownSigned({ kid: address }),
    'kid that is a query': await ownSigned({ kid: "' or 1=1--" }),
    'kid that is no text': [json64({ ...header, kid: [ec.kid] }), claims, signature].join('.'),
    'kid of our other algorithm': [json64({ ...header, kid: rsa.kid }), claims, signature].join('.'),
    'no kid': [json64({ ...header, kid: undefined }), claims, signature].join('.'),
    'claims edited': [
      head,
      json64({ ...decoded(claims), is_admin: true, account_id: crypto.randomUUID() }),
      signature,
    ].join('.'),
    'header edited': [json64({ ...header, x: 1 }), claims, signature].join('.'),
    'r = s = 0': [head, claims, Buffer.alloc(64).toString('base64url')].join('.'),
    'r = s = n': [head, claims, Buffer.from(CURVE_ORDER.repeat(2), 'hex').toString('base64url')].join('.'),
    'a signature in DER': [head, claims, der.toString('base64url')].join('.'),
    'half a signature': [head, claims, signature.slice(0, 43)].join('.'),
    'no signature': [head, claims, ''].join('.'),
    'two parts': [head, claims].join('.'),
    'four parts': `${token}.${signature}`,
    'a dot behind': `${token}.`,
    'a dot before': `.${token}`,
    'no parts': '..',
    'a header that is no JSON': ['e30x', claims, signature].join('.'),
    'claims that are no object': [head, json64([1]), signature].join('.'),
    encrypted: await new CompactEncrypt(Buffer.from(token))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT', kid: ec.kid })
      .encrypt(createPublicKey({ key: ec.publicJwk as JsonWebKey, format: 'jwk' })),
  }

  const good = await present(app, token)

  assert.deepEqual([good.me.status, good.admin.status], [200, 200])
  for (const [about, each] of Object.entries(forged)) assertRefused(await present(app, each), about)
  assert.equal(connections(), 0)
})

test('P33: type, issuer, audience, times and subject of a token are each verified', async (t) => {
  const app = await startTestApp(t)
  const [{ system, token }, other] = [await newAdmin(app), await newAdmin(app)]
  const { ec, rsa } = await signingKeys(app)
  const claims = decoded(partsOf(token)[1])
  const now = Math.floor(Date.now() / 1_000)
  const without = (name: string) => signWith(ec, { ...claims, [name]: undefined })
  const refused: Record<string, string> = {
    expired: await signWith(ec, { ...claims, iat: now - 700, exp: now - 100 }),
    'not valid yet': await signWith(ec, { ...claims, nbf: now + 600 }),
    'of another issuer': await signWith(ec, { ...claims, iss: 'https://app.example' }),
    'of an issuer that begins like ours': await signWith(ec, { ...claims, iss: `${app.url}/` }),
    'for another audience': await signWith(ec, { ...claims, aud: 'https://other.example' }),
    'for another system': await signWith(ec, { ...claims, aud: other.system.clientId }),
    'of another client': await signWith(ec, { ...claims, client_id: other.system.clientId }),
    'of another client, for it': await signWith(ec, {
      ...claims,
      client_id: other.system.clientId,
      aud: other.system.clientId,
    }),
    'of another user': await signWith(ec, { ...claims, sub: other.user.id }),
    "of another user's session": await signWith(ec, {
      ...claims,
      sid: decoded(partsOf(other.token)[1]).sid,
    }),
    'of no session': await signWith(ec, { ...claims, sid: 'unknown' }),
    'of a session that is no text': await signWith(ec, { ...claims, sid: { $ne: null } }),
    'with a time that is no number': await signWith(ec, { ...claims, exp: `${claims.exp}` }),
    'a logout token': await signWith(ec, claims, { typ: 'logout+jwt' }),
    'a plain JWT': await signWith(ec, claims, { typ: 'JWT' }),
    'without a type': await signWith(ec, claims, { typ: undefined }),
    'signed by our RSA key with another algorithm': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'PS256', kid: rsa.kid, typ: 'at+jwt' })
      .sign({ ...rsa.privateJwk, alg: 'PS256' }),
    ...Object.fromEntries(
      await Promise.all(
        ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'iss'].map(async (name) => [
          `without ${name}`,
          await without(name),
        ]),
      ),
    ),
  }

  const good = await present(app, await signWith(ec, claims))

  assert.deepEqual([good.me.status, good.admin.status, good.admin.body.data.length], [200, 200, 1])
  for (const [about, each] of Object.entries(refused))
    assertRefused(await present(app, each), `${about} (${system.id})`)
})

test('P33: a user token without a session does not count as a service token', async (t) => {
  const app = await startTestApp(t)
  const { system, token } = await newAdmin(app)
  const { ec } = await signingKeys(app)
  const { sid: _, ...claims } = decoded(partsOf(token)[1])

  const refused = [
    await signWith(ec, claims),
    await signWith(ec, { ...claims, sid: null }),
    await signWith(ec, { ...claims, sub: system.clientId }), // the system may not use client credentials
  ]

  for (const each of refused) assertRefused(await present(app, each), each)
})

test('P34: no other token, code or cookie is accepted as an access token', async (t) => {
  const app = await startTestApp(t)
  const { system, user, tokens } = await newAdmin(app)
  const authorized = await app.authorize(system, { email: user.email, visitor: tokens.visitor })
  const cookies = [...authorized.visitor.jar.values()].map(({ value }) => value)
  const page = await app.newBrowser().get(`/auth?client_id=${system.clientId}`)
  const others: Record<string, string> = {
    'ID token': tokens.id_token,
    'refresh token': tokens.refresh_token ?? '',
    code: authorized.back.code ?? '',
    'client id': system.clientId,
    'client secret': system.clientSecret,
    sid: decoded(partsOf(tokens.access_token)[1]).sid,
    jti: decoded(partsOf(tokens.access_token)[1]).jti,
    'user id': user.id,
    'interaction id': page.headers.get('location')?.split('/').at(-1) ?? 'none',
    ...Object.fromEntries(cookies.map((cookie, at) => [`cookie ${at}`, cookie])),
  }

  assert.ok(cookies.length > 0)
  for (const [about, each] of Object.entries(others)) assertRefused(await present(app, each), about)
})

test('P34: a token is accepted only where RFC 6750 allows it', async (t) => {
  const app = await startTestApp(t)
  const { token } = await newAdmin(app)
  const visit = (path: string, headers: Record<string, string> = {}) =>
    app.newBrowser().get(path, { accept: 'application/json', ...headers })
  const headers = [
    {},
    { authorization: token },
    { authorization: `Basic ${token}` },
    { authorization: `Bearer ${token} x` },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${token},x` },
  ]

  for (const each of headers) {
    for (const path of [
      '/me',
      '/admin/memberships',
      `/me?access_token=${token}`,
      `/admin/memberships?access_token=${token}`,
    ]) {
      const answer = await visit(path, each as Record<string, string>)

      assert.ok(
        [400, 401].includes(answer.status),
        `${path} ${JSON.stringify(each).slice(0, 40)}: ${answer.status}`,
      )
      assert.match(answer.headers.get('www-authenticate') ?? '', /Bearer/)
      assert.equal(answer.body.sub ?? answer.body.data, undefined)
    }
  }
  assert.equal((await visit('/me', { authorization: `bEARER ${token}` })).status, 200)
  assert.equal((await visit('/admin/memberships', { authorization: `bEARER ${token}` })).status, 200)
})

test('P34: account administrators, users and services get no authority of another kind', async (t) => {
  const app = await startTestApp(t)
  const { token } = await newAdmin(app)
  const plain = await app.newMember()
  const ordinary = (await app.signIn(plain.system, plain.user as SignIn)).access_token
  const backend = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))

  const answers = [
    await app.as(token).post('/admin/systems', { name: 'Mine' }),
    await app.as(ordinary).get('/admin/memberships'),
  ]
  const service = await app.me(backend.token)

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body.code]),
    answers.map(() => [403, 'insufficient_authority']),
  )
  assert.deepEqual([service.status, service.body.error], [401, 'invalid_token'])
})
