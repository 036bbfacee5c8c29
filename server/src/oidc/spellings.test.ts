/** Requests that tools spell with an extra slash or space. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAs } from '../../test/support/device.ts'
import { authUrl, basicAuth, codeFields, newPkce, startTestApp } from '../../test/support/testing.ts'

const MOVED = {
  '//.well-known/openid-configuration': '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/': '/.well-known/openid-configuration',
  '/.well-known//openid-configuration': '/.well-known/openid-configuration',
  '///.well-known/oauth-authorization-server//': '/.well-known/oauth-authorization-server',
  '//jwks': '/jwks',
  '//auth?client_id=x&scope=a%20b': '/auth?client_id=x&scope=a%20b',
  '/session/end/': '/session/end',
  '/account/': '/account',
  '//openapi.json': '/openapi.json',
}
const UNKNOWN = [
  '//evil.example',
  '//evil.example/.well-known/openid-configuration',
  '//evil.example/account/',
  '/\\evil.example/',
  '/nowhere/',
  '/.well-known/unknown/',
  '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200',
]

test('a document or page whose path has a slash too many is found, and its query is kept', async (t) => {
  const { url } = await startTestApp(t)
  const ask = (path: string, method = 'GET') => fetch(url + path, { method, redirect: 'manual' })

  const moved = await Promise.all(
    Object.keys(MOVED).map(async (path) => [path, (await ask(path)).headers.get('location')]),
  )
  const followed = await fetch(`${url}//.well-known/openid-configuration`)
  const byScript = await ask('/.well-known/openid-configuration/')
  const unknown = await Promise.all(UNKNOWN.map((path) => ask(path)))
  const api = await Promise.all(['/admin/systems/', '/admin//systems', '/health/'].map((path) => ask(path)))
  const posted = await ask('//token', 'POST')

  assert.deepEqual(Object.fromEntries(moved), MOVED)
  assert.equal(((await followed.json()) as { issuer: string }).issuer, url)
  assert.deepEqual([byScript.status, byScript.headers.get('access-control-allow-origin')], [308, '*'])
  for (const { status, headers, url: where } of unknown)
    assert.deepEqual([status, headers.get('location')], [404, null], where)
  assert.deepEqual(
    api.map(({ status }) => status),
    [401, 404, 308],
  )
  assert.equal(posted.status, 404)
})

test('password managers are redirected to the page that changes the password', async (t) => {
  const { newBrowser } = await startTestApp(t)

  const answer = await newBrowser().get('/.well-known/change-password')

  assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/account/password'])
})

test('second spaces in lists, and spaces at their ends, are ignored', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, allowDeviceFlow: true })
  const scope = ' openid  email   offline_access '
  const parameters = {
    scope,
    prompt: ' login  consent',
    response_type: 'code ',
    acr_values: ' urn:a  urn:b ',
  }

  const signedIn = await app.authorize(system, { email: user.email, parameters })
  const tokens = await app.token(system, codeFields(system, signedIn))
  const refreshed = await app.refresh(system, tokens.body.refresh_token, { scope: 'openid  email' })
  const form = {
    ...Object.fromEntries(new URL(authUrl(system, newPkce().challenge), app.url).searchParams),
    scope,
  }
  const pushed = await fetch(`${app.url}/request`, {
    method: 'POST',
    headers: { authorization: basicAuth(system) },
    body: new URLSearchParams(form),
  })
  const device = await askAs(app, system, { scope })
  const service = await app.token(system, { grant_type: 'client_credentials', scope: '  ' })
  const invalid = await app.newBrowser().get(authUrl(system, newPkce().challenge, { scope: 'openid\temail' }))

  assert.deepEqual([tokens.status, tokens.body.scope], [200, 'openid email offline_access'])
  assert.deepEqual([refreshed.status, refreshed.body.scope], [200, 'openid email'])
  assert.equal(pushed.status, 201)
  assert.ok(device.user_code)
  assert.notEqual(service.body.error, 'invalid_scope')
  assert.match(String(invalid.headers.get('location')), /error=invalid_scope/)
})
