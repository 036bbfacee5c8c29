/** Who may use the device flow, and what protects users from codes of others (RFC 8628 section 5.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { approve, askAs, enter, headingOf, member, poll, refusalOf } from '../../test/support/device.ts'
import { basicAuth, formOf, PASSWORD, startTestApp } from '../../test/support/testing.ts'

test('P24: only systems with allowDeviceFlow use the device flow, and it ends with the flag', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app)
  const without = await app.newSystem()
  const asked = await askAs(app, system)
  await approve(app.newBrowser(), asked.user_code, alice.email)

  const refused = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: { authorization: basicAuth(without) },
    body: new URLSearchParams({ scope: 'openid' }),
  })
  await app.platform.patch(`/admin/systems/${system.id}`, { allowDeviceFlow: false })
  const late = await poll(app, system, asked)

  assert.deepEqual([refused.status, (await refused.json()).error], [400, 'invalid_request'])
  assert.deepEqual(refusalOf(late), [400, 'invalid_request'])
})

test('a system cannot allow itself the device flow, and a platform system never gets it', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const { data } = (await app.platform.get('/admin/systems?search=Tenantry&pageSize=100')).body
  const platformSystems = data.filter(({ platform }: { platform: boolean }) => platform)

  const own = await service.patch(`/admin/systems/${system.id}`, { allowDeviceFlow: true })
  const others = await Promise.all(
    platformSystems.map(({ id }: { id: string }) =>
      app.platform.patch(`/admin/systems/${id}`, { allowDeviceFlow: true }),
    ),
  )

  assert.deepEqual([own.status, own.body.code], [403, 'insufficient_authority'])
  assert.ok(others.length > 0)
  for (const { status, body } of others)
    assert.deepEqual([status, body.errors[0].path], [400, '/allowDeviceFlow'])
})

test('P24: the client of the administrators obtains no code and no token', async (t) => {
  const app = await startTestApp(t)
  const client = { client_id: 'tenantry-console' }
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`${app.url}${path}`, { method: 'POST', body: new URLSearchParams({ ...client, ...fields }) })
  const redirect_uri = `${app.url}/console/callback`
  const request = {
    response_type: 'code',
    scope: 'openid',
    redirect_uri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }

  const answers = await Promise.all([
    post('/device/auth', { scope: 'openid' }),
    post('/request', request),
    fetch(`${app.url}/auth?${new URLSearchParams({ ...client, ...request })}`, { redirect: 'manual' }),
    post('/token', { grant_type: 'client_credentials' }),
    post('/token', { grant_type: 'authorization_code', code: 'x', redirect_uri }),
  ])

  for (const { status } of answers) assert.ok(status === 400 || status === 401, `${status}`)
})

test('a link with a code is no form that submits itself, and needs two confirmations', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, { skipConsent: true })
  const { visitor } = await app.signIn(system, { email: alice.email })
  const asked = await askAs(app, system)

  const page = await visitor.follow(await visitor.get(asked.verification_uri_complete))
  const json = (await visitor.get(asked.verification_uri_complete, { accept: 'application/json' })).body

  assert.equal(headingOf(page), 'Connect a device')
  assert.match(String(page.body), new RegExp(`name="user_code"[^>]* value="${asked.user_code}"`))
  assert.doesNotMatch(String(page.body), /<script|onload/)
  assert.doesNotMatch(page.headers.get('content-security-policy')!, /script-src '/)
  assert.equal(json.fields.user_code, asked.user_code)
  assert.deepEqual(refusalOf(await poll(app, system, asked)), [400, 'authorization_pending'])
})

test('the confirmation shows the address, the program and the time of the request', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const { system } = await member(app)
  const response = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: {
      authorization: basicAuth(system),
      'x-forwarded-for': '203.0.113.7',
      'user-agent': `Tele<b>vision${'x'.repeat(400)}`,
    },
    body: new URLSearchParams({ scope: 'openid' }),
  })

  const page = String((await enter(app.newBrowser(), (await response.json()).user_code)).body)

  const shown = /<dl class="details claims" id="device-origin">([\s\S]*?)<\/dl>/.exec(page)![1]!
  assert.match(shown, /<bdi>203\.0\.113\.7<\/bdi>/)
  assert.match(shown, /<bdi>Tele&lt;b&gt;visionx{187}<\/bdi>/)
  assert.match(shown, new RegExp(`${new Date().getUTCFullYear()}.* UTC`))
})

test('a device is confirmed only after a sign-in within the last 5 minutes', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, { skipConsent: true })
  const { visitor } = await app.signIn(system, { email: alice.email })
  await changeProofs(app.db, alice.id, { age: 310 })
  const asked = await askAs(app, system)

  const login = await visitor.follow(
    await visitor.submit(await enter(visitor, asked.user_code), { confirm: 'yes' }),
  )
  const before = await poll(app, system, asked)
  const end = await visitor.follow(await visitor.submit(login, { email: alice.email, password: PASSWORD }))

  assert.match(String(login.body), /name="password"/)
  assert.deepEqual(refusalOf(before), [400, 'authorization_pending'])
  assert.equal(headingOf(end), 'Device connected')
  assert.equal((await poll(app, system, asked)).status, 200)
})

test('P25: Back leads from /device to the sign-in of this browser, and by no cookie of another one', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const { user_code: code } = await askAs(app, system)
  const [own, other] = [app.newBrowser(), app.newBrowser()]
  const confirmationIn = async (browser: typeof own) => {
    const { action, hidden } = formOf(await browser.get('/device'))
    const { headers } = await fetch(action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.cookiesFor('/device') },
      body: new URLSearchParams({ ...hidden, user_code: code }),
    })
    return headers.get('location') ?? ''
  }
  const [address, elsewhere] = [await confirmationIn(own), await confirmationIn(other)]
  const signIn = (await own.submit(await own.get(address), { confirm: 'yes' })).headers.get('location') ?? ''
  const [key, cookie] = [...own.jar].find(([name]) => name.endsWith('device /device'))!
  const led = async (value: string) => {
    other.jar.set(key, { ...cookie, value })
    return (await other.get(elsewhere)).headers.get('location')
  }

  const back = await own.get(address)
  const uid = signIn.split('/').at(-1)!

  assert.match(signIn, /^\/interaction\//)
  assert.equal(back.headers.get('location'), signIn)
  for (const value of [cookie.value, `${code.replace(/\W/g, '')}.${uid}`, `${uid}.${'A'.repeat(43)}`, uid])
    assert.equal(await led(value), null, value)
})
