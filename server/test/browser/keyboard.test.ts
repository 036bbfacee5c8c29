/** Pages by keyboard: Tab order, visible focus, Enter, and the button that shows a password. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CATALOGS, type Locale } from '../../src/texts/texts.ts'
import { fillPlain } from '../../src/ui/html.ts'
import { closeBrowser } from '../support/chromium.ts'
import { focusOn, openIsolatedPage, sentBy } from '../support/isolated-page.ts'
import { samplePages, servePages } from '../support/sample-pages.ts'
import { SOON } from '../support/waiting.ts'

const server = await servePages()
after(async () => {
  await closeBrowser()
  await server.close()
})

const open = (page: Page, name: string) => page.goto(`${server.url}/${name}`)
/** An open menu closes while the focus is elsewhere. */
const NAMES = Object.keys(samplePages).filter((name) => !name.endsWith('-open'))
const half = Math.ceil(NAMES.length / 2)

/** Runs in the page: lists the controls in document order and records focus events. */
const WATCH = `(() => {
  const look = (element) => {
    const { outline, boxShadow, borderColor } = getComputedStyle(element)
    return [outline, boxShadow, borderColor].join()
  }
  const stops = [...document.querySelectorAll('a[href], button:not(:disabled), input:not([type=hidden], :disabled), select, textarea, summary')].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }) && !(element.type === 'radio' && !element.checked),
  )
  document.activeElement.blur()
  const before = stops.map(look)
  const boxes = stops.map((element) => element.getClientRects()[0].toJSON())
  window.seen = []
  document.addEventListener('focusin', ({ target }) => {
    const at = stops.indexOf(target)
    window.seen.push({ at, what: target.outerHTML.slice(0, 80), visible: look(target) !== before[at] })
  })
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
  window.seen.length = 0
  return boxes
})()`

/** Tab also stops at the second and third part of a date and at its calendar, which the page does not see. */
const DATE_STOPS = 3
/** Tab goes from the address to the password, and to the link above it afterwards. */
const BESIDE_LABEL = /id="(forgot-password|change-address)"/

type Box = { left: number; right: number; top: number; bottom: number }
type Seen = { at: number; what: string; visible: boolean }

/** Whether the second box is below the first or to its right, also in a column beside it. */
const follows = (one: Box, other: Box) =>
  other.top >= one.bottom - 1 ||
  other.left >= one.right - 1 ||
  (other.bottom > one.top && other.left >= one.left && other.right >= one.right - 8)

for (const [part, names] of [
  ['first', NAMES.slice(0, half)],
  ['second', NAMES.slice(half)],
] as const) {
  test(`Tab reaches every control once, in order and visibly: ${part} half of the pages`, async () => {
    const { page } = await openIsolatedPage(server.url, {
      viewport: { width: 1080, height: 900 },
      reducedMotion: 'reduce',
    })

    const faults: string[] = []
    for (const name of names) {
      await open(page, name)
      // autofocus comes with a frame
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      const boxes = (await page.evaluate(WATCH)) as Box[]
      const presses = boxes.length + DATE_STOPS * (await page.locator('input[type=date]:visible').count())
      for (let press = 0; press < presses; press++) await page.keyboard.press('Tab')
      const seen = (await page.evaluate('window.seen')) as Seen[]
      const order = seen.map(({ at }) => at).join()
      if (order !== boxes.map((_, at) => at).join())
        faults.push(`${name}: the order is ${order} of ${boxes.length}`)
      for (const { visible, what } of seen)
        if (!visible) faults.push(`${name}: no focus to be seen at ${what}`)
      for (const [at, box] of boxes.slice(1).entries())
        if (!follows(boxes[at]!, box) && !BESIDE_LABEL.test(seen[at + 1]?.what ?? ''))
          faults.push(`${name}: ${seen[at + 1]?.what} stands before ${seen[at]?.what}`)
      const last = await page.evaluate('document.activeElement')
      await page.keyboard.press('Tab')
      const on = (await page.evaluate('window.seen.length')) as number
      const body = await page.evaluate('document.activeElement === document.body')
      if (boxes.length > 1 && on === boxes.length && !body)
        faults.push(`${name}: the focus is caught at ${String(last)}`)
    }

    assert.deepEqual(faults, [])
    await page.context().close()
  })
}

test('the focus is on the first invalid field, otherwise on the first field to fill in', async () => {
  const { page } = await openIsolatedPage(server.url)

  const faulty = NAMES.filter(
    (name) => !name.endsWith('-hostile') && samplePages[name]!.html.includes('aria-invalid="true"'),
  )
  assert.ok(faulty.length > 15)
  const asking = {
    login: 'email',
    'login-refused': 'password',
    'address-first': 'email',
    'address-first-password': 'password',
    register: 'email',
    'forgot-password': 'email',
    'reset-password': 'password',
    'email-otp': 'code',
    'second-factor': 'code',
    device: 'user_code',
    'settings-password': 'current',
    'settings-password-first': 'password',
    'settings-email': 'email',
    'social-link': 'password',
  }
  const expected = [
    ...faulty.map((name) => [name, '[aria-invalid=true]']),
    ...Object.entries(asking).map(([name, field]) => [name, `[name=${field}]:not([hidden])`]),
  ]
  for (const [name = '', selector] of expected) {
    await open(page, name)
    const there = `document.activeElement === document.querySelector('form :is(input, textarea)${selector}')`
    await page.waitForFunction(there, undefined, SOON).catch(async () => {
      const focused = await page.evaluate('document.activeElement.outerHTML')
      assert.ok(await page.evaluate(there), `${name}: the focus is at ${focused}`)
    })
  }
  await page.context().close()
})

