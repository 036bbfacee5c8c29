/** Every page in every language on a small phone, and in two of them on a desktop. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../../test/support/chromium.ts'
import { openIsolatedPage } from '../../../test/support/isolated-page.ts'
import { servePages } from '../../../test/support/sample-pages.ts'
import { samplesIn } from '../../../test/support/samples-in-language.ts'
import type { Locale } from '../../texts/texts.ts'

after(closeBrowser)

/**
 * Runs in the page: the words of its texts that a line break divides, texts that are cut off, and the width.
 * A word is a row of letters, in Japanese one of katakana or of Latin letters; a soft hyphen ends it. Names,
 * addresses and codes are not texts of the page.
 */
const faultsOf = (word: string) => `(() => {
  const isOfOthers = (element) => element.closest('bdi, code, pre, input, textarea, select, svg, .hidden, blockquote, .skip')
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
  const faults = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (isOfOthers(parent) || !isShown(parent)) continue
    for (const { 0: found, index } of node.data.matchAll(/${word}/gu)) {
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)))
      if (lines.size > 1) faults.push('divided: ' + found)
    }
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (isOfOthers(element) || !isShown(element) || element.childElementCount > 0 || !element.textContent.trim()) continue
    const { overflowX, overflowY } = getComputedStyle(element)
    const isCut = (overflow, inner, outer) => overflow !== 'visible' && inner > outer + 1
    if (isCut(overflowX, element.scrollWidth, element.clientWidth) || isCut(overflowY, element.scrollHeight, element.clientHeight))
      faults.push('cut off: ' + element.textContent.trim())
  }
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.push('wider than the window: ' + scrollWidth)
  return faults
})()`

const LETTERS = '\\p{L}{2,}'
const WORDS: Record<Locale, string> = {
  ...{ de: LETTERS, en: LETTERS, es: LETTERS, fr: LETTERS, pt: LETTERS },
  ja: '[\\p{Script=Katakana}ー]{2,}|[A-Za-z]{2,}',
}

/** German has long words and Japanese no spaces: what fits in them fits in the others on a desktop. */
const widthsOf = (locale: Locale) => (locale === 'de' || locale === 'ja' ? [320, 1_280] : [320])

for (const [locale, word] of Object.entries(WORDS) as [Locale, string][])
  test(`in ${locale} no page divides a word, cuts off a text or is wider than the window`, async (t) => {
    const samples = await samplesIn(locale)
    const server = await servePages(samples)
    const { page } = await openIsolatedPage(server.url, { reducedMotion: 'reduce', locale })
    t.after(async () => {
      await page.context().close()
      await server.close()
    })
    const names = Object.keys(samples).filter((name) => !name.endsWith('-hostile'))
    const found: string[] = []

    for (const name of names) {
      await page.setViewportSize({ width: 320, height: 800 })
      await page.goto(`${server.url}/${name}`)
      for (const width of widthsOf(locale)) {
        await page.setViewportSize({ width, height: 800 })
        const faults = (await page.evaluate(faultsOf(word))) as string[]
        found.push(...faults.map((fault) => `${name} at ${width}: ${fault}`))
      }
    }

    assert.ok(names.length > 100, `${names.length}`)
    assert.deepEqual(found, [])
  })
