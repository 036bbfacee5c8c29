/** The files of texts, those of the console as well. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { isPlural, LOCALES, placeholderTypes, readTexts, type Texts } from '../../placeholders.ts'
import { CATALOGS, LANGUAGE_TAGS, type Locale } from './texts.ts'

const LANGUAGES = Object.keys(CATALOGS) as Locale[]
const categoriesOf = (language: Locale) =>
  new Intl.PluralRules(LANGUAGE_TAGS[language]).resolvedOptions().pluralCategories

/** The placeholders in a text, as often as they are in it. */
const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join(' ')
/** A form can do without the number: "Link sent". */
const withoutCount = (text: string) => placeholdersOf(text.replaceAll('{count}', ''))

/** What a language has too much or too little, compared with the English texts. */
function faultsOf(texts: Texts, english: Texts, language: Locale, at = ''): string[] {
  const keys = new Set([...Object.keys(english), ...Object.keys(texts)])
  return [...keys].flatMap((key) => {
    const [own, given] = [texts[key], english[key]]
    const path = `${at}${key}`
    if (own === undefined) return [`${path} is missing`]
    if (given === undefined) return [`${path} is no English text`]
    if (typeof given === 'string')
      return typeof own === 'string' ? faultsOfText(own, given, path) : [`${path} is no text`]
    if (typeof own === 'string') return [`${path} is a text`]
    return isPlural(given)
      ? faultsOfPlural(own, given.other, language, path)
      : faultsOf(own, given, language, `${path}.`)
  })
}

function faultsOfText(text: string, english: string, path: string): string[] {
  if (text.trim() === '') return [`${path} is empty`]
  return placeholdersOf(text) === placeholdersOf(english) ? [] : [`${path} has other placeholders`]
}

function faultsOfPlural(forms: Texts, english: string, language: Locale, path: string): string[] {
  const needed: string[] = categoriesOf(language)
  return [...new Set([...needed, ...Object.keys(forms)])].flatMap((category) => {
    const form = forms[category]
    if (typeof form !== 'string') return [`${path}.${category} is missing`]
    if (!needed.includes(category)) return [`${path}.${category} is never used`]
    return category === 'other' || form.trim() === ''
      ? faultsOfText(form, english, `${path}.other`)
      : withoutCount(form) === withoutCount(english)
        ? []
        : [`${path}.${category} has other placeholders`]
  })
}

test('every language has every text, placeholder and plural form that it needs, and no other', () => {
  for (const { folder } of LOCALES) {
    const english = readTexts(folder, 'en')
    const languages = readdirSync(folder).map((file) => basename(file, '.json'))

    assert.deepEqual(languages.sort(), LANGUAGES.toSorted(), folder)
    for (const language of LANGUAGES)
      assert.deepEqual(faultsOf(readTexts(folder, language), english, language), [], `${folder}: ${language}`)
  }
})

test('a missing or superfluous text, placeholder or plural form is found', () => {
  const english: Texts = {
    title: 'Title',
    part: { lead: 'To {name} and {name}', done: { one: '{name} done', other: '{count} of {name} done' } },
  }
  const german = (part: Texts, more: Texts = {}): Texts => ({
    title: 'Titel',
    ...more,
    part: { lead: 'An {name} und {name}', done: { one: '{name} fertig', other: '{count} {name}' }, ...part },
  })
  const found = (texts: Texts, language: Locale = 'de') => faultsOf(texts, english, language)

  assert.deepEqual(found(german({})), [])
  assert.deepEqual(found(german({}, { titel: 'Titel' })), ['titel is no English text'])
  assert.deepEqual(found({ part: german({}).part! }), ['title is missing'])
  assert.deepEqual(found(german({ more: 'Mehr' })), ['part.more is no English text'])
  assert.deepEqual(found(german({}, { title: ' ' })), ['title is empty'])
  assert.deepEqual(found(german({}, { title: { one: 'Titel' } })), ['title is no text'])
  assert.deepEqual(found(german({ lead: 'An {name}' })), ['part.lead has other placeholders'])
  assert.deepEqual(found(german({ lead: 'An {name} und {nam}' })), ['part.lead has other placeholders'])
  assert.deepEqual(found(german({ done: 'Fertig' })), ['part.done is a text'])
  assert.deepEqual(found(german({ done: { other: '{count} {name}' } })), ['part.done.one is missing'])
  assert.deepEqual(found(german({}), 'ja'), ['part.done.one is never used'])
  assert.deepEqual(found(german({}), 'fr'), ['part.done.many is missing'])
  const forms = (one: string, other: string) => german({ done: { one, other } })
  assert.deepEqual(found(forms('Fertig', '{count} {name}')), ['part.done.one has other placeholders'])
  assert.deepEqual(found(forms('{name}', '{name}')), ['part.done.other has other placeholders'])
})

test('the types of the placeholders match the English texts', () => {
  for (const { folder, types } of LOCALES)
    assert.equal(readFileSync(types, 'utf8'), placeholderTypes(folder), `${types} is stale: run npm run docs`)
})

/** Values that already are Japanese text, such as "5 分". */
const JAPANESE_VALUES = /\{(?:wait|date|members|sessions|place|toPlace|fromPlace)\}/g
const JAPANESE = '[\\u3040-\\u30fa\\u30fc-\\u30ff\\u3400-\\u9fff]'
const FOREIGN = '(?:[A-Za-z0-9]|\\{\\w+\\})'

const textsIn = (texts: Texts): string[] =>
  Object.values(texts).flatMap((text) => (typeof text === 'string' ? [text] : textsIn(text)))

test('in Japanese a space is around Latin letters and numbers, no line begins with a particle, marks are wide', () => {
  const spaces = `${JAPANESE}${FOREIGN}|${FOREIGN}${JAPANESE}|${FOREIGN} [\\u3041-\\u3096]`
  const wrong = new RegExp(`${spaces}|${JAPANESE} ?[?!:()]|[()] ?${JAPANESE}`)
  for (const { folder } of LOCALES)
    assert.deepEqual(
      textsIn(readTexts(folder, 'ja')).filter((text) => wrong.test(text.replace(JAPANESE_VALUES, ''))),
      [],
      folder,
    )
})
