import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOGS, type Catalog, localeOf, localeOfTag } from './texts.ts'

test('every language has the same sections, keys and placeholders', () => {
  const placeholders = (catalog: Catalog) =>
    Object.fromEntries(
      Object.entries(catalog).flatMap(([section, texts]) =>
        Object.entries(texts).map(([key, text]) => [
          `${section}.${key}`,
          text.match(/\{\w+\}/g)?.sort() ?? [],
        ]),
      ),
    )

  for (const catalog of Object.values(CATALOGS)) {
    assert.deepEqual(placeholders(catalog), placeholders(CATALOGS.en))
    for (const text of Object.values(catalog).flatMap((texts) => Object.values(texts)))
      assert.ok(text.trim() === text && text !== '', text)
  }
})

test('an email is written in the language of the tag of its recipient, else in English', () => {
  assert.deepEqual(['pt-BR', 'ES', 'es_MX', 'de', '', 'constructor', null].map(localeOfTag), [
    'pt',
    'es',
    'es',
    'en',
    'en',
    'en',
    'en',
  ])
})

test('the language follows ui_locales, then Accept-Language, then English', () => {
  assert.equal(localeOf('fr pt-BR en', 'es'), 'pt')
  assert.equal(localeOf('fr', 'de, es;q=0.4, pt-PT;q=0.8, en;q=0.1'), 'pt')
  assert.equal(localeOf(undefined, 'pt;q=0, es;q=0.1'), 'es')
  assert.equal(localeOf(undefined, 'ES-mx'), 'es')
  assert.equal(localeOf(undefined, undefined), 'en')
  assert.equal(localeOf('constructor __proto__', 'tlh;q=x, *;q=0.5, ,;;'), 'en')
})
