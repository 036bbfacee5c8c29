import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gist } from '../../test/support/http.ts'
import { endGrace } from '../../test/support/system-cache.ts'
import { type Answer, basicAuth, codeFields, newBrowser, startTestApp } from '../../test/support/testing.ts'

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

type Sent = { path?: string; headers?: Record<string, string>; body?: Record<string, unknown> | string }

/** Posts a form to /token without adding client authentication. */
function send(url: string, { path = '/token', headers = {}, body = {} }: Sent): Promise<Answer> {
  const form =
    typeof body === 'string' ? body : new URLSearchParams(body as Record<string, string>).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  return newBrowser(url).request(path, { method: 'POST', headers: { ...type, ...headers }, body: form })
}

test('a client authenticates by Basic or in the body, and the body is a form or JSON', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const grant_type = 'client_credentials'
  const inBody = { grant_type, client_id: system.clientId, client_secret: system.clientSecret }
  const json = { 'content-type': 'application/json' }
  const byBasic = { authorization: basicAuth(system) }

  const answers = [
    await send(url, { headers: byBasic, body: { grant_type } }),
    await send(url, {
      headers: { authorization: byBasic.authorization.replace('Basic', 'bAsIc') },
      body: { grant_type },
    }),
    await send(url, { headers: byBasic, body: { grant_type, client_id: system.clientId } }),
    await send(url, { body: inBody }),
    await send(url, { headers: { ...json, ...byBasic }, body: JSON.stringify({ grant_type }) }),
    await send(url, { headers: json, body: JSON.stringify(inBody) }),
    await send(url, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(inBody),
    }),
    await send(url, {
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
      body: inBody,
    }),
  ]

  answers.forEach((answer, at) => {
    assert.deepEqual(
      [answer.status, answer.body.token_type],
      [200, 'Bearer'],
      `${at}: ${JSON.stringify(answer.body)}`,
    )
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })
})

test('P20: failed client authentication is invalid_client, unknown client or wrong secret', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const [system, other] = [
    await newSystem({ allowClientCredentials: true }),
    await newSystem({ allowClientCredentials: true }),
  ]
  const open = await newSystem({ clientType: 'public' })
  const { clientId: client_id, clientSecret } = system
  const body = { grant_type: 'client_credentials' }
  const refused: Sent[] = [
    { headers: { authorization: basic(`unknown:${clientSecret}`) }, body },
    { headers: { authorization: basic(`${client_id}:wrong`) }, body },
    { headers: { authorization: basic(`${client_id}:${other.clientSecret}`) }, body },
    { headers: { authorization: basic(`${client_id}:${clientSecret.toUpperCase()}`) }, body },
    { headers: { authorization: basic(`${client_id.toUpperCase()}:${clientSecret}`) }, body },
    { headers: { authorization: basic(`${client_id}:-`) }, body },
    { headers: { authorization: basic(`${open.clientId}:-`) }, body },
    { body: { ...body, client_id, client_secret: 'wrong' } },
    { body: { ...body, client_id: 'unknown', client_secret: 'wrong' } },
    { body: { ...body, client_id: '\0', client_secret: 'wrong' } },
    { body: { ...body, client_id } },
    { body: { ...body, client_id, client_secret: '' } },
  ]
  const without = await send(url, { body })

  const answers = await Promise.all(refused.map((each) => send(url, each)))

  answers.forEach((answer, at) => {
    assert.deepEqual(gist(answer), [401, 'invalid_client'], `${at}: ${JSON.stringify(answer.body)}`)
  })
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
  assert.deepEqual(gist(without), [401, 'invalid_client'])
  assert.match(answers[0]?.headers.get('www-authenticate') ?? '', /^Basic realm="/)
})

test('P20: malformed or multiple client authentication is invalid_request', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const [system, other] = [
    await newSystem({ allowClientCredentials: true }),
    await newSystem({ allowClientCredentials: true }),
  ]
  const { clientId: client_id, clientSecret: client_secret } = system
  const grant_type = 'client_credentials'
  const authorization = basicAuth(system)
  const refused: Sent[] = [
    { headers: { authorization: basic(`${client_id}:`) }, body: { grant_type } },
    { headers: { authorization: basic(client_id) }, body: { grant_type } },
    { headers: { authorization: basic(':') }, body: { grant_type } },
    { headers: { authorization: 'Basic' }, body: { grant_type } },
    { headers: { authorization: `${authorization}!` }, body: { grant_type } },
    { headers: { authorization: `Basic  ${authorization.slice(6)}` }, body: { grant_type } },
    { headers: { authorization: basic(`${client_id}:%zz`) }, body: { grant_type } },
    { headers: { authorization: basic(`${client_id}:\xff\xfe`) }, body: { grant_type } },
    { headers: { authorization: `Bearer ${client_secret}` }, body: { grant_type, client_id } },
    { headers: { authorization }, body: { grant_type, client_id: other.clientId } },
    {
      headers: { authorization },
      body: { grant_type, client_id: other.clientId, client_secret: other.clientSecret },
    },
    { headers: { authorization }, body: { grant_type, client_id, client_secret } },
    {
      body: `grant_type=${grant_type}&client_id=${client_id}&client_id=${other.clientId}&client_secret=${client_secret}`,
    },
    {
      body: `grant_type=${grant_type}&client_id=${client_id}&client_secret=${client_secret}&client_secret=x`,
    },
    { path: `/token?client_id=${client_id}&client_secret=${client_secret}`, body: { grant_type } },
    {
      path: `/token?client_id=${client_id}&client_secret=${client_secret}&grant_type=${grant_type}`,
      body: '',
    },
    { path: `/token?client_secret=${client_secret}`, body: { grant_type, client_assertion: 'x', client_id } },
  ]

  const answers = await Promise.all(refused.map((each) => send(url, each)))

  answers.forEach((answer, at) => {
    assert.ok([400, 401].includes(answer.status), `${at}: ${answer.status}`)
    assert.match(answer.body.error, /^invalid_(request|client)$/, `${at}: ${JSON.stringify(answer.body)}`)
    assert.ok(!JSON.stringify(answer.body).includes(client_secret))
  })
})

