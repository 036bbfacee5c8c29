import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type TestContext, test } from 'node:test'
import {
  type Answer,
  authUrl,
  basicAuth,
  codeFields,
  formOf,
  newPkce,
  startTestApp,
} from '../../test/support/testing.ts'

const REGISTERED = 'https://app.example/cb'

/** Variants of the registered redirect URI. */
const OTHERS = [
  `${REGISTERED}/`,
  `${REGISTERED}/../cb`,
  `${REGISTERED}/..;/cb`,
  'https://app.example/x/../cb',
  `${REGISTERED}?x=1`,
  `${REGISTERED}?`,
  `${REGISTERED}#f`,
  `${REGISTERED}#`,
  'https://app.example/%63b',
  'https://app.example/cb%2e',
  'https://app.example/cb%00',
  'https://APP.example/cb',
  'HTTPS://app.example/cb',
  'http://app.example/cb',
  'https://app.example:443/cb',
  'https://app.example:8443/cb',
  'https://app.example@evil.example/cb',
  'https://user@app.example/cb',
  'https://evil.example@@app.example/cb',
  'https://app.example\\@evil.example/cb',
  'https://app.example\\.evil.example/cb',
  'https://app.example.evil.example/cb',
  'https://evil.example/https://app.example/cb',
  'https://sub.app.example/cb',
  'https://app.example/CB',
  'https://app.example//cb',
  ` ${REGISTERED}`,
  `${REGISTERED} `,
  `${REGISTERED}\r\nlocation: https://evil.example`,
  '//evil.example/cb',
  'https://evil.example/cb',
  'javascript:alert(1)',
  'data:text/html,x',
  'app.example/cb',
  '/cb',
  '*',
  '',
  `${REGISTERED}${'a'.repeat(4_000)}`,
]

/** The parameters of an authorization response, in query or fragment. */
function sentBack(answer: Answer): { to: string; parameters: Record<string, string> } {
  const address = new URL(answer.headers.get('location') ?? 'about:blank')
  const parameters = new URLSearchParams(address.hash ? address.hash.slice(1) : address.search)
  return { to: `${address.origin}${address.pathname}`, parameters: Object.fromEntries(parameters) }
}

/** Asserts an error page without a redirect. */
function assertOwnPage(answer: Answer, about: string): void {
  assert.equal(answer.status, 400, about)
  assert.equal(answer.headers.get('location'), null, about)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, about)
  assert.doesNotMatch(String(answer.body), /(href|src|action)="(?!\/|data:|https?:\/\/localhost)/, about)
  assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, about)
  assert.equal(answer.headers.get('cache-control'), 'no-store', about)
}

test('P14: a redirect_uri that is not exactly a registered one gets an error page', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem({ redirectUris: [REGISTERED] })

  for (const redirect_uri of OTHERS) {
    const answer = await newBrowser().get(authUrl(system, newPkce().challenge, { redirect_uri }))

    assertOwnPage(answer, JSON.stringify(redirect_uri))
    assert.match(String(answer.body), /redirect_uri/, redirect_uri)
  }
})

test('P14: no other error and no prompt=none redirects to an unregistered URI', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem({ redirectUris: [REGISTERED] })
  const faults = [
    { prompt: 'none' },
    { prompt: 'unknown' },
    { code_challenge: undefined },
    { scope: 'unknown' },
    { response_type: 'token' },
    { response_mode: 'web_message' },
    { response_mode: 'form_post' },
    { max_age: '-1' },
    { request: 'x' },
  ]

  for (const fault of faults) {
    const url = authUrl(system, newPkce().challenge, { redirect_uri: 'https://evil.example/cb', ...fault })

    assertOwnPage(await newBrowser().get(url), JSON.stringify(fault))
  }
})

test('P14: a missing or repeated redirect_uri is refused', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem({ redirectUris: [REGISTERED] })
  const url = authUrl(system, newPkce().challenge)

  const answers = [
    await newBrowser().get(authUrl(system, newPkce().challenge, { redirect_uri: undefined })),
    await newBrowser().get(`${url}&redirect_uri=${encodeURIComponent('https://evil.example/cb')}`),
    await newBrowser().get(`${url}&redirect_uri=${encodeURIComponent(REGISTERED)}`),
  ]

  answers.forEach((answer, at) => {
    assertOwnPage(answer, String(at))
  })
})

test('P14: an unknown or malformed client_id gets an error page', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem({ redirectUris: [REGISTERED] })

  for (const client_id of [
    'unknown',
    '',
    '\0',
    '%00',
    `${system.clientId} `,
    system.clientId.toUpperCase(),
    undefined,
  ]) {
    const answer = await newBrowser().get(authUrl(system, newPkce().challenge, { client_id }))

    assertOwnPage(answer, String(client_id))
    assert.match(String(answer.body), /client/, client_id)
  }
})

