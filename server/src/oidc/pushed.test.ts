/** Pushed authorization requests (RFC 9126). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authUrl,
  basicAuth,
  codeFields,
  newBrowser,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Pushes a request and signs in, with the parameters `beside` in the URL of the browser. */
async function signInPushed(app: App, scope: string, beside: Record<string, string> = {}) {
  const { system, user } = await app.newMember({ skipConsent: true })
  const pkce = newPkce()
  const body = new URL(authUrl(system, pkce.challenge, { scope }), app.url).searchParams
  const headers = { authorization: basicAuth(system), accept: 'application/json' }
  const pushed = await newBrowser(app.url).request('/request', { method: 'POST', headers, body })
  const visitor = app.newBrowser()
  const address = new URLSearchParams({
    client_id: system.clientId,
    request_uri: pushed.body.request_uri,
    ...beside,
  })
  const page = await visitor.follow(await visitor.get(`/auth?${address}`))
  const end = await visitor.follow(await visitor.submit(page, { email: user.email, password: PASSWORD }))
  const back = Object.fromEntries(new URL(end.headers.get('location') ?? '').searchParams)
  return (await app.token(system, codeFields(system, { back, pkce }))).body
}

test('offline_access in a pushed request gives a refresh token without prompt=consent', async (t) => {
  const tokens = await signInPushed(await startTestApp(t), 'openid offline_access')

  assert.equal(tokens.scope, 'openid offline_access')
  assert.equal(typeof tokens.refresh_token, 'string')
})

test('parameters next to a pushed request do not change it', async (t) => {
  const beside = { scope: 'openid email offline_access', account_id: crypto.randomUUID() }
  const tokens = await signInPushed(await startTestApp(t), 'openid', beside)

  assert.equal(tokens.scope, 'openid')
  assert.equal(tokens.refresh_token, undefined)
})

test('of several concurrent uses of one pushed request one gets a code', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor } = await app.signIn(system, { email: user.email })
  const body = new URL(authUrl(system, newPkce().challenge), app.url).searchParams
  const headers = { authorization: basicAuth(system), accept: 'application/json' }
  const pushed = await newBrowser(app.url).request('/request', { method: 'POST', headers, body })
  const address = new URLSearchParams({ client_id: system.clientId, request_uri: pushed.body.request_uri })

  const answers = await Promise.all(Array.from({ length: 4 }, () => visitor.get(`/auth?${address}`)))

  const codes = answers.filter(({ headers }) => /[?&]code=/.test(headers.get('location') ?? ''))
  assert.equal(codes.length, 1)
  for (const { status, headers } of answers.filter((answer) => !codes.includes(answer))) {
    assert.deepEqual([status, headers.get('location')], [400, null])
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
  }
})
