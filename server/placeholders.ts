/**
 * A part of `npm run docs`: writes the placeholders of the English texts as types, because TypeScript reads
 * every text of a JSON file as `string`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PLURAL_CATEGORIES } from './src/texts/message.ts'

const ROOT = join(import.meta.dirname, '..')

/** The folders with a file for each language, and the types that are generated from the English one. */
export const LOCALES = [
  { folder: join(ROOT, 'server/locales'), types: join(ROOT, 'server/src/texts/placeholders.ts') },
  { folder: join(ROOT, 'console/src/locales'), types: join(ROOT, 'console/src/texts/placeholders.ts') },
] as const

/** The content of a file: texts, nested by area. */
export type Texts = { [key: string]: string | Texts }
/** The forms of a text with a number. */
type Forms = Record<string, string> & { other: string }

export const readTexts = (folder: string, language: string): Texts =>
  JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Texts

const CATEGORIES = new Set<string>(PLURAL_CATEGORIES)
export const isPlural = (value: string | Texts): value is Forms =>
  typeof value === 'object' && 'other' in value && Object.keys(value).every((key) => CATEGORIES.has(key))

/** The names of the placeholders of a text, each once. */
export const namesIn = (text: string): string[] =>
  [...new Set(text.match(/\{\w+\}/g)?.map((match) => match.slice(1, -1)))].sort()

/** The members of an object type, a line each. A text without placeholders has none. */
function membersOf(texts: Texts, indent: string): string[] {
  return Object.entries(texts).flatMap(([name, value]) => {
    const key = /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`
    if (typeof value === 'object' && !isPlural(value)) {
      const members = membersOf(value, `${indent}  `)
      return members.length > 0 ? [`${indent}${key}: {`, ...members, `${indent}}`] : []
    }
    const names = typeof value === 'string' ? namesIn(value) : pluralNames(value)
    return names.length > 0 ? [`${indent}${key}: ${names.map((each) => `'${each}'`).join(' | ')}`] : []
  })
}

/** `count` is a placeholder of each. */
const pluralNames = (forms: Forms) =>
  namesIn(Object.values(forms).join()).filter((placeholder) => placeholder !== 'count')

export const placeholderTypes = (folder: string): string =>
  `/** Written by \`npm run docs\` from en.json: the placeholders of each text that has some. */
export type Placeholders = {
${membersOf(readTexts(folder, 'en'), '  ').join('\n')}
}
`

if (import.meta.main) for (const { folder, types } of LOCALES) writeFileSync(types, placeholderTypes(folder))
