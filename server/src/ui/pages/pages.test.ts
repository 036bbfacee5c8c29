import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../../../test/support/chromium.ts'
import { focusOn, openIsolatedPage, sentBy } from '../../../test/support/isolated-page.ts'
import { HOSTILE, LOGO_URL } from '../../../test/support/sample-names.ts'
import { servePages } from '../../../test/support/sample-pages.ts'
import { acme } from '../../../test/support/sample-systems.ts'
import { textsOf } from '../../texts/texts.ts'
import { html, render } from '../html.ts'
import { pagePolicy, stylesheets } from '../layout.ts'

const server = await servePages()
after(async () => {
  await closeBrowser()
  await server.close()
})

const open = (page: Page, name: string) => page.goto(`${server.url}/${name}`)

/** The fields that a page submits with `button`. */
const sent = (page: Page, button: string) => sentBy(page, () => page.locator(button).click())

test('P39: a hostile name is shown as text', async () => {
  const { page } = await openIsolatedPage(server.url)

  const named = ['login', 'register', 'join', 'create-account', 'consent', 'error', 'device-confirm'].map(
    (page) => `${page}-hostile`,
  )
  for (const name of [...named, 'account-many']) {
    await open(page, name)
    assert.ok((await page.locator('main').textContent())?.includes(HOSTILE), `${name} shows it whole`)
    assert.equal(await page.locator('img').count(), 0, `${name} makes no element of it`)
  }

  await open(page, 'login-hostile')
  assert.equal(await page.locator('input[name=email]').getAttribute('value'), HOSTILE)
  assert.equal(
    await page.title(),
    `Error: Sign in to ${HOSTILE.replace('\u202E', '')}`,
    'no writing direction leaks from the title',
  )
  await open(page, 'settings-security-long')
  for (const label of await page.locator('.panel [aria-label]').all())
    assert.doesNotMatch((await label.getAttribute('aria-label')) ?? '', /\u202E/, 'nor from a button')
  assert.equal(await page.locator('.panel [aria-label]').count(), 4)
  await page.context().close()
})

test('only templates produce markup: a parsed object is not trusted', () => {
  const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}')

  assert.equal(
    render(html`<p title="${'"'}">${"<&'"}${html`<i>`}${[1, false, undefined]}</p>`),
    '<p title="&quot;">&lt;&amp;&#39;<i>1</p>',
  )
  assert.throws(() => render(html`${forged}`), TypeError)
})

test('the sign-in form has the fields and hooks that password managers expect', async () => {
  const { page } = await openIsolatedPage(server.url)
  await open(page, 'login')
  const attributes = (selector: string, ...names: string[]) =>
    Promise.all(names.map((name) => page.locator(selector).getAttribute(name)))

  assert.deepEqual(
    await attributes('input[name=email]', 'type', 'autocomplete', 'autocapitalize', 'spellcheck', 'required'),
    ['email', 'username webauthn', 'none', 'false', ''],
  )
  assert.deepEqual(await attributes('input[name=password]', 'type', 'autocomplete', 'required'), [
    'password',
    'current-password',
    '',
  ])
  await focusOn(page, 'email')
  await page.keyboard.type('bob@example.com')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.id'), 'submit', 'the button follows the fields')
  assert.deepEqual(await sent(page, 'button#submit'), {
    csrf: 'c5rf"token',
    email: 'bob@example.com',
    password: 'correct horse',
  })
  await page.context().close()
})

test('a refused sign-in keeps the address, names the error and focuses its field', async () => {
  const { page } = await openIsolatedPage(server.url)
  const described = (field: string) =>
    page.evaluate(
      `document.getElementById(document.querySelector('[name=${field}]').getAttribute('aria-describedby')).textContent`,
    )

  await open(page, 'login-refused')
  assert.equal(
    await (await page.locator('[role=alert]').textContent())?.trim(),
    'The email address or password is incorrect.',
  )
  assert.equal(await page.locator('input[name=email]').inputValue(), 'alice@northsea.example')
  assert.equal(await page.locator('input[name=password]').inputValue(), '')
  await focusOn(page, 'password')
  assert.equal(await described('password'), 'The email address or password is incorrect.')

  await open(page, 'login-faulty')
  await focusOn(page, 'email')
  assert.equal(await described('email'), 'Enter a valid email address, such as name@example.com.')
  assert.equal(await page.locator('[aria-invalid=true]').count(), 2)
  await page.locator('[role=alert] a').last().click()
  await focusOn(page, 'password')
  await page.context().close()
})