test('a native app on loopback may use any port, and no other path or host', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem({ redirectUris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] })
  const ask = (redirect_uri: string) =>
    newBrowser().get(authUrl(system, newPkce().challenge, { redirect_uri }))

  const taken = await Promise.all(
    ['http://127.0.0.1:5000/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'].map(ask),
  )
  const refused = [
    'http://127.0.0.1:5000/',
    'http://localhost:5000/cb',
    'https://127.0.0.1:5000/cb',
    'com.example.app:/cb2',
  ]

  assert.deepEqual(
    taken.map((answer) => [answer.status, /\/interaction\//.test(answer.headers.get('location') ?? '')]),
    taken.map(() => [303, true]),
  )
  for (const uri of refused) assertOwnPage(await ask(uri), uri)
})

test('P14: a code is exchanged with the redirect_uri it was issued for', async (t) => {
  const { newMember, authorize, token } = await startTestApp(t)
  const second = 'https://app.example/other'
  const { system, user } = await newMember({ redirectUris: [REGISTERED, second] })
  const authorized = await authorize(system, user)
  const exchange = (fields: object) => token(system, { ...codeFields(system, authorized), ...fields })

  const others = [
    second,
    `${REGISTERED}/`,
    `${REGISTERED}?`,
    'https://evil.example/cb',
    'https://APP.example/cb',
  ]
  const wrong = await Promise.all(others.map((redirect_uri) => exchange({ redirect_uri })))
  const missing = await exchange({ redirect_uri: '' })
  const right = await exchange({})

  assert.deepEqual(
    wrong.map((answer) => [answer.status, answer.body.error]),
    wrong.map(() => [400, 'invalid_grant']),
  )
  assert.deepEqual([missing.status, missing.body.error], [400, 'invalid_request'])
  assert.equal(right.status, 200, 'a refused exchange uses nothing up')
})

test('the authorization response has iss and returns the state unchanged', async (t) => {
  const { url, newMember, authorize } = await startTestApp(t)
  const { system, user } = await newMember()
  const state = 'a b&c=d#e%é"<>'

  const { back, page } = await authorize(system, { email: user.email, parameters: { state } })

  assert.deepEqual([back.state, back.iss, typeof back.code], [state, url, 'string'])
  assert.deepEqual([page.status, page.headers.get('cache-control')], [303, 'no-store'])
})

test('P32: other response types than code are an error without tokens', async (t) => {
  const { newMember, authorize, newBrowser } = await startTestApp(t)
  const { system, user } = await newMember()
  const signedIn = (await authorize(system, user)).visitor
  const types = [
    'token',
    'id_token',
    'none',
    'code token',
    'code id_token',
    'id_token token',
    'code id_token token',
    'x',
  ]

  for (const response_type of types) {
    for (const browser of [signedIn, newBrowser()]) {
      const answer = await browser.get(authUrl(system, newPkce().challenge, { response_type }))

      const { to, parameters } = sentBack(answer)
      assert.deepEqual([to, parameters.error], [REGISTERED, 'unsupported_response_type'], response_type)
      assert.deepEqual(
        Object.keys(parameters).sort(),
        ['error', 'error_description', 'iss', 'state'],
        response_type,
      )
    }
  }
  const missing = sentBack(
    await signedIn.get(authUrl(system, newPkce().challenge, { response_type: undefined })),
  )
  assert.deepEqual([missing.to, missing.parameters.error], [REGISTERED, 'invalid_request'])
})

test('P32: an unsupported response mode is refused', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const system = await newSystem()

  for (const response_mode of [
    'web_message',
    'jwt',
    'query.jwt',
    'fragment.jwt',
    'form_post.jwt',
    'x',
    'query ',
  ]) {
    const answer = await newBrowser().get(authUrl(system, newPkce().challenge, { response_mode }))

    const { to, parameters } = sentBack(answer)
    assert.deepEqual([to, parameters.error], [REGISTERED, 'unsupported_response_mode'], response_mode)
  }
})

