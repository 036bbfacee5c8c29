import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pathsOf } from '../../../test/support/http.ts'
import { startTestApp } from '../../../test/support/testing.ts'

const GOOD = [
  'https://app.example',
  'https://app.example/cb?from=login',
  'https://APP.example:8443/@me/cb;v=1',
  'https://localhost:3000/cb',
  'http://localhost',
  'http://localhost:8080/cb',
  'http://127.0.0.1/cb',
  'http://[::1]:9000/cb',
  'https://xn--bcher-kva.example/cb',
]
const IN_APP = ['com.example.app:/cb', 'com.example.app://cb', 'com.example-app.v2:/cb?x=1']
const BAD = [
  'javascript:alert(1)',
  'JavaScript:alert(1)//https://app.example',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://app.example/x',
  'about:blank',
  'ftp://app.example/',
  'myapp:/cb',
  'com.example.app:cb',
  'com.example.app://user@cb',
  'com.example.app:/cb#x',
  'com.example.*:/cb',
  'http://app.example/',
  'http://localhost.evil.example/',
  'http://127.0.0.2/',
  'http://127.1/',
  'http://0x7f000001/',
  'https://*',
  'https://*.app.example/cb',
  'https://app.example/*',
  'https://app.example/#f',
  'https://app.example/#',
  'https://user@app.example/',
  'https://user:pass@app.example/',
  'https://@app.example/',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https:///app.example/cb',
  'https://',
  'https://app.example:99999/',
  'https://app.example\\@evil.example/',
  'https://app.example\\cb',
  'https://%61pp.example/',
  "https://app.example;script-src'unsafe-inline'/",
  'https://app.example,evil.example/',
  'https://bücher.example/',
  'https://app.example/ cb',
  ' https://app.example/',
  'https://app.exa\nmple/',
  'https://app.example/%',
  'https://app.example/%0',
  'https://app.example/<script>',
  'https://app.example/"',
  '//app.example/cb',
  '/cb',
  '',
  'app.example',
  `https://app.example/${'x'.repeat(1_981)}`,
]

const at = (field: string, places: number[]) => places.map((place) => `/${field}/${place}`)

test('P15: https, loopback http and private-use schemes are accepted unchanged', async (t) => {
  const { platform } = await startTestApp(t)
  const inApp = [
    'https://app.example/cb',
    'http://localhost/cb',
    ...IN_APP,
    `https://app.example/${'x'.repeat(1_980)}`,
  ]

  const answers = [
    await platform.post('/admin/systems', { name: 'Web', redirectUris: GOOD, postLogoutRedirectUris: GOOD }),
    await platform.post('/admin/systems', {
      name: 'App',
      redirectUris: inApp,
      postLogoutRedirectUris: inApp,
    }),
  ]

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.redirectUris, body.postLogoutRedirectUris]),
    [
      [201, GOOD, GOOD],
      [201, inApp, inApp],
    ],
  )
})

test('P15: any other URI is refused by position, on creation and change', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const shop = await newSystem({ redirectUris: ['https://shop.example/cb'] })

  for (const field of ['redirectUris', 'postLogoutRedirectUris']) {
    const body = { [field]: [GOOD[0], ...BAD, GOOD[1]] }
    const answers = [
      await platform.post('/admin/systems', { name: 'Bad', ...body }),
      await platform.patch(`/admin/systems/${shop.id}`, body),
    ]
    assert.deepEqual(
      answers.map((answer) => [answer.status, pathsOf(answer)]),
      answers.map(() => [
        400,
        at(
          field,
          BAD.map((_, place) => place + 1),
        ),
      ]),
    )
  }

  assert.deepEqual((await platform.get(`/admin/systems/${shop.id}`)).body.redirectUris, [
    'https://shop.example/cb',
  ])
})