test('a new password has two fields for password managers, and an error focuses its field', async () => {
  const { page } = await openIsolatedPage(server.url)
  const kind = (field: string) => page.locator(`[name=${field}]`).getAttribute('autocomplete')

  await open(page, 'reset-password')
  assert.deepEqual(
    [await kind('email'), await kind('password'), await kind('passwordAgain')],
    ['username', 'new-password', 'new-password'],
  )
  await focusOn(page, 'password')
  await page.keyboard.type('my very own words')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('my very own words')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.id'), 'submit', 'the button follows the fields')
  assert.deepEqual(await sent(page, 'button#submit'), {
    token: 'a-token',
    email: 'alice@northsea.example',
    password: 'my very own words',
    passwordAgain: 'my very own words',
  })

  await open(page, 'reset-password-differs')
  await focusOn(page, 'passwordAgain')
  assert.equal(await page.locator('#passwordAgain-error').textContent(), textsOf('en').passwordsDiffer)
  await page.context().close()
})

test('one click chooses an organization, and the focus is visible in a long list', async () => {
  const { page } = await openIsolatedPage(server.url, { viewport: { width: 390, height: 600 } })

  await open(page, 'account')
  assert.deepEqual(await sent(page, 'button[value=a3]'), { csrf: 'c5rf"token', accountId: 'a3' })

  await open(page, 'account-many')
  await page.locator('button[name=accountId]').first().focus()
  for (let step = 1; step < 24; step++) {
    await page.keyboard.press('Tab')
    const seen =
      await page.evaluate(`(() => { const { left, right, top, bottom } = document.activeElement.getBoundingClientRect()
      return document.activeElement.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)) && document.activeElement.value })()`)
    assert.equal(seen, `m${step}`)
  }
  await page.context().close()
})

test('a code field supports autofill, and offers the other methods', async () => {
  const { page } = await openIsolatedPage(server.url)
  const kind = (name: string) => page.locator('[name=code]').getAttribute(name)

  for (const name of ['email-otp', 'second-factor', 'enrol']) {
    await open(page, name)
    assert.deepEqual(
      [await kind('autocomplete'), await kind('inputmode')],
      ['one-time-code', 'numeric'],
      name,
    )
  }
  await open(page, 'email-otp')
  await focusOn(page, 'code')
  await page.keyboard.type('123 456')
  assert.deepEqual(await sent(page, 'button#submit'), { csrf: 'c5rf"token', code: '123 456' })
  await open(page, 'email-otp')
  assert.deepEqual(await sent(page, 'button#resend'), { csrf: 'c5rf"token', resend: 'yes' })
  await open(page, 'second-factor')
  await page.locator('.more summary').click()
  await page.locator('[name=recoveryCode]').fill('ABCDE-FGHIJ')
  assert.deepEqual(await sent(page, 'button#recover'), { csrf: 'c5rf"token', recoveryCode: 'ABCDE-FGHIJ' })
  await open(page, 'second-factor-recovery')
  await focusOn(page, 'recoveryCode')
  await open(page, 'enrol')
  const isShown = () => page.locator('.qr').isVisible()
  const before = await isShown()
  await page.locator('#use-app').press('Enter')
  assert.deepEqual([before, await isShown()], [false, true], 'the method is chosen first')
  assert.deepEqual(await sent(page, 'button#leave'), { csrf: 'c5rf"token' })
  await page.context().close()
})

test('without JavaScript no passkey is offered, and a text explains the alternatives', async () => {
  const { page } = await openIsolatedPage(server.url, { javaScriptEnabled: false })

  const shown: Record<string, boolean[]> = {}
  for (const name of ['login', 'second-factor', 'second-factor-passkey', 'enrol']) {
    await open(page, name)
    shown[name] = [await page.locator('#passkey').isVisible(), await page.locator('.scriptless').isVisible()]
  }

  assert.deepEqual(shown, {
    login: [false, false],
    'second-factor': [false, false],
    'second-factor-passkey': [false, true],
    enrol: [false, false],
  })
  await page.context().close()
})

