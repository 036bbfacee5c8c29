/** Every page once in Chromium: accessibility, width, and what its policies forbid. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { closeBrowser } from '../../../test/support/chromium.ts'
import { openIsolatedPage } from '../../../test/support/isolated-page.ts'
import { samplePages, servePages } from '../../../test/support/sample-pages.ts'

const server = await servePages()
after(async () => {
  await closeBrowser()
  await server.close()
})

const open = (page: Page, name: string) => page.goto(`${server.url}/${name}`)

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** axe rules that depend on colors and width; the others are checked once. */
const LOOKS = ['color-contrast', 'link-in-text-block', 'target-size']

/** Runs in the page: what its policy forbids. */
const INLINE = `[...document.querySelectorAll('*')].filter((element) => element.matches('script:not([src^="/assets/"]), script:not(:empty), style, [style], iframe, object, link[rel=stylesheet]:not([href^="/assets/"])')
      || [...element.attributes].some(({ name, value }) => name.startsWith('on') || value.startsWith('javascript:'))).map((element) => element.outerHTML)`

/** The targets of forms, and what could change them. */
const TARGETS = `[
  ...[...document.forms].map((form) => new URL(form.getAttribute('action') ?? '', document.URL).href),
  ...[...document.querySelectorAll('[formaction]')].map(({ formAction }) => formAction),
  ...[...document.querySelectorAll('base, meta[http-equiv], embed')].map(({ outerHTML }) => outerHTML),
]`

const PHONE = { width: 390, height: 844 }

/** What one visit of pages found. It costs a load and two runs of axe for each. */
type Findings = Record<'phone' | 'desktop' | 'wide' | 'inline' | 'targets' | 'external' | 'errors', string[]>

async function faultsOf(page: Page, name: string, rules: object): Promise<string[]> {
  const options = { ...rules, resultTypes: ['violations'] }
  const results: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
  assert.ok(
    results.passes.some(({ id }) => id === 'color-contrast'),
    `${name}: its contrast was measured`,
  )
  return results.violations.map(
    ({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html).join(' and ')}`,
  )
}

async function visit(names: string[]): Promise<Findings> {
  const { page, externalRequests, pageErrors } = await openIsolatedPage(server.url, {
    reducedMotion: 'reduce',
  })
  const found: Findings = {
    ...{ phone: [], desktop: [], wide: [], inline: [], targets: [] },
    ...{ external: externalRequests, errors: pageErrors },
  }
  for (const name of names) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(PHONE)
    await open(page, name)
    found.inline.push(...((await page.evaluate(INLINE)) as string[]).map((element) => `${name}: ${element}`))
    found.targets.push(
      ...((await page.evaluate(TARGETS)) as string[]).map((target) => `${target} on ${name}`),
    )
    await page.evaluate(axe.source)
    const all = { runOnly: WCAG, rules: { 'target-size': { enabled: true } } }
    found.phone.push(...(await faultsOf(page, name, all)))
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 1280, height: 800 })
    found.desktop.push(...(await faultsOf(page, name, { runOnly: LOOKS })))
    await page.setViewportSize({ width: 320, height: 568 })
    for (const size of ['100%', '200%']) {
      const width = await page.evaluate(
        `document.documentElement.style.fontSize = '${size}', document.documentElement.scrollWidth`,
      )
      if (width !== 320) found.wide.push(`${name} at ${size}: ${width}`)
    }
  }
  await page.context().close()
  return found
}

const names = Object.keys(samplePages)
/** So many that a busy machine visits them well within the time of a test. */
const PAGES_OF_A_VISIT = 40
const parts = Array.from({ length: Math.ceil(names.length / PAGES_OF_A_VISIT) }, (_, at) =>
  names.slice(at * PAGES_OF_A_VISIT, (at + 1) * PAGES_OF_A_VISIT),
)
const visits = new Map<string[], Promise<Findings>>()

function findingsOf(part: string[]): Promise<Findings> {
  const found = visits.get(part) ?? visit(part)
  visits.set(part, found)
  return found
}

/** What the visits of all pages found. */
async function findings(kind: keyof Findings): Promise<string[]> {
  const found: string[] = []
  for (const part of parts) found.push(...(await findingsOf(part))[kind])
  return found
}

test('every function that draws a page has a sample', () => {
  const server = new URL('../../../', import.meta.url)
  const read = (folder: string, name: RegExp) =>
    readdirSync(new URL(folder, server), { recursive: true, encoding: 'utf8' })
      .filter((file) => name.test(file))
      .map((file) => readFileSync(new URL(folder + file, server), 'utf8'))
  const sources = read('src/', /(?<!\.test)\.ts$/).filter((text) => /\b(layout|framed)\(\{/.test(text))
  const samples = read('test/support/', /^sample-.*\.ts$/).join()

  const drawn = sources.flatMap((text) => [...text.matchAll(/^export (?:async )?function (\w+Page)\(/gm)])
  const missing = drawn.map(([, name]) => name!).filter((name) => !new RegExp(`\\b${name}\\(`).test(samples))

  assert.ok(drawn.length > 30, `${drawn.length}`)
  assert.deepEqual(missing, [])
})

test('there are samples of many pages', () => {
  assert.ok(names.length > 100, `${names.length} pages`)
})

for (const part of parts)
  test(`pages meet WCAG 2.2 AA on a phone in light and on a desktop in dark: from ${part[0]}`, async () => {
    const { phone, desktop } = await findingsOf(part)

    assert.deepEqual({ phone, desktop }, { phone: [], desktop: [] })
  })

test('pages load nothing external and log no error', async () => {
  assert.deepEqual(await findings('external'), [])
  assert.deepEqual(await findings('errors'), [])
})

test('every page fits a width of 320 pixels, also with doubled text', async () => {
  assert.deepEqual(await findings('wide'), [])
})

test('no page has inline scripts, styles or handlers', async () => {
  assert.deepEqual(await findings('inline'), [])
})

test('P75: every form leads to a path of ours, whatever values a page displays', async () => {
  const targets = await findings('targets')

  assert.ok(targets.length > names.length / 2, `${targets.length}`)
  assert.deepEqual(
    targets.filter((target) => !target.startsWith(`${server.url}/`)),
    [],
  )
})
