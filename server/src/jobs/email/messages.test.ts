/** Contents of every email with hostile names (P08); an email loads nothing but the logo. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import { closeBrowser, openBrowser } from '../../../test/support/chromium.ts'
import {
  BASE,
  emailKinds,
  HOSTILE_NAME,
  hostileEmails,
  sampleEmails,
} from '../../../test/support/sample-emails.ts'
import { LOGO_URL, logoImage } from '../../../test/support/sample-names.ts'
import * as adminMessages from './admin-messages.ts'
import * as messages from './messages.ts'

after(closeBrowser)

/** A browser page without a server; records the requests that its content makes. */
async function mailProgram(
  options: { colorScheme?: 'light' | 'dark'; width?: number; pictures?: boolean } = {},
) {
  const { colorScheme = 'light', width = 800, pictures = true } = options
  const context = await (await openBrowser()).newContext({ colorScheme, viewport: { width, height: 800 } })
  const asked: string[] = []
  await context.route(/^https?:/, (route) => {
    asked.push(route.request().url())
    return pictures ? route.fulfill({ contentType: 'image/svg+xml', body: logoImage }) : route.abort()
  })
  return { page: await context.newPage(), asked, close: () => context.close() }
}

test('every email has a sample', () => {
  const kinds = new Set(emailKinds().map((kind) => kind.split('.')[0]))
  assert.deepEqual([...kinds].sort(), Object.keys({ ...messages, ...adminMessages }).sort())
})

test('P08: no name adds a header, recipient, paragraph, link or markup to an email', async () => {
  const { page, asked, close } = await mailProgram()
  const plain = new Map(sampleEmails().map(([name, email]) => [name, email]))
  const kinds = [...plain.values()].map(({ kind }) => kind)

  for (const locale of ['en', 'pt-BR', 'ja']) {
    const made = hostileEmails(locale)
    assert.deepEqual(
      made.map(([, { kind }]) => kind),
      kinds,
    )
    for (const [index, [name, email]] of made.entries()) {
      const where = `${name} in ${locale}`
      const sample = [...plain.values()][index]!
      assert.match(email.recipient, /^alice@(northsea|new)\.example$/, where)
      assert.doesNotMatch(email.subject, /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u, where)
      assert.doesNotMatch(email.text, /[^\P{Cc}\n]|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/u, where)
      assert.equal(email.text.split('\n\n').length, sample.text.split('\n\n').length, `${where}: paragraphs`)
      for (const link of email.text.match(/https?:\/\/\S+/g) ?? [])
        assert.ok(link.startsWith(`${BASE}/`), `${where}: ${link}`)

      await page.setContent(email.html)
      const found = (await page.evaluate(`({
        links: [...document.querySelectorAll('[href]')].map((each) => each.href),
        images: [...document.images].map(({ src, alt, attributes }) => [src, alt, [...attributes].filter(({ name }) => name.startsWith('on')).length]),
        active: document.querySelectorAll('script, iframe, form, link, object, meta[http-equiv]').length,
        elements: document.querySelectorAll('*').length,
        said: document.querySelector('.card').textContent,
        lang: document.documentElement.lang,
      })`)) as {
        links: string[]
        images: [string, string, number][]
        active: number
        elements: number
        said: string
        lang: string
      }
      assert.deepEqual(
        found.links.filter((link) => !link.startsWith(`${BASE}/`)),
        [],
        where,
      )
      assert.equal(found.active, 0, where)
      assert.ok(locale.startsWith(found.lang), where)
      for (const [, alt, handlers] of found.images) {
        assert.ok(alt.replaceAll('\u2060', '').includes('<a href=//evil.example>click</a>'), where)
        assert.equal(handlers, 0, where)
      }
      if (email.html.includes('evil'))
        assert.ok(found.said.includes('<script>alert(1)</script>') || found.images.length > 0, where)
    }
  }
  assert.ok(
    asked.every((address) => address.startsWith('https://x.example/')),
    String(asked),
  )
  assert.ok(HOSTILE_NAME.includes('\r\n'))
  await close()
})

test('an email shows the branding of its system and loads nothing but the logo', async () => {
  const { page, asked, close } = await mailProgram()

  for (const [name, email] of sampleEmails()) {
    await page.setContent(email.html, { waitUntil: 'load' })
    if ((await page.locator('img').count()) > 0)
      assert.equal(await page.locator('img').getAttribute('alt'), 'Northsea', name)
  }
  assert.deepEqual([...new Set(asked)], [LOGO_URL])
  const [, branded] = sampleEmails().find(
    ([, { html }]) => html.includes('Northsea') && html.includes('class="button"'),
  )!
  assert.ok(branded.html.includes('background:#0f766e'))
  await close()
})

test("without images an email shows the system's name instead of the logo", async () => {
  const { page, close } = await mailProgram({ pictures: false })
  const [, email] = sampleEmails().find(([, { html }]) => html.includes('<img'))!

  await page.setContent(email.html, { waitUntil: 'load' })
  await page.getByAltText('Northsea').waitFor()
  assert.equal(await page.evaluate('document.images[0].naturalWidth'), 0)
  await close()
})

/** One email of each system and of each layout: with a code, with a button, with text only. */
const looks = new Map(
  sampleEmails().map((sample) => {
    const { html } = sample[1]
    const mark = /class="(?:logo|fill)"[^>]*/.exec(html)?.[0]
    return [[mark, html.includes('class="code"'), html.includes('class="button"')].join(), sample]
  }),
)

for (const colorScheme of ['light', 'dark'] as const) {
  test(`emails meet WCAG 2.2 AA in the ${colorScheme} scheme and fit a phone`, async () => {
    const { page, close } = await mailProgram({ colorScheme, width: 320 })

    const faults: string[] = []
    for (const [name, email] of looks.values()) {
      await page.setContent(email.html, { waitUntil: 'load' })
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      if (wide !== 320) faults.push(`${name}: ${wide} wide`)
      await page.evaluate(axe.source)
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
      const { violations, passes }: AxeResults = await page.evaluate(
        `axe.run({ runOnly: ${JSON.stringify(tags)} })`,
      )
      if (!passes.some(({ id }) => id === 'color-contrast'))
        faults.push(`${name}: its contrast was not measured`)
      faults.push(
        ...violations.map(
          ({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html).join(' and ')}`,
        ),
      )
    }

    assert.deepEqual(faults, [])
    await close()
  })
}
