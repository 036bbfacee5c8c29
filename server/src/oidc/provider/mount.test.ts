import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../../test/support/testing.ts'

/** Headers that differ between two requests. */
const VARYING = new Set(['date', 'set-cookie', 'location', 'content-length', 'connection', 'keep-alive'])

async function ask(method: 'GET' | 'HEAD', address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { method, headers, redirect: 'manual' })
  const body = await response.text()
  const { status } = response
  const length = Number(response.headers.get('content-length'))
  const fixed = Object.fromEntries([...response.headers].filter(([name]) => !VARYING.has(name)))
  return { body, length, response: { status, headers: fixed }, location: response.headers.get('location') }
}

test('HEAD gets the status and headers of GET from every protocol endpoint that has GET', async (t) => {
  const app = await startTestApp(t)
  const { url } = app
  const { system, user } = await app.newMember()
  const { access_token: token } = await app.signIn(system, { email: user.email })
  const paths = [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/jwks',
    '/auth?client_id=unknown',
    '/auth/unknown',
    '/me',
    '/session/end',
    '/session/end/success',
    '/device',
    '/device/unknown',
  ]

  for (const path of paths) {
    const headers = path === '/me' ? { authorization: `Bearer ${token}` } : {}
    const head = await ask('HEAD', url + path, headers)
    const get = await ask('GET', url + path, headers)

    assert.deepEqual(head.response, get.response, path)
    assert.equal(head.body, '', path)
    const hasBody = path !== '/session/end' // a redirect, as no one is signed in
    assert.equal(get.body.length > 0 && head.length > 0, hasBody, `${path}: ${head.length}`)
  }
  const authorization = await ask('HEAD', url + authUrl(system, newPkce().challenge))
  assert.deepEqual([authorization.response.status, authorization.body], [303, ''])
  assert.match(authorization.location ?? '', /\/interaction\//)
})