test('form_post sends the code in a form, and the CSP allows that target only', async (t) => {
  const { newMember, authorize } = await startTestApp(t)
  const { system, user } = await newMember({ skipConsent: true })
  const { visitor } = await authorize(system, user)

  const answer = await visitor.get(
    authUrl(system, newPkce().challenge, { response_mode: 'form_post', state: '"><script>x' }),
  )

  assert.equal(answer.status, 200)
  assert.match(String(answer.body), /action="https:\/\/app\.example\/cb"/)
  assert.match(String(answer.body), /name="code" value="[\w-]{43}"/)
  assert.doesNotMatch(String(answer.body), /"><script>x/)
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('form_post sends every error in a form with status 200, and the refusal is audited', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const form_post = { response_mode: 'form_post' }
  const signedIn = await app.authorize(system, user)
  const at = (more: Record<string, string>) =>
    app.newBrowser().get(authUrl(system, newPkce().challenge, { ...form_post, ...more }))

  const cancelled = app.newBrowser()
  const login = await cancelled.follow(await cancelled.get(authUrl(system, newPkce().challenge, form_post)))
  const uid = /interaction\/([\w-]+)\//.exec(String(login.body))?.[1]
  const { hidden } = formOf(login)
  const answers = {
    login_required: await at({ prompt: 'none' }),
    invalid_scope: await at({ scope: 'openid\temail' }),
    invalid_request: await at({ max_age: 'x' }),
    access_denied: await cancelled.follow(await cancelled.post(`/interaction/${uid}/abort`, hidden)),
  }
  const foreign = await signedIn.visitor.get(
    authUrl(system, newPkce().challenge, { ...form_post, account_id: crypto.randomUUID() }),
  )

  for (const [error, { status, body }] of Object.entries({ ...answers, foreign })) {
    assert.deepEqual([error, status], [error, 200])
    assert.match(String(body), /<form method="post" action="https:\/\/app\.example\/cb">/)
    if (error !== 'foreign') assert.match(String(body), new RegExp(`name="error" value="${error}"`))
  }
  const refused = await app.audited({ targetId: user.id, action: 'sign_in.refused' })
  assert.deepEqual(
    refused.map(({ changes }) => changes),
    [{ reason: [null, 'foreign'] }],
  )
})

/** Counts connections to a server in the internal network. */
async function listenFor(t: TestContext): Promise<{ address: string; connections: () => number }> {
  let connections = 0
  const server: Server = createServer((_request, response) => void response.end('{}'))
  server.on('connection', () => {
    connections++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  return { address: `http://127.0.0.1:${port}/`, connections: () => connections }
}

test('P32: unsigned request objects and registration are refused, without any fetch', async (t) => {
  const { newSystem, newBrowser } = await startTestApp(t)
  const { address, connections } = await listenFor(t)
  const system = await newSystem()
  const none = (claims: object) =>
    `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
  const request = none({
    client_id: system.clientId,
    redirect_uri: 'https://evil.example/cb',
    response_type: 'code',
  })
  const refused: [Record<string, string>, string[]][] = [
    [{ request_uri: address }, ['request_uri_not_supported', 'invalid_request_uri']],
    [{ request_uri: 'http://169.254.169.254/latest' }, ['request_uri_not_supported', 'invalid_request_uri']],
    [{ request_uri: 'urn:ietf:params:oauth:request_uri:unknown' }, ['invalid_request_uri']],
    [{ request }, ['invalid_request_object']],
    [
      { registration: JSON.stringify({ client_name: 'x', jwks_uri: address }) },
      ['registration_not_supported'],
    ],
  ]

  for (const [parameters, errors] of refused) {
    const answer = await newBrowser().get(authUrl(system, newPkce().challenge, parameters))

    const { to, parameters: back } = sentBack(answer)
    if (answer.status === 400) {
      assertOwnPage(answer, JSON.stringify(parameters))
      assert.ok(
        errors.some((error) => String(answer.body).includes(error)),
        `${errors} in ${answer.body}`,
      )
    } else {
      assert.equal(to, REGISTERED)
      assert.ok(errors.includes(back.error ?? ''), `${JSON.stringify(parameters)}: ${back.error}`)
    }
  }
  const unclaimed = await newBrowser().get(
    authUrl(system, newPkce().challenge, { client_id: `${address}client.json` }),
  )
  assertOwnPage(unclaimed, 'a client id that is an address')
  assert.equal(connections(), 0)
})

test('a pushed request follows the same rules, works once and for its own client', async (t) => {
  const { url, newMember, newSystem, authorize, newBrowser } = await startTestApp(t)
  const { system, user } = await newMember({ skipConsent: true })
  const other = await newSystem()
  const { visitor: browser } = await authorize(system, user)
  const push = (more: Record<string, string | undefined> = {}) =>
    newBrowser().request('/request', {
      method: 'POST',
      headers: { authorization: basicAuth(system), accept: 'application/json' },
      body: new URL(authUrl(system, newPkce().challenge, more), url).searchParams,
    })
  const use = (client: { clientId: string }, request_uri: string) =>
    browser.get(`/auth?${new URLSearchParams({ client_id: client.clientId, request_uri })}`)

  const evil = await push({ redirect_uri: 'https://evil.example/cb' })
  const unchallenged = await push({ code_challenge: undefined })
  const pushed = (await push()).body.request_uri
  const foreign = await use(other, pushed)
  const answers = [await use(system, pushed), await use(system, pushed)]

  assert.deepEqual([evil.status, unchallenged.status], [400, 400])
  assertOwnPage(foreign, 'of another client')
  assert.match(sentBack(answers[0]!).parameters.code ?? '', /^[\w-]{43}$/)
  assert.equal(sentBack(answers[1]!).parameters.code, undefined)
})
