/** What a form answers to a browser, and to a client that asks for JSON. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'

const OWN = 'my very own words'
const JSON_ONLY = { accept: 'application/json' }

/** Sends a form as a browser without following the answer. */
async function send(url: string, path: string, fields: Record<string, string>, headers = {}) {
  const answer = await fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams(fields),
  })
  return { status: answer.status, location: answer.headers.get('location') ?? '', answer }
}

test('a form of a link answers 303 to a page with the status, and JSON with the status itself', async (t) => {
  const app = await startTestApp(t)
  const [one, two] = [await app.newUser(), await app.newUser()]
  const [ofBrowser, ofClient] = [
    await app.mailedLink('send-password-reset', one),
    await app.mailedLink('send-password-reset', two),
  ]
  const passwords = ['short', OWN, OWN]
  const pages: unknown[] = []
  const direct: number[] = []

  for (const password of passwords) {
    const sent = await send(app.url, '/reset-password', { token: ofBrowser.token, password })
    const page = await fetch(app.url + sent.location)
    const again = await fetch(app.url + sent.location)
    const isSecret = [ofBrowser.token, one.email].some((each) =>
      decodeURIComponent(sent.location).includes(each),
    )
    pages.push([sent.status, sent.location.split('?')[0], page.status, again.status, isSecret])
    direct.push(
      (await send(app.url, '/reset-password', { token: ofClient.token, password }, JSON_ONLY)).status,
    )
  }

  assert.deepEqual(pages, [
    [303, '/reset-password', 400, 400, false],
    [303, '/reset-password', 200, 200, false],
    [303, '/reset-password', 410, 410, false],
  ])
  assert.deepEqual(direct, [400, 200, 410])
})

test('the page of a refused form has the request id and the time to wait of the form', async (t) => {
  const app = await startTestApp(t)

  const sent = await send(app.url, '/verify-email', {}, { origin: 'https://evil.example' })
  const page = await (await fetch(app.url + sent.location)).text()
  const json = await send(app.url, '/verify-email', {}, { ...JSON_ONLY, origin: 'https://evil.example' })

  assert.match(page, /csrf_rejected/)
  assert.match(page, new RegExp(`>${sent.answer.headers.get('x-request-id') ?? '[0-9a-f-]{36}'}<`))
  assert.equal(json.status, 403)
})

test('what is shown cannot be forged or moved to another page', async (t) => {
  const app = await startTestApp(t)
  const { location } = await send(app.url, '/verify-email', { token: 'x' })
  const shown = new URLSearchParams(location.split('?')[1]).get('shown') ?? ''

  const answers = await Promise.all(
    [
      '/error',
      '/error?shown=AAAA',
      `/reset-password?shown=${shown}`,
      `/error?shown=${shown.slice(0, -2)}`,
    ].map(async (path) => (await fetch(app.url + path)).status),
  )

  assert.equal((await fetch(app.url + location)).status, 400)
  assert.deepEqual(answers, [404, 404, 400, 404])
})
