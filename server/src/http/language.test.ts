import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

const langOf = (body: unknown) => /<html lang="([^"]+)"/.exec(String(body))?.[1]

test('the language that is chosen at the foot of a page returns to it, and wins over what others ask for', async (t) => {
  const { url, newSystem, newBrowser } = await startTestApp(t)
  const browser = newBrowser()
  const spanish = { 'accept-language': 'es' }
  const first = await browser.get('/account/password', spanish)
  const login = first.headers.get('location') ?? ''
  const system = await newSystem()
  const asked = `${authUrl(system, newPkce().challenge)}&ui_locales=fr`

  const before = await browser.follow(await browser.get(asked))
  const chosen = await browser.get('/language/de', { referer: `${url}/device?user_code=ABCD` })
  const after = await browser.follow(await browser.get(asked))
  const home = await browser.get('/', spanish)
  const missing = await browser.get('/nowhere', spanish)

  assert.equal(first.status, 303, login)
  assert.deepEqual([chosen.status, chosen.headers.get('location')], [303, '/device?user_code=ABCD'])
  assert.match(String(chosen.headers.get('set-cookie')), /^_language=de; .*HttpOnly; SameSite=Lax/)
  assert.deepEqual(
    [before, after, home, missing].map(({ body }) => langOf(body)),
    ['fr', 'de', 'de', 'de'],
  )
})

test('a link of another site chooses no language and leads nowhere else', async (t) => {
  const { url, newBrowser } = await startTestApp(t)
  const browser = newBrowser()
  const answers = [
    await browser.get('/language/de', {
      referer: 'https://evil.example/path',
      origin: 'https://evil.example',
    }),
    await browser.get('/language/de', {
      referer: `${url}.evil.example/path`,
      'sec-fetch-site': 'cross-site',
    }),
  ]
  const doubled = await browser.get('/language/de', { referer: `${url}//evil.example/path?x=1` })
  const backwards = await browser.get('/language/de', { referer: `${url}/\\evil.example` })
  const unreferred = await browser.get('/language/de')
  const unknown = await browser.get('/language/xx', { accept: 'application/json' })

  for (const { status, headers } of answers)
    assert.deepEqual([status, headers.get('location'), headers.get('set-cookie')], [303, '/', null])
  assert.equal(doubled.headers.get('location'), '/evil.example/path?x=1')
  assert.equal(backwards.headers.get('location'), '/evil.example')
  assert.deepEqual([unreferred.headers.get('location'), unknown.status], ['/', 404])
})
