import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

/** Forwarding headers, genuine or forged. */
const FORGED: Record<string, string>[] = [
  { host: 'evil.example' },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-proto': 'https' },
  {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '444',
    'x-forwarded-for': '203.0.113.9',
  },
  {
    'x-forwarded-server': 'evil.example',
    'x-real-ip': '203.0.113.9',
    'x-original-url': 'https://evil.example/',
    'x-original-host': 'evil.example',
  },
  { forwarded: 'for=203.0.113.9;host=evil.example;proto=https' },
]

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; body: string }

/** A GET with any header, including those that fetch does not allow. */
async function get(url: string, path: string, headers: Record<string, string>): Promise<Raw> {
  const sent = request(new URL(path, url), { headers: { accept: 'text/html', ...headers } })
  sent.end()
  const [response] = await once(sent, 'response')
  const body = (await Array.fromAsync(response)).join('')
  return { status: response.statusCode, headers: response.headers, body }
}

/** Every absolute URL in a response. */
const addresses = (text: string) => [...text.matchAll(/https?:\/\/[^\s"'<>,;]+/g)].map(([address]) => address)

/** Whether a URL has this origin. */
const isOf = (url: string, address: string) => new URL(address).origin === url

test('P01: discovery uses BASE_URL whatever the Host header says', async (t) => {
  const { url } = await startTestApp(t)
  const honest = await get(url, '/.well-known/openid-configuration', {})

  for (const headers of FORGED) {
    const answer = await get(url, '/.well-known/openid-configuration', headers)

    assert.equal(answer.status, 200)
    assert.equal(answer.body, honest.body, JSON.stringify(headers))
  }
  assert.equal(JSON.parse(honest.body).issuer, url)
  assert.ok(addresses(honest.body).every((address) => isOf(url, address)))
})

test('P01: redirects, pages and cookies use BASE_URL whatever the Host header says', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const system = await newSystem({ redirectUris: ['https://app.example/cb'] })

  for (const headers of FORGED) {
    const started = await get(url, authUrl(system, newPkce().challenge), headers)
    const location = new URL(String(started.headers.location), url)
    const cookies = [started.headers['set-cookie'] ?? []].flat()
    const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
    const page = await get(url, location.pathname, { ...headers, cookie })

    assert.equal(location.origin, url, JSON.stringify(headers))
    assert.ok(cookies.length > 0 && cookies.every((line) => !/domain=|evil/i.test(line)))
    assert.equal(page.status, 200)
    assert.match(page.body, new RegExp(`<form method="post" action="${location.pathname}/login"[ >]`))
    assert.doesNotMatch(page.body + JSON.stringify(page.headers), /evil|203\.0\.113/)
  }
})

test('P01: error and logout pages use BASE_URL', async (t) => {
  const { url } = await startTestApp(t)

  for (const headers of FORGED) {
    for (const path of ['/auth?client_id=unknown', '/session/end', '/interaction/unknown', '/nowhere']) {
      const answer = await get(url, path, headers)

      assert.ok(answer.status < 500)
      assert.doesNotMatch(answer.body + JSON.stringify(answer.headers), /evil|203\.0\.113/, path)
    }
  }
})

test('P01: the logout form posts to BASE_URL', async (t) => {
  const app = await startTestApp(t)
  const { url } = app
  const { system, user } = await app.newMember()
  const { visitor } = await app.signIn(system, { email: user.email })

  for (const headers of FORGED) {
    const { body } = await get(url, '/session/end', {
      ...headers,
      cookie: visitor.cookiesFor('/session/end'),
    })

    const action = /<form method="post" action="([^"]+)"/.exec(body)![1]!
    assert.equal(new URL(action, url).href, `${url}/session/end/confirm`)
  }
})

test('P01: an absolute-form request line with a foreign host is treated as ours', async (t) => {
  const { url, newSystem } = await startTestApp(t)
  const system = await newSystem()
  const { hostname, port } = new URL(url)
  const absolute = async (path: string) => {
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET http://evil.example${path} HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
    )
    return (await Array.fromAsync(socket)).join('')
  }

  const discovery = await absolute('/.well-known/openid-configuration')
  const started = await absolute(authUrl(system, newPkce().challenge))

  assert.match(discovery, /^HTTP\/1\.1 200 /)
  assert.match(started, /^HTTP\/1\.1 303 [\s\S]*\r\nlocation: (http:\/\/localhost:\d+)?\/interaction\//i)
  for (const answer of [discovery, started]) assert.doesNotMatch(answer, /evil/)
})
