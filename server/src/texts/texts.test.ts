import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, templateOf } from './message.ts'
import { CATALOGS, type Catalog, localeOf, localeOfTag } from './texts.ts'

test('a text is in the language of its catalogue, and French has its no-break spaces', () => {
  const all = (catalog: Catalog): [string, string][] =>
    Object.values(catalog).flatMap((texts) =>
      Object.entries<Message<string>>(texts).map(([key, text]): [string, string] => [key, templateOf(text)]),
    )
  const english = new Map(all(CATALOGS.en))
  /** Standard names of two addresses. */
  const names = ['homeDiscovery', 'startUrl']
  const isEnglish = ([key, text]: [string, string]) =>
    text === english.get(key) && text.split(' ').length > 2 && !names.includes(key)

  for (const [locale, catalog] of Object.entries(CATALOGS))
    if (locale !== 'en') assert.deepEqual(all(catalog).filter(isEnglish), [], locale)
  for (const [key, text] of Object.values(CATALOGS).flatMap(all)) assert.equal(text, text.trim(), key)
  const japanese = all(CATALOGS.ja).filter(([, text]) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(text))
  assert.deepEqual(
    japanese.map(([key]) => key),
    [],
  )
  for (const [key, text] of all(CATALOGS.fr))
    assert.doesNotMatch(text, /[^\u00a0][?!;»]|[^\u00a0]:(?!\/\/)|«[^\u00a0]/, key)
})

test('an email is written in the language of the tag of its recipient, else in English', () => {
  assert.deepEqual(
    ['pt-BR', 'ES', 'es_MX', 'de-CH', 'fr_CA', 'ja', 'it', '', 'constructor', null].map(localeOfTag),
    ['pt', 'es', 'es', 'de', 'fr', 'ja', 'en', 'en', 'en', 'en'],
  )
})

test('the language follows ui_locales, then Accept-Language, then English', () => {
  assert.equal(localeOf('it pt-BR en', 'es'), 'pt')
  assert.equal(localeOf('it', 'nl, es;q=0.4, pt-PT;q=0.8, en;q=0.1'), 'pt')
  assert.equal(localeOf('de-CH fr', 'ja'), 'de')
  assert.equal(localeOf(undefined, 'ja-JP, fr;q=0.9'), 'ja')
  assert.equal(localeOf(undefined, 'pt;q=0, es;q=0.1'), 'es')
  assert.equal(localeOf(undefined, 'ES-mx'), 'es')
  assert.equal(localeOf(undefined, undefined), 'en')
  assert.equal(localeOf('constructor __proto__', 'tlh;q=x, *;q=0.5, ,;;'), 'en')
})