test('a body that is neither a form nor a flat JSON object is an OAuth error', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const authorization = basicAuth(system)
  const json = (body: string, type = 'application/json') =>
    send(url, { headers: { authorization, 'content-type': type }, body })
  const good = '{"grant_type":"client_credentials"}'

  const answers = [
    await json('{'),
    await json('[]'),
    await json('null'),
    await json('"grant_type=client_credentials"'),
    await json('{"grant_type":{"$ne":null}}'),
    await json('{"grant_type":1}'),
    await json('{"grant_type":null}'),
    await json('{"grant_type":["client_credentials","client_credentials"]}'),
    await json('{"__proto__":{"grant_type":"client_credentials"}}'),
    await json('{"grant_type":"client_credentials\\u0000"}'),
    await json('{"grant_type":"\\ud800"}'),
    await json(good, 'application/json; charset=utf-7'),
    await json(good, 'text/plain'),
    await json(good, 'application/xml'),
    await json(good, ''),
    await json(`{"grant_type":"client_credentials","x":"${'x'.repeat(20_000)}"}`),
    await send(url, {
      headers: { authorization },
      body: `grant_type=client_credentials&x=${'x'.repeat(20_000)}`,
    }),
    await send(url, {
      headers: { authorization },
      body: 'grant_type=client_credentials&grant_type=refresh_token',
    }),
    await send(url, { headers: { authorization }, body: '%' }),
    await send(url, { headers: { authorization }, body: '' }),
    await send(url, { headers: { authorization, 'content-encoding': 'gzip' }, body: 'grant_type=x' }),
    await send(url, { headers: { authorization, 'content-encoding': 'x' }, body: { grant_type: 'x' } }),
  ]

  answers.forEach((answer, at) => {
    assert.ok([400, 413, 415].includes(answer.status), `${at}: ${answer.status}`)
    assert.match(
      answer.body.error,
      /^(invalid_request|unsupported_grant_type)$/,
      `${at}: ${JSON.stringify(answer.body)}`,
    )
    assert.equal(answer.headers.get('cache-control'), 'no-store', String(at))
  })
})

test('P20: only the client that a code was issued to can exchange it', async (t) => {
  const { url, newMember, newSystem, authorize, token } = await startTestApp(t)
  const [{ system, user }, other, open] = [
    await newMember(),
    await newSystem(),
    await newSystem({ clientType: 'public' }),
  ]
  const authorized = await authorize(system, user)
  const fields = codeFields(system, authorized)

  const foreign = [await token(other, fields), await token(open, fields)]
  const withoutSecret = await send(url, { body: { ...fields, client_id: system.clientId } })
  const own = await token(system, fields)

  assert.deepEqual(foreign.map(gist), [
    [400, 'invalid_grant'],
    [400, 'invalid_grant'],
  ])
  assert.deepEqual(gist(withoutSecret), [401, 'invalid_client'])
  assert.equal(own.status, 200)
})

test('a public client needs no secret and is refused if it sends one', async (t) => {
  const { url, newMember, authorize, token, refresh } = await startTestApp(t)
  const { system, user } = await newMember({ clientType: 'public' })
  const authorized = await authorize(system, user)
  const fields = { ...codeFields(system, authorized), client_id: system.clientId }

  const proofs = [
    await send(url, { body: { ...fields, client_secret: 'x' } }),
    await send(url, { headers: { authorization: basic(`${system.clientId}:x`) }, body: fields }),
  ]
  const tokens = await token(system, fields)
  const refreshed = await refresh(system, tokens.body.refresh_token)

  assert.equal(system.clientSecret, undefined)
  assert.deepEqual(proofs.map(gist), [
    [401, 'invalid_client'],
    [401, 'invalid_client'],
  ])
  assert.deepEqual([tokens.status, refreshed.status], [200, 200])
})

