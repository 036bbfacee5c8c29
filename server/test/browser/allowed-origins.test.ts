/** A page in Chromium that calls the token endpoint from an origin to which no redirect leads. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../support/chromium.ts'
import { openPage } from '../support/passkeys.ts'
import { codeFields, newPkce, startTestApp } from '../support/testing.ts'

after(closeBrowser)

async function otherOrigin(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Call = { url: string; fields: Record<string, string> }

/** Sends a form from the page; `error` if the browser keeps the answer from it. */
const send = (page: Page, call: Call) =>
  page.evaluate(async ({ url, fields }) => {
    try {
      const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
      return {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        keys: Object.keys(await answer.json()),
      }
    } catch (error) {
      return { error: (error as Error).name }
    }
  }, call)

test('a page gets tokens from an allowed origin, none from another, and can read when to try again', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const origin = await otherOrigin(t)
  const { system, user } = await app.newMember({ clientType: 'public', skipConsent: true })
  const page = await openPage(t)
  await page.goto(origin)
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.7' }) // a network, whose requests are limited
  const exchange = async () => {
    const { back, pkce } = await app.authorize(system, { email: user.email })
    const fields = { ...codeFields(system, { back, pkce }), client_id: system.clientId }
    return send(page, { url: `${app.url}/token`, fields })
  }

  const before = await exchange()
  await app.platform.patch(`/admin/systems/${system.id}`, { allowedOrigins: [origin] })
  const allowed = await exchange()
  const request = {
    client_id: system.clientId,
    response_type: 'code',
    redirect_uri: system.redirectUris[0]!,
    scope: 'openid',
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
  }
  // The database cannot compress it much.
  const noise = () => randomBytes(3_000).toString('base64url')
  const ask = () => send(page, { url: `${app.url}/request`, fields: { ...request, state: noise() } })
  let last = await ask()
  for (let sent = 1; sent < 1_000 && last.status === 201; sent++) last = await ask()

  assert.deepEqual(before, { error: 'TypeError' })
  assert.equal(allowed.status, 200)
  assert.ok(allowed.keys?.includes('access_token'))
  assert.equal(last.status, 429)
  assert.match(last.retryAfter ?? '', /^\d+$/)
})
