/** Authorization requests that cannot be served. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

test('P41: a request to /auth of any size or shape is answered without a 5xx', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember()
  const plain = (more: Record<string, string> = {}) => authUrl(system, newPkce().challenge, more)
  const cases: [string, string, number[]][] = [
    ['scope of 100 kB', plain({ scope: `openid ${'x'.repeat(100_000)}` }), [400, 414, 431]],
    ['scope of 5,000 words', plain({ scope: `openid ${'x '.repeat(5_000)}` }), [303, 400]],
    [
      '1,000 parameters',
      plain() + Array.from({ length: 1_000 }, (_, index) => `&p${index}=1`).join(''),
      [303, 400, 414],
    ],
    ['state of 8 kB', plain({ state: 's'.repeat(8_000) }), [303, 400, 414]],
    ['broken percent signs', `${plain()}&state=%E0%A4%A&x=%`, [303, 400]],
    ['a NUL in the state', plain({ state: '\0' }), [303, 400]],
    ['a NUL in the client', plain({ client_id: '\0' }), [400]],
    ['a NUL in the language', plain({ ui_locales: '\0' }), [303, 400]],
    ['arrays and objects', `${plain()}&state[]=1&state[a]=2&nonce[__proto__]=3`, [303, 400]],
    ['a broken path', '/auth%', [404]],
    ['a NUL in the path', '/interaction/%00', [404]],
    ['a path of 1 kB', `/interaction/${'x'.repeat(1_000)}`, [404]],
  ]

  for (const [name, path, allowed] of cases) {
    const answer = await app.newBrowser().get(path)

    assert.ok(allowed.includes(answer.status), `${name}: ${answer.status}`)
    assert.doesNotMatch(answer.headers.get('location') ?? '', /server_error/, name)
  }
  const visitor = app.newBrowser()
  const login = await visitor.follow(await visitor.get(plain()))
  assert.deepEqual([login.status, /name="password"/.test(String(login.body))], [200, true])
})

test('the error page names the invalid parameter and does not redirect', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember()
  const faults: Record<string, Record<string, string>> = {
    client_id: { client_id: 'unknown' },
    redirect_uri: { redirect_uri: 'https://evil.example/cb' },
  }

  for (const [parameter, change] of Object.entries(faults)) {
    const page = await app.newBrowser().get(authUrl(system, newPkce().challenge, change))

    assert.deepEqual([page.status, page.headers.get('location')], [400, null])
    assert.match(String(page.body), new RegExp(`id="error-parameter"><bdi>${parameter}<`))
  }
})

test('errors that may be reported to the application are, with the state', async (t) => {
  const app = await startTestApp(t)
  const { system } = await app.newMember({ allowedScopes: ['openid', 'email'] })
  const faults: Record<string, Record<string, string | undefined>> = {
    invalid_request: { code_challenge: undefined, code_challenge_method: undefined },
    invalid_scope: { scope: 'openid email profile' },
    unsupported_response_type: { response_type: 'token' },
  }

  for (const [error, change] of Object.entries(faults)) {
    const answer = await app.newBrowser().get(authUrl(system, newPkce().challenge, change))

    const back = new URL(answer.headers.get('location')!)
    const parameters = new URLSearchParams(back.search || back.hash.slice(1))
    assert.deepEqual(
      [back.origin, parameters.get('error'), parameters.get('state')],
      ['https://app.example', error, 'the-state'],
    )
  }
})