test('P38: after a rotation the new secret works and the old one only in the grace period', async (t) => {
  const { url, db, platform, newSystem } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const rotate = async (body: object) =>
    (await platform.post(`/admin/systems/${system.id}/rotate-secret`, body)).body
  const use = async (clientSecret: string) => {
    const authorization = basicAuth({ ...system, clientSecret })
    return gist(await send(url, { headers: { authorization }, body: { grant_type: 'client_credentials' } }))
  }

  const second = (await rotate({ graceSeconds: 3_600 })).clientSecret
  const during = [await use(system.clientSecret), await use(second)]
  await endGrace(db, system)
  const after = [await use(system.clientSecret), await use(second)]
  const third = (await rotate({})).clientSecret
  const without = [await use(second), await use(third)]

  const [good, dead] = [
    [200, undefined],
    [401, 'invalid_client'],
  ]
  assert.deepEqual(during, [good, good])
  assert.deepEqual(after, [dead, good])
  assert.deepEqual(without, [dead, good])
})

test('P24: only confidential systems with the flag get a service token', async (t) => {
  const { platform, newSystem, token } = await startTestApp(t)
  const [closed, open] = [await newSystem(), await newSystem({ clientType: 'public' })]
  const ask = (system: typeof closed, more = {}) =>
    token(system, { grant_type: 'client_credentials', ...more })

  const refused = [
    await ask(closed),
    await ask(closed, { scope: 'openid' }),
    await ask(closed, { resource: 'https://x.example' }),
    await ask(open),
  ]
  await platform.patch(`/admin/systems/${closed.id}`, { allowClientCredentials: true })
  const allowed = await ask(closed)
  await platform.patch(`/admin/systems/${closed.id}`, { allowClientCredentials: false })
  const again = await ask(closed)

  assert.deepEqual(
    refused.map(gist),
    refused.map(() => [400, 'unauthorized_client']),
  )
  assert.deepEqual([allowed.status, gist(again)], [200, [400, 'unauthorized_client']])
})

test('P24: a service token is rejected at /admin once the flag is removed', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })
  const service = await serviceOf(system)
  const before = await service.get(`/admin/systems/${system.id}`)

  await platform.patch(`/admin/systems/${system.id}`, { allowClientCredentials: false })
  const after = await service.get(`/admin/systems/${system.id}`)

  assert.deepEqual([before.status, after.status, after.body.code], [200, 401, 'invalid_token'])
})

test('P24: a service token has the claims of its system only, and comes without others', async (t) => {
  const { url, newMember, token, me } = await startTestApp(t)
  const { system, membership, user } = await newMember({ allowClientCredentials: true })
  const wishes = {
    account_id: membership.accountId,
    sub: user.id,
    is_admin: 'false',
    roles: 'owner',
    sid: 'x',
    aud: 'https://evil.example',
    client: 'x',
  }

  const { body, status } = await token(system, { grant_type: 'client_credentials', ...wishes })

  const claims = claimsOf(body.access_token)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'token_type'])
  assert.deepEqual(Object.keys(claims).sort(), [
    'aud',
    'client_id',
    'exp',
    'iat',
    'is_admin',
    'iss',
    'jti',
    'roles',
    'sub',
  ])
  assert.deepEqual(
    [claims.sub, claims.client_id, claims.is_admin, claims.roles],
    [system.clientId, system.clientId, true, []],
  )
  assert.deepEqual([claims.iss, claims.aud, claims.exp - claims.iat], [url, [system.clientId, url], 600])
  assert.equal((await me(body.access_token)).status, 401)
})

test('P24: a service token is refused if a scope is requested', async (t) => {
  const { newSystem, token } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })

  for (const scope of [
    'openid',
    'openid offline_access',
    'admin',
    '*',
    'openid offline_access admin *',
    '"',
    'é',
  ]) {
    const { status, body } = await token(system, { grant_type: 'client_credentials', scope })

    assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope)
  }
})

test('P24: a service token for another audience is refused as invalid_target', async (t) => {
  const { newSystem, token } = await startTestApp(t)
  const system = await newSystem({ allowClientCredentials: true })

  for (const resource of ['https://evil.example', 'urn:x:y', 'not an address', 'http://localhost:1/#f']) {
    const answer = await token(system, { grant_type: 'client_credentials', resource })

    assert.deepEqual(gist(answer), [400, 'invalid_target'], resource)
  }
})

test('P24: grant types that are not supported are unsupported_grant_type', async (t) => {
  const { newMember, token } = await startTestApp(t)
  const { system, user } = await newMember({ allowClientCredentials: true, allowDeviceFlow: true })
  const unsupported = [
    'password',
    'implicit',
    'x',
    'CLIENT_CREDENTIALS',
    'client_credentials ',
    '__proto__',
    'constructor',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:saml2-bearer',
    'urn:openid:params:grant-type:ciba',
  ]
  const more = { username: user.email, password: 'x', assertion: 'x', subject_token: 'x', auth_req_id: 'x' }

  const answers = await Promise.all(unsupported.map((grant_type) => token(system, { grant_type, ...more })))
  const device = await token(system, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: 'unknown',
  })

  assert.deepEqual(
    answers.map(gist),
    answers.map(() => [400, 'unsupported_grant_type']),
  )
  assert.deepEqual(gist(device), [400, 'invalid_grant'])
})
