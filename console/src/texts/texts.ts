/** The texts of the console in the language of the user. */
import {
  type KeyOf,
  type Message,
  type Plural,
  type PluralCategory,
  type TextsOf,
  templateOf,
} from '../../../server/src/texts/message.ts'
import english from '../locales/en.json' with { type: 'json' }
import type { Placeholders } from './placeholders.ts'

export type { KeyOf, Message, Plural }
export { templateOf }

export type Texts = TextsOf<typeof english, Placeholders>

/** That each language has the keys and placeholders of the English texts is tested (locales.test.ts). */
const typed = (content: unknown) => content as Texts

export const en = typed(english)

export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  pt: 'Português',
}
export type Language = keyof typeof LANGUAGES

/** BCP 47: the Portuguese is that of Brazil. */
const TAGS: Record<Language, string> = { en: 'en', de: 'de', es: 'es', fr: 'fr', ja: 'ja', pt: 'pt-BR' }

const STORED = 'tenantry.language'
const isLanguage = (tag: string | null | undefined): tag is Language => Object.hasOwn(LANGUAGES, tag ?? '')

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<Texts>> = {
  de: async () => typed((await import('../locales/de.json')).default),
  es: async () => typed((await import('../locales/es.json')).default),
  fr: async () => typed((await import('../locales/fr.json')).default),
  ja: async () => typed((await import('../locales/ja.json')).default),
  pt: async () => typed((await import('../locales/pt.json')).default),
}

/** The language of the page; a change loads the page again. */
export let language: Language = 'en'
export let texts: Texts = en
/** BCP 47. */
export let tag = 'en'

const wanted = (): Language => {
  const tags = [localStorage.getItem(STORED), ...navigator.languages].map((each) => each?.split(/\W|_/)[0])
  return tags.find(isLanguage) ?? 'en'
}

/** Call it before the first page is rendered. */
export async function loadLanguage(): Promise<void> {
  language = wanted()
  tag = TAGS[language]
  if (language !== 'en') texts = await LOADERS[language]()
  document.documentElement.lang = tag
  replaceInvalidLocale()
}

/** Libraries pass the locale of the browser to Intl, which throws for one such as `en-US@posix`. */
function replaceInvalidLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: tag })
  }
}

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(STORED, chosen)
  location.reload()
}

/** The language of the user's account, unless one was chosen in this browser. */
export function adoptLanguage(locale: string | null): void {
  const own = locale?.split('-')[0]
  if (localStorage.getItem(STORED) === null && isLanguage(own) && own !== language) chooseLanguage(own)
}

/** The text with a name from the server, which can be one that this version does not know. */
export const textNamed = <Section extends object>(
  section: Section,
  name: string | undefined,
): Section[keyof Section] | undefined =>
  name !== undefined && Object.hasOwn(section, name) ? section[name as keyof Section] : undefined

/** Fills the `{placeholders}` of a text. */
export function fill<Name extends string>(
  text: Message<Name>,
  values: Readonly<Record<Name, string | number>>,
): string {
  const given: Readonly<Record<string, string | number>> = values
  return templateOf(text).replace(/\{(\w+)\}/g, (all, name: string) => String(given[name] ?? all))
}

/** A text with a number, in the plural form of the language; `{count}` is the number. */
export function count(forms: Plural<never>, number: number): string {
  const category: PluralCategory = new Intl.PluralRules(tag).select(number)
  return fill(forms[category] ?? forms.other, { count: formatNumber(number) })
}

export const formatNumber = (number: number): string => new Intl.NumberFormat(tag).format(number)

/** `7 days`. */
export const formatDays = (days: number): string =>
  new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)

/** `one, two and three`. */
export const formatList = (items: readonly string[]): string => new Intl.ListFormat(tag).format(items)

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** In units of 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const format = {
    style: 'unit',
    unit: UNITS[power],
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(tag, format as Intl.NumberFormatOptions).format(bytes / 1_000 ** power)
}
