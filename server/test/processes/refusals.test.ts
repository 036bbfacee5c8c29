/** The log of refused requests: exactly one line for each, with a reason of a closed set. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { ON_POSTGRES } from '../support/locks.ts'
import { logIn, loginPage, type RefusalLine, startWithRefusals } from '../support/refusals.ts'
import {
  type Answer,
  adminClient,
  authUrl,
  basicAuth,
  newPkce,
  PASSWORD,
  serviceToken,
  signInTo,
} from '../support/testing.ts'

test('each refused request of the API has one line with the id of its response and its error code', async (t) => {
  const server = await startWithRefusals(t)
  const { url, platform, system, newMember, linesOf } = server
  const { user } = await newMember()
  const { access_token: token } = await signInTo(url, system, { email: user.email })
  const service = adminClient(url, await serviceToken(url, system.clientId, system.clientSecret))
  const mail = `/admin/users/${user.id}/send-password-reset`
  const flood = async () => {
    for (let tries = 0; tries < 50; tries++) {
      const answer = await platform.post(mail)
      if (answer.status === 429) return answer
    }
    throw new Error('no limit')
  }
  const get = async (path: string, headers: Record<string, string>): Promise<Answer> => {
    const answer = await fetch(url + path, { headers })
    return { status: answer.status, headers: answer.headers, body: await answer.json() } as Answer
  }
  const cases: [string, () => Promise<Answer>, Partial<RefusalLine>][] = [
    ['no token', () => adminClient(url, '').get('/admin/users'), { reason: 'invalid_token', status: 401 }],
    ['a forged token', () => adminClient(url, `${token}x`).get('/admin/users'), { reason: 'invalid_token' }],
    [
      'no authority',
      () => adminClient(url, token).get('/admin/users'),
      { reason: 'insufficient_authority', status: 403, systemId: system.id, route: '/admin/users' },
    ],
    [
      'an operation of the platform',
      () => service.post('/admin/systems', { name: 'x' }),
      { reason: 'insufficient_authority', method: 'POST', systemId: system.id },
    ],
    [
      'no sign-in to the console',
      () => get('/console/api/admin/users', { 'tenantry-context': 'platform' }),
      { reason: 'sign_in_required', status: 401, route: '/console/api/admin/users' },
    ],
    [
      'too many emails',
      flood,
      { reason: 'too_many_requests', status: 429, route: '/admin/users/:userId/send-password-reset' },
    ],
  ]

  for (const [about, send, expected] of cases) {
    let answer: Answer | undefined
    const [line, ...more] = await linesOf(async () => {
      answer = await send()
    })
    assert.deepEqual([line?.kind, line?.level, more], ['request', 30, []], about)
    assert.deepEqual({ ...line, ...expected, reqId: answer!.body.requestId }, line, about)
  }
})

test('each refused sign-in has one line with the reason of its audit entry and its system', async (t) => {
  const server = await startWithRefusals(t)
  const { platform, system, newMember, newUser, join, linesOf } = server
  const { user } = await newMember()
  const disabled = (await newMember()).user
  await signInTo(server.url, system, { email: disabled.email })
  await platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  const blocked = await newMember()
  await platform.patch(`/admin/memberships/${blocked.membership.id}`, { status: 'blocked' })
  const pending = await newUser()
  await join(pending, { status: 'pending' })
  const nowhere = await newUser()
  const throttled = (await newMember()).user
  const guesses = async () => {
    for (let tries = 0; tries < 10; tries++) {
      const answer = await logIn(server, throttled.email, 'wrong')
      if (answer.status === 429) return
    }
    throw new Error('no limit')
  }
  const passkey = async () => {
    const { visitor, page } = await loginPage(server)
    const { action, csrf } = formOf(page)
    await visitor.post(action.replace(/login$/, 'passkey'), { csrf, passkey: '{}' })
  }
  const foreignForm = async () => {
    const { visitor, page } = await loginPage(server)
    await visitor.post(formOf(page).action, { csrf: 'x', email: user.email, password: PASSWORD })
  }
  const cases: [string, () => Promise<unknown>, string, string][] = [
    ['a wrong password', () => logIn(server, user.email, 'wrong'), 'sign_in', 'password'],
    ['an unknown address', () => logIn(server, 'nobody@example.test'), 'sign_in', 'unknown'],
    ['a disabled user', () => logIn(server, disabled.email), 'sign_in', 'disabled'],
    ['a blocked membership', () => logIn(server, blocked.user.email), 'sign_in', 'blocked'],
    ['a pending membership', () => logIn(server, pending.email), 'sign_in', 'pending'],
    ['no membership', () => logIn(server, nowhere.email), 'sign_in', 'none'],
    ['a foreign passkey', passkey, 'sign_in', 'passkey'],
    ['a form of another page', foreignForm, 'request', 'csrf_rejected'],
  ]

  for (const [about, send, kind, reason] of cases) {
    const [line, ...more] = await linesOf(send)
    assert.deepEqual([line?.kind, line?.reason, line?.level, more], [kind, reason, 30, []], about)
    if (kind === 'sign_in') assert.equal(line?.systemId, system.id, about)
    const { data } = (await platform.get(`/admin/audit?requestId=${line!.reqId}`)).body
    if (kind === 'sign_in') assert.equal(data[0]?.changes.reason?.[1], reason, about)
  }
  const tries = await linesOf(guesses)
  const last = tries.at(-1)!
  assert.deepEqual(
    [last.kind, last.reason, last.status, last.systemId],
    ['sign_in', 'throttled', 429, system.id],
  )
  assert.equal(new Set(tries.map(({ reqId }) => reqId)).size, tries.length)
})

/** The target and the CSRF token of the first form. */
function formOf(page: Answer): { action: string; csrf: string } {
  const body = String(page.body)
  const first = (pattern: RegExp) => pattern.exec(body)?.[1] ?? ''
  return { action: first(/<form[^>]*action="([^"]+)"/), csrf: first(/name="csrf" value="([^"]+)"/) }
}