test('Enter in the last field submits the form with its first button', async () => {
  const { page } = await openIsolatedPage(server.url)

  const forms = {
    'login-providers': ['email', 'password'],
    'address-first-providers': ['email'],
    'address-first-password': ['password'],
    register: ['email', 'password', 'name'],
    'forgot-password': ['email'],
    'reset-password': ['password', 'passwordAgain'],
    'email-otp': ['code'],
    'second-factor': ['code'],
    device: ['user_code'],
    'join-organization': ['accountName'],
    'settings-profile': ['name'],
    'settings-password': ['current', 'password', 'passwordAgain'],
    'settings-email': ['email'],
  }
  for (const [name, fields] of Object.entries(forms)) {
    await open(page, name)
    for (const field of fields)
      await page
        .locator(`input[name=${field}]:not([hidden])`)
        .fill(field === 'email' ? 'a@b.example' : '123456789')
    const gone = page.waitForEvent('framenavigated')
    const sent = await sentBy(page, () => page.keyboard.press('Enter'))
    await gone
    for (const field of fields) assert.ok(sent[field], `${name} sends ${field}`)
    assert.ok(!('decision' in sent) && !('resend' in sent), name)
  }
  await page.context().close()
})

test('a password can be shown by pointer and keyboard, and is submitted as a password', async () => {
  const { page } = await openIsolatedPage(server.url)
  await open(page, 'login')
  const field = page.locator('input[name=password]')
  const button = page.getByRole('button', { name: `Show: ${CATALOGS.en.signIn.password}` })
  const state = async () => [await field.getAttribute('type'), await button.getAttribute('aria-pressed')]

  await focusOn(page, 'email')
  await page.locator('input[name=email]').fill('bob@example.com')
  await field.fill('correct horse')
  const before = await field.boundingBox()
  assert.deepEqual(await state(), ['password', 'false'])
  await button.click()
  assert.deepEqual(await state(), ['text', 'true'])
  await focusOn(page, 'password')
  assert.deepEqual(await field.boundingBox(), before, 'nothing moves')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  assert.deepEqual(await state(), ['password', 'false'])
  await page.keyboard.press('Space')
  assert.deepEqual(await state(), ['text', 'true'])

  // Prevents the navigation, to inspect the submitted form.
  await page.evaluate(`document.querySelector('#submit').form.addEventListener('submit', (event) => {
    window.sentAs = new FormData(event.target).get('password') + ' as ' + event.target.password.type
    event.preventDefault()
  })`)
  await page.locator('#submit').click()
  assert.equal(await page.evaluate('window.sentAs'), 'correct horse as password')
  assert.deepEqual(await state(), ['password', 'false'])
  await page.context().close()
})

test('each password field has a labeled button in every language, and its autocomplete type', async () => {
  const { page } = await openIsolatedPage(server.url)
  const withPasswords = NAMES.filter((name) => samplePages[name]!.html.includes('type="password"'))
  assert.ok(withPasswords.length > 20)

  const languages = new Set<string>()
  for (const name of withPasswords) {
    await open(page, name)
    const fields =
      (await page.evaluate(`[...document.querySelectorAll('input[type=password]')].map((field) => ({
      kind: field.autocomplete,
      label: field.labels[0].textContent,
      button: field.parentElement.querySelector('button[aria-controls="' + field.id + '"]').getAttribute('aria-label'),
    }))`)) as { kind: string; label: string; button: string }[]
    const language = (await page.locator('html').getAttribute('lang'))!.slice(0, 2) as Locale
    languages.add(language)
    for (const { kind, label, button } of fields) {
      assert.match(kind, /^(current|new)-password$/, name)
      assert.equal(button, fillPlain(CATALOGS[language].signIn.showField, { field: label }), name)
    }
    assert.equal(new Set(fields.map(({ button }) => button)).size, fields.length, name)
  }
  assert.deepEqual([...languages].sort(), Object.keys(CATALOGS).sort())
  await page.context().close()
})

test('without JavaScript a password is a plain field without the button', async () => {
  const { page } = await openIsolatedPage(server.url, { javaScriptEnabled: false })
  await open(page, 'reset-password')

  assert.equal(await page.locator('input[type=password]').count(), 2)
  assert.deepEqual(await Promise.all([0, 1].map((at) => page.locator('.reveal').nth(at).isVisible())), [
    false,
    false,
  ])
  await page.context().close()
})
