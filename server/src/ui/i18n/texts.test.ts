import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localeOf, TEXTS, type Texts } from './texts.ts'

test('every language has the same texts with the same placeholders', () => {
  const blanks = (texts: Texts) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, text.match(/\{\w+\}/g)?.sort() ?? []]),
    )

  for (const texts of Object.values(TEXTS)) {
    assert.deepEqual(blanks(texts), blanks(TEXTS.en))
    assert.ok(Object.values(texts).every((text) => text.trim() === text && text !== ''))
  }
})

test('the language follows ui_locales, then Accept-Language, then English', () => {
  assert.equal(localeOf('fr pt-BR en', 'es'), 'pt')
  assert.equal(localeOf('fr', 'de, es;q=0.4, pt-PT;q=0.8, en;q=0.1'), 'pt')
  assert.equal(localeOf(undefined, 'pt;q=0, es;q=0.1'), 'es')
  assert.equal(localeOf(undefined, 'ES-mx'), 'es')
  assert.equal(localeOf(undefined, undefined), 'en')
  assert.equal(localeOf('constructor __proto__', 'tlh;q=x, *;q=0.5, ,;;'), 'en')
})
