/** The device flow (RFC 8628): a device requests codes, and a user approves in a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { approve, askAs, enter, HTML, headingOf, member, poll, refusalOf } from '../../test/support/device.ts'
import { expireCache } from '../../test/support/system-cache.ts'
import { type Answer, basicAuth, newBrowser, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { and, eq, sql } from '../database/drizzle.ts'
import { artifacts } from '../database/schema.ts'

for (const clientType of ['confidential', 'public']) {
  test(`a device of a ${clientType} client gets tokens once the user has approved it`, async (t) => {
    const app = await startTestApp(t)
    const { system, alice, membership } = await member(app, { clientType })
    const asked = await askAs(app, system)

    const before = await poll(app, system, asked)
    const end = await approve(app.newBrowser(), asked.user_code, alice.email)
    const after = await poll(app, system, asked)

    assert.match(asked.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
    assert.equal(asked.verification_uri, `${app.url}/device`)
    assert.deepEqual(refusalOf(before), [400, 'authorization_pending'])
    assert.equal(headingOf(end), 'Device connected')
    assert.equal(after.status, 200)
    const claims = decodeJwt(after.body.access_token)
    assert.deepEqual(
      [claims.sub, claims.account_id, claims.client_id],
      [alice.id, membership.accountId, system.clientId],
    )
    assert.equal(decodeJwt(after.body.id_token).account_id, membership.accountId)
    assert.equal((await app.me(after.body.access_token)).status, 200)
    assert.equal(after.body.refresh_token, undefined)
  })
}

test('the pages of the device flow may be answered slowly', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app)
  const browser = app.newBrowser()
  const asked = await askAs(app, system)
  const pass = () => expireCache(app.db, system)

  pass()
  const confirm = await enter(browser, asked.user_code)
  pass()
  const login = await browser.follow(await browser.submit(confirm, { confirm: 'yes' }))
  pass()
  const consent = await browser.follow(
    await browser.submit(login, { email: alice.email, password: PASSWORD }),
  )
  pass()
  const end = await browser.follow(await browser.submit(consent))

  assert.deepEqual([confirm, login, consent, end].map(headingOf), [
    `Sign in to ${system.name} on your device?`,
    `Sign in to ${system.name}`,
    `Allow ${system.name} to use your data?`,
    'Device connected',
  ])
})

test('with offline_access a device gets a refresh token that rotates', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, membership } = await member(app)
  const asked = await askAs(app, system, { scope: 'openid offline_access' })

  await approve(app.newBrowser(), asked.user_code, alice.email)
  const { body } = await poll(app, system, asked)
  const refreshed = await app.refresh(system, body.refresh_token)

  assert.equal(refreshed.status, 200)
  assert.equal(decodeJwt(refreshed.body.access_token).account_id, membership.accountId)
})

test('a scope that is not allowed is refused at the device endpoint', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app, { allowedScopes: ['openid'] })

  const answer = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: { authorization: basicAuth(system) },
    body: new URLSearchParams({ scope: 'openid offline_access' }),
  })

  assert.deepEqual([answer.status, (await answer.json()).error], [400, 'invalid_scope'])
})

test('a signed-in user who has consented only confirms the code', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app)
  const { visitor } = await app.signIn(system, { email: alice.email })
  const asked = await askAs(app, system)

  const end = await visitor.submit(await enter(visitor, asked.user_code), { confirm: 'yes' })
  const { status, body } = await poll(app, system, asked)

  assert.equal(headingOf(end), 'Device connected')
  assert.deepEqual([status, decodeJwt(body.access_token).sub], [200, alice.id])
})

test('several accounts show the selector, unless the device names account_id', async (t) => {
  const app = await startTestApp(t)
  const [system, alice] = [
    await app.newSystem({ multiAccount: true, skipConsent: true, allowDeviceFlow: true }),
    await app.newUser(),
  ]
  await app.newMembership({ userId: alice.id, systemId: system.id, accountName: 'One' })
  const two = await app.newMembership({ userId: alice.id, systemId: system.id, accountName: 'Two' })
  const browser = app.newBrowser()
  const [open, bound] = [await askAs(app, system), await askAs(app, system, { account_id: two.accountId })]

  const login = await browser.follow(
    await browser.submit(await enter(browser, open.user_code), { confirm: 'yes' }),
  )
  const choice = await browser.follow(await browser.submit(login, { email: alice.email, password: PASSWORD }))
  const end = await browser.follow(await browser.submit(choice, { accountId: two.accountId }))
  const endOfBound = await approve(app.newBrowser(), bound.user_code, alice.email)

  assert.deepEqual([choice, end, endOfBound].map(headingOf), [
    'Choose an organization',
    'Device connected',
    'Device connected',
  ])
  for (const asked of [open, bound])
    assert.equal(decodeJwt((await poll(app, system, asked)).body.access_token).account_id, two.accountId)
})

test('a wrong, missing or used user code is an error at its field, and can be corrected', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, { skipConsent: true })
  const browser = app.newBrowser()
  const asked = await askAs(app, system)
  const faultOf = (page: Answer) =>
    /<p class="fault" id="user_code-error">([^<]+)</.exec(String(page.body))?.[1]

  const wrong = await enter(browser, 'bcdf-ghjk')
  const missing = await browser.submit(wrong, { user_code: '' })
  const confirm = await browser.submit(missing, {
    user_code: ` ${asked.user_code.toLowerCase().replace('-', ' ')} `,
  })
  await approve(browser, asked.user_code, alice.email)
  const used = await enter(browser, asked.user_code)

  assert.deepEqual(
    [wrong, missing, used].map((page) => [page.status, page.headers.get('content-type'), faultOf(page)]),
    [
      [200, HTML, 'The code is incorrect. Compare it with the code on your device.'],
      [200, HTML, 'Enter the code.'],
      [200, HTML, 'The code was already used. Start again on your device.'],
    ],
  )
  assert.match(String(wrong.body), /name="user_code"[^>]* value="bcdf-ghjk"/)
  assert.equal(headingOf(confirm), `Sign in to ${system.name} on your device?`)
  assert.match(String(confirm.body), new RegExp(`id="device-code">${asked.user_code}<`))
})

test('an expired code is shown to the user, and the device gets expired_token', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const asked = await askAs(app, system)
  const ofAsked = and(eq(artifacts.model, 'DeviceCode'), eq(sql`payload ->> 'clientId'`, system.clientId))
  await app.db.update(artifacts).set({ payload: sql`payload || '{"exp": 1}'` }).where(ofAsked)

  const page = await enter(app.newBrowser(), asked.user_code)
  const answer = await poll(app, system, asked)

  assert.match(String(page.body), /The code has expired/)
  assert.deepEqual(refusalOf(answer), [400, 'expired_token'])
})

test('a device form from another page, browser or site has no effect', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app)
  const { visitor: browser } = await app.signIn(system, { email: alice.email })
  const asked = await askAs(app, system)
  const fields = { user_code: asked.user_code, confirm: 'yes' }
  await browser.get('/device')

  const forged = await browser.post('/device', { ...fields, xsrf: 'forged' })
  const again = await browser.submit(forged, { user_code: asked.user_code })
  const outsider = await app.newBrowser().post('/device', fields)
  const elsewhere = await browser.post('/device', fields, { origin: 'https://evil.example' })
  const framed = await browser.post('/device', fields, { 'sec-fetch-site': 'cross-site' })

  assert.deepEqual(
    [forged, outsider, elsewhere, framed].map(({ status }) => status),
    [400, 303, 403, 403],
  )
  assert.match(String(forged.body), /This page expired/)
  const fetched = /^\/device\?cookies=\d+$/
  assert.match(outsider.headers.get('location') ?? '', fetched, 'without a session the form is fetched anew')
  assert.equal(headingOf(again), `Sign in to ${system.name} on your device?`)
  assert.deepEqual(refusalOf(await poll(app, system, asked)), [400, 'authorization_pending'])
})

test('device pages load nothing external, post to us only, and are localized', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const browser = app.newBrowser()
  const asked = await askAs(app, system)

  const page = await browser.get('/device', { 'accept-language': 'pt-BR' })
  const confirm = await browser.submit(page, { user_code: asked.user_code })

  assert.equal(headingOf(page), 'Conectar um dispositivo')
  for (const { headers } of [page, confirm]) {
    assert.match(headers.get('content-security-policy')!, /^default-src 'none'; .*form-action 'self';/)
    assert.doesNotMatch(headers.get('content-security-policy')!, /script-src|unsafe/)
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})

for (const step of ['the code', 'the sign-in', 'the consent'] as const) {
  test(`denied at ${step}, the device gets access_denied and the user a page that says so`, async (t) => {
    const app = await startTestApp(t)
    const { system, alice } = await member(app)
    const browser = app.newBrowser()
    const asked = await askAs(app, system)

    let page = await enter(browser, asked.user_code)
    if (step === 'the code') page = await browser.submit(page, { abort: 'yes' })
    else page = await browser.follow(await browser.submit(page, { confirm: 'yes' }))
    if (step === 'the sign-in') {
      const action = /action="([^"]+)\/login"/.exec(String(page.body))![1]!
      const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
      page = await browser.follow(await browser.post(`${action}/abort`, { csrf }))
    }
    if (step === 'the consent') {
      page = await browser.follow(await browser.submit(page, { email: alice.email, password: PASSWORD }))
      page = await browser.follow(await browser.submit(page, { decision: 'deny' }))
    }

    assert.equal(headingOf(page), 'Device not connected')
    assert.deepEqual(refusalOf(await poll(app, system, asked)), [400, 'access_denied'])
    assert.deepEqual(refusalOf(await poll(app, system, asked)), [400, 'access_denied'])
  })
}

test('of ten concurrent polls after the approval one gets tokens', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, { skipConsent: true })
  const asked = await askAs(app, system)
  await approve(app.newBrowser(), asked.user_code, alice.email)

  const answers = await Promise.all(Array.from({ length: 10 }, () => poll(app, system, asked)))
  const later = await poll(app, system, asked)

  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.deepEqual(
    [...answers.filter(({ status }) => status !== 200), later].map(refusalOf),
    Array(10).fill([400, 'invalid_grant']),
  )
})

test('when two browsers confirm one code concurrently, one continues', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const asked = await askAs(app, system)
  const browsers = [app.newBrowser(), app.newBrowser()]
  const pages = await Promise.all(browsers.map((browser) => enter(browser, asked.user_code)))

  const answers = await Promise.all(
    browsers.map((browser, index) => browser.submit(pages[index]!, { confirm: 'yes' })),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 303])
  assert.match(String(answers.find(({ status }) => status === 200)!.body), /The code was already used/)
})

test('a device code works for its own client only', async (t) => {
  const app = await startTestApp(t)
  const { system, alice } = await member(app, { skipConsent: true })
  const asked = await askAs(app, system)
  await approve(app.newBrowser(), asked.user_code, alice.email)

  const stolen = await poll(app, await app.newSystem({ allowDeviceFlow: true }), asked)

  assert.deepEqual(refusalOf(stolen), [400, 'invalid_grant'])
  assert.equal((await poll(app, system, asked)).status, 200)
})

test('a device of a blocked member gets no token, blocked before or after the approval', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, membership } = await member(app, { skipConsent: true })
  const bob = await app.newUser()
  await app.newMembership({ userId: bob.id, systemId: system.id, status: 'blocked' })
  const outsider = await app.newUser()
  const asked = [await askAs(app, system), await askAs(app, system), await askAs(app, system)] as const

  await approve(app.newBrowser(), asked[0].user_code, alice.email)
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const ofBob = await approve(app.newBrowser(), asked[1].user_code, bob.email)
  const ofOutsider = await approve(app.newBrowser(), asked[2].user_code, outsider.email)

  assert.deepEqual([ofBob, ofOutsider].map(headingOf), ['Device not connected', 'Device not connected'])
  assert.deepEqual(await Promise.all(asked.map(async (each) => refusalOf(await poll(app, system, each)))), [
    [400, 'invalid_grant'],
    [400, 'access_denied'],
    [400, 'access_denied'],
  ])
})

test('the database stores device codes and user codes hashed', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const asked = await askAs(app, system)
  const browser = app.newBrowser()
  await browser.submit(await enter(browser, asked.user_code), { confirm: 'yes' })

  const rows = await app.db.select().from(artifacts)

  assert.ok(rows.some(({ model, payload }) => model === 'Interaction' && payload.deviceCode !== undefined))
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(asked.device_code))
})

test('the device flow is available as JSON', async (t) => {
  const app = await startTestApp(t)
  const { system } = await member(app)
  const asked = await askAs(app, system)
  const browser = newBrowser(app.url)
  const json = { accept: 'application/json' }

  const form = (await browser.get('/device', json)).body
  const wrong = (await browser.post(form.action, { ...form.fields, user_code: 'BCDFGHJK' }, json)).body
  const confirm = (await browser.post(wrong.action, { ...wrong.fields, user_code: asked.user_code }, json))
    .body
  const { confirm: _, ...fields } = confirm.fields
  const stopped = (await browser.post(confirm.action, { ...fields, abort: 'yes' }, json)).body

  assert.deepEqual([form.step, form.fields.user_code, form.error], ['device', '', undefined])
  assert.deepEqual([wrong.step, wrong.fields.user_code, wrong.error], ['device', 'BCDFGHJK', 'wrong'])
  assert.deepEqual(
    [confirm.step, confirm.system, confirm.fields.user_code],
    ['device_confirm', { name: system.name }, asked.user_code],
  )
  assert.deepEqual(stopped, { step: 'device_stopped' })
})