test('each refused request of the protocol has one line with its OAuth error', async (t) => {
  const server = await startWithRefusals(t)
  const { url, system, linesOf } = server
  const as = { authorization: basicAuth(system) }
  const unknown = { authorization: basicAuth({ ...system, clientId: 'nobody' }) }
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams(fields), headers })
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } })
  const cases: [string, () => Promise<Response>, string, string][] = [
    [
      '/auth',
      () => get(`/auth?client_id=${system.clientId}&redirect_uri=https://x.example/&response_type=code`),
      'invalid_redirect_uri',
      '/auth',
    ],
    ['/auth of an unknown client', () => get('/auth?client_id=nobody'), 'invalid_client', '/auth'],
    [
      '/auth without a sign-in',
      () => get(authUrl(system, newPkce().challenge, { prompt: 'none' })),
      'login_required',
      '/auth',
    ],
    ['/auth/:uid', () => get('/auth/nothing'), 'invalid_request', '/auth/:uid'],
    [
      '/token',
      () => post('/token', { grant_type: 'refresh_token', refresh_token: 'y' }, as),
      'invalid_grant',
      '/token',
    ],
    [
      '/token of no client',
      () => post('/token', { grant_type: 'client_credentials' }),
      'invalid_request',
      '/token',
    ],
    [
      '/token of an unknown client',
      () => post('/token', { grant_type: 'client_credentials' }, unknown),
      'invalid_client',
      '/token',
    ],
    ['/me', () => get('/me', { authorization: 'Bearer nothing' }), 'invalid_token', '/me'],
    ['/request', () => post('/request', {}, unknown), 'invalid_client', '/request'],
    [
      '/token/introspection',
      () => post('/token/introspection', { token: 'x' }, unknown),
      'invalid_client',
      '/token/introspection',
    ],
    [
      '/token/revocation',
      () => post('/token/revocation', { token: 'x' }, unknown),
      'invalid_client',
      '/token/revocation',
    ],
    ['/device/auth', () => post('/device/auth', {}, unknown), 'invalid_client', '/device/auth'],
    [
      '/session/end',
      () => get(`/session/end?client_id=${system.clientId}&post_logout_redirect_uri=https://x.example/`),
      'invalid_request',
      '/session/end',
    ],
    [
      'a body that is too long',
      () => post('/token', { code: 'x'.repeat(20_000) }),
      'payload_too_large',
      '/token',
    ],
  ]

  for (const [about, send, reason, route] of cases) {
    let answer: Response | undefined
    const [line, ...more] = await linesOf(async () => {
      answer = await send()
    })
    assert.deepEqual([line?.kind, line?.reason, line?.route, more], ['protocol', reason, route, []], about)
    assert.equal(line?.status, answer!.status, about)
    if (answer!.status >= 400 && answer!.headers.get('content-type')?.includes('html'))
      assert.ok((await answer!.text()).includes(line!.reqId), about)
  }
})

test('a database fault has one line for each request, with the SQLSTATE', ON_POSTGRES, async (t) => {
  const server = await startWithRefusals(t)
  const { url, database, platform, system, linesOf } = server
  const blocker = new pg.Client({ connectionString: database!.url })
  await blocker.connect()
  await blocker.query('begin; lock table systems, users in access exclusive mode')
  const secrets = { client_id: system.clientId, client_secret: system.clientSecret }
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'y', ...secrets })

  const api = await linesOf(() => platform.get('/admin/users'))
  const protocol = await linesOf(() => fetch(`${url}/token`, { method: 'POST', body: form }))
  const page = await linesOf(() => fetch(url + authUrl(system, newPkce().challenge)))
  await blocker.end()

  for (const [lines, kind] of [
    [api, 'request'],
    [protocol, 'protocol'],
    [page, 'protocol'],
  ] as const) {
    const [line, ...more] = lines
    assert.deepEqual([line?.kind, line?.reason, line?.status, more], [kind, 'unavailable', 503, []])
    assert.deepEqual([line?.level, line?.fault?.code], [50, '55P03'])
  }
})