test('P15: the back-channel URI is public https, or private if allowed, and removable', async (t) => {
  const { platform, newSystem } = await startTestApp(t, { BASE_URL: 'https://id.example.test' })
  const open = await startTestApp(t, { WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { id } = await newSystem()
  const setAt = (admin: typeof platform) => (backchannelLogoutUri: unknown) =>
    admin.patch(`/admin/systems/${id}`, { backchannelLogoutUri })
  const set = setAt(platform)
  const inside = ['http://127.0.0.1:4000/out', 'https://localhost/out', 'https://10.0.0.1/', 'https://[::1]/']

  const refused = await Promise.all([...BAD, ...IN_APP, ...inside].map(set))
  const taken = [
    await set('https://app.example/out'),
    await setAt(open.platform)('http://127.0.0.1:4000/out'),
    await set(null),
  ]

  assert.deepEqual(
    refused.map((answer) => [answer.status, pathsOf(answer)]),
    refused.map(() => [400, ['/backchannelLogoutUri']]),
  )
  assert.deepEqual(
    taken.map((answer) => answer.body.backchannelLogoutUri),
    ['https://app.example/out', 'http://127.0.0.1:4000/out', null],
  )
})

test('P15: a list has at most 100 URIs of at most 2,000 characters', async (t) => {
  const { platform } = await startTestApp(t)
  const full = Array.from(
    { length: 100 },
    (_, place) => `https://app.example/${String(place).padEnd(1_980, 'x')}`,
  )
  const lists = [
    full,
    [...full, 'https://app.example/'],
    Array(10_000).fill('https://app.example/'),
    ['x'.repeat(1_000_000)],
    null,
  ]

  const answers = await Promise.all(
    lists.map((redirectUris) => platform.post('/admin/systems', { name: 'Many', redirectUris })),
  )

  assert.deepEqual(
    answers.map((answer) => answer.status),
    [201, 400, 400, 413, 400],
  )
})

test('a system cannot have both a private-use scheme and an https loopback URI', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const web = await newSystem({ redirectUris: ['https://localhost:3000/cb'] })

  const answers = [
    await platform.post('/admin/systems', {
      name: 'Mixed',
      redirectUris: ['https://localhost/cb', IN_APP[0]],
    }),
    await platform.patch(`/admin/systems/${web.id}`, { postLogoutRedirectUris: [IN_APP[0]] }),
  ]

  assert.deepEqual(
    answers.map((answer) => [answer.status, pathsOf(answer)]),
    answers.map(() => [400, ['/redirectUris']]),
  )
  assert.deepEqual((await platform.get(`/admin/systems/${web.id}`)).body.postLogoutRedirectUris, [])
})

test('P15: a sign-in starts with every URI that can be registered', async (t) => {
  const { platform, newBrowser } = await startTestApp(t)
  const host = fc.oneof(
    fc.domain(),
    fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'a_b.example', '[::2]', 'localhost.'),
  )
  const path = fc.string({ unit: fc.constantFrom(...'/?a;=%20.~@&:'), maxLength: 12 })
  const plausible = fc
    .tuple(
      fc.constantFrom('https', 'http', 'HTTPS', 'com.example.app', 'a.b'),
      fc.constantFrom('://', ':/', ':'),
      host,
      fc.constantFrom('', ':', ':0', ':443', ':8080'),
      path,
    )
    .map(([scheme, mark, name, port, rest]) => `${scheme}${mark}${name}${port}${rest}`)
  const anything = fc.oneof(
    { weight: 6, arbitrary: plausible },
    { weight: 4, arbitrary: fc.constantFrom(...GOOD, ...IN_APP) },
    fc.webUrl(),
    fc.string(),
  )
  let begun = 0

  await fc.assert(
    fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 2 }), async (redirectUris) => {
      const created = await platform.post('/admin/systems', { name: 'Any', redirectUris })
      assert.ok(created.status === 201 || created.status === 400, JSON.stringify(created.body))
      if (created.status === 400) return
      for (const uri of redirectUris) {
        const query = new URLSearchParams({
          client_id: created.body.clientId,
          redirect_uri: uri,
          response_type: 'code',
          scope: 'openid',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          code_challenge_method: 'S256',
        })
        const begin = await newBrowser().get(`/auth?${query}`)
        assert.deepEqual(
          [begin.status, /\/interaction\//.test(String(begin.headers.get('location')))],
          [303, true],
          `${uri}: ${JSON.stringify(begin.body)}`,
        )
        begun += 1
      }
    }),
    { numRuns: 200 },
  )

  assert.ok(begun > 20, `only ${begun} addresses were taken: the property says too little`)
})