test('consent is given with the CSRF token alone and denied with decision=deny', async () => {
  const { page } = await openIsolatedPage(server.url)

  await open(page, 'consent')
  assert.deepEqual(await sent(page, 'button#submit'), { csrf: 'c5rf"token' })
  await open(page, 'consent')
  assert.deepEqual(await sent(page, 'button[name=decision]'), { csrf: 'c5rf"token', decision: 'deny' })
  await page.context().close()
})

test('a user code is entered, then confirmed or denied, and an error is at its field', async () => {
  const { page } = await openIsolatedPage(server.url)

  await open(page, 'device')
  await focusOn(page, 'user_code')
  await page.keyboard.type('wdjb-mjht')
  assert.deepEqual(await sent(page, 'button#submit'), { xsrf: 'x5rf', user_code: 'wdjb-mjht' })

  await open(page, 'device-wrong')
  await focusOn(page, 'user_code')
  assert.equal(await page.locator('[name=user_code]').getAttribute('aria-describedby'), 'user_code-error')
  assert.equal(await page.locator('#user_code-error').textContent(), textsOf('pt').deviceCodeWrong)

  await open(page, 'device-confirm')
  assert.equal(await page.locator('#device-code').textContent(), 'WDJB-MJHT')
  assert.deepEqual(await sent(page, 'button#submit'), {
    xsrf: 'x5rf',
    user_code: 'WDJB-MJHT',
    confirm: 'yes',
  })
  await open(page, 'device-confirm')
  assert.deepEqual(await sent(page, 'button#abort'), { xsrf: 'x5rf', user_code: 'WDJB-MJHT', abort: 'yes' })
  await page.context().close()
})

test('logging out requires a confirmation', async () => {
  const { page } = await openIsolatedPage(server.url)

  await open(page, 'logout')
  assert.deepEqual(await sent(page, 'button#logout-confirm'), { xsrf: 'x5rf', logout: 'yes' })
  await open(page, 'logout')
  assert.deepEqual(await sent(page, 'button#logout-cancel'), { xsrf: 'x5rf' })
  await page.context().close()
})

test('an error page names parameter, code and request id, and the next step', async () => {
  const { page } = await openIsolatedPage(server.url)

  await open(page, 'error-request')
  const texts = await Promise.all(
    ['p.lead', '#error-code', '#error-parameter', '#request-id'].map((selector) =>
      page.locator(selector).textContent(),
    ),
  )
  assert.match(texts[0]!, /Invalid parameter: redirect_uri\.$/)
  assert.deepEqual(texts.slice(1), [
    'invalid_redirect_uri',
    'redirect_uri',
    '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10',
  ])
  assert.match(
    (await page.locator('p.lead + p').textContent()) ?? '',
    /^Return to the application and try again\./,
  )

  await open(page, 'error-expired')
  assert.equal(await page.locator('a#next').getAttribute('href'), acme.next)
  await open(page, 'message-pending')
  assert.deepEqual(await sent(page, 'button#submit'), { csrf: 'c5rf"token' })
  await page.context().close()
})

test('the first page loads less than 30 kB in total, without layout shifts', async () => {
  const { page } = await openIsolatedPage(server.url)
  const bodies: Promise<Buffer>[] = []
  page.on('response', (response) => bodies.push(response.body()))

  await open(page, 'login')
  const files = await Promise.all(bodies)
  const weight = files.reduce((sum, { length }) => sum + length, 0)

  assert.equal(files.length, 5, 'the page, two stylesheets, the scripts of passkeys and of passwords')
  assert.ok(weight < 30_000, `${weight} bytes`)
  assert.equal(
    await page.evaluate(
      `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().length)).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => resolve(0), 200))`,
    ),
    0,
  )
  await page.context().close()
})

test('the stylesheet URL has a content hash, and the CSP allows it and the logo', () => {
  const { content } = stylesheets.style
  assert.ok(Buffer.byteLength(content) < 22_000 && !content.includes('/*'), 'it has no comments')
  assert.match(stylesheets.style.url, /^\/assets\/style-[\w-]{12}\.css$/)
  assert.equal(
    pagePolicy({ logoUrl: LOGO_URL, forms: 'own' }),
    "default-src 'none'; style-src 'self'; img-src 'self' data: https://cdn.northsea.example; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
  assert.doesNotMatch(pagePolicy({ logoUrl: 'http://plain.example/a.png', forms: 'own' }), /plain/)
})
