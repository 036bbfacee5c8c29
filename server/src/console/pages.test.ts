/** The pages and files of the console, and the addresses at which a sign-in continues. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { signInToConsole } from '../../test/support/console.ts'
import { startTestApp } from '../../test/support/testing.ts'

const ASSETS = join(import.meta.dirname, '../../../console/dist/assets')

/** A request whose path is not normalized. */
function raw(url: string, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, port } = new URL(url)
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      })
      sent.on('error', reject).end()
    },
  )
}

test('P60: only built files are sent, and an unknown one is not cached', async (t) => {
  const { url } = await startTestApp(t)
  const name = readdirSync(ASSETS).find((file) => /^first-.+\.js$/.test(file))!
  const outside = [
    '../../package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    '..%5c..%5cpackage.json',
    '....//....//package.json',
    '%2e%2e%2findex.html',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    '%00',
    'index.js',
    '',
    '.',
    '..',
    `${name}%00`,
    `x/../${name}`,
    '%c0%ae%c0%ae/package.json',
  ]

  for (const path of outside)
    for (const method of ['GET', 'HEAD']) {
      const answer = await raw(url, `/console/assets/${path}`, {}, method)
      assert.ok([400, 403, 404].includes(answer.status), `${method} ${path}: ${answer.status}`)
      assert.equal(answer.headers['cache-control'], 'no-store', path)
      assert.doesNotMatch(answer.body, /"name":|root:/, path)
    }
  const [plain, packed, part, head] = [
    await raw(url, `/console/assets/${name}`),
    await raw(url, `/console/assets/${name}`, { 'accept-encoding': 'br' }),
    await raw(url, `/console/assets/${name}`, { range: 'bytes=0-9' }),
    await raw(url, `/console/assets/${name}`, {}, 'HEAD'),
  ]
  assert.deepEqual([plain.status, packed.status, part.status, head.status], [200, 200, 206, 200])
  assert.deepEqual([part.body.length, head.body.length], [10, 0])
  assert.match(String(plain.headers['cache-control']), /max-age=31536000, immutable/)
  assert.equal(packed.headers['content-encoding'], 'br')
  assert.match(String(packed.headers.vary), /accept-encoding/i)
  for (const { headers } of [plain, packed]) assert.match(String(headers['content-type']), /javascript/)
})

test('P60: every address of the console is its page, except those of its API', async (t) => {
  const { url } = await startTestApp(t)

  const pages = await Promise.all(
    ['/console', '/console/', '/console/platform/users?search=x', '/console/done'].map((path) =>
      raw(url, path),
    ),
  )
  const absent = await Promise.all(
    ['/console/api', '/console/api/', '/console/api/admin/nothing', '/console/api/x', '/consolation'].map(
      (path) => raw(url, path),
    ),
  )

  for (const { status, headers, body } of pages) {
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'no-cache')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'self';.*require-trusted-types-for 'script';trusted-types 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|http:|script-src|style-src|connect-src/)
    assert.doesNotMatch(body, /<script(?![^>]*\bsrc="\/console\/assets\/)|<style|\son\w+=|\sstyle=/)
  }
  for (const { status, body } of absent) assert.deepEqual([status, JSON.parse(body).code], [404, 'not_found'])
})

test('P60: a sign-in continues at pages of the console only', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const browser = app.newBrowser()
  await signInToConsole(browser, user)
  const continueAt = async (next: string) => {
    const query = new URLSearchParams({ next })
    const answer = await browser.get(`/console/sign-in?${query}`)
    if (answer.status === 400) return 'refused'
    const callback = await browser.get(answer.headers.get('location')!)
    const last = await browser.get(callback.headers.get('location')!)
    return last.headers.get('location')
  }

  for (const page of ['/console', '/console/', '/console/platform/users?search=a%22b', '/console?a=1'])
    assert.equal(await continueAt(page), page)
  for (const other of [
    '/console/../admin',
    '/console/./../../x',
    '/console/%2e%2e/admin',
    '/console/..%2fadmin',
    '/console/\\evil.example',
    '/console/..\\evil.example',
    '/console/\n//evil.example',
    '/console/\t..',
    '/console/\u0000',
    '/console/é',
    '/console/日本',
    '/console/api/admin/users',
    '/console/%61pi/admin/users',
    '/console/sign-in',
    '/console/sign-%69n',
    '/console/sign-in?next=/console/sign-in',
    '/console/callback',
    '/console/assets/x.js',
    '/console//../evil',
  ])
    assert.equal(await continueAt(other), '/console/', JSON.stringify(other))
  for (const foreign of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/console@evil.example',
    '/console.evil.example',
    '/consolex',
    '\\/console',
    '/account',
    '',
    `/console/${'x'.repeat(2_000)}`,
  ])
    assert.equal(await continueAt(foreign), 'refused', JSON.stringify(foreign))
})

test('P60: the state of another browser, of the account pages or none leads to the first page', async (t) => {
  const app = await startTestApp(t)
  const browser = app.newBrowser()
  const stateOf = async (asked: typeof browser, path: string) =>
    new URL((await asked.get(path)).headers.get('location')!, app.url).searchParams.get('state')!
  const own = await stateOf(browser, '/console/sign-in?next=/console/platform/users')
  const foreign = await stateOf(app.newBrowser(), '/console/sign-in?next=/console/platform/users')
  const account = await stateOf(browser, '/account/email')
  const callback = async (state: string) =>
    (await browser.get(`/console/callback?${new URLSearchParams({ state })}`)).headers.get('location')

  assert.equal(await callback(own), '/console/platform/users')
  for (const state of [foreign, account, `${own}x`, 'x', '']) assert.equal(await callback(state), '/console/')
  // It signs no user in.
  assert.equal((await browser.get('/console/api/me')).status, 401)
})

test('with CONSOLE=false nothing of the console exists', async (t) => {
  const { app, url } = await startTestApp(t, { CONSOLE: 'false' })

  const answers = await Promise.all(
    ['', '/', '/sign-in', '/callback', '/assets/x.js', '/api/me', '/api/admin/users'].map((path) =>
      fetch(`${url}/console${path}`),
    ),
  )

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
  assert.deepEqual(
    app.declared.filter((route) => route.url.startsWith('/console')),
    [],
  )
})
