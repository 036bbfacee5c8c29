/** The texts of the console in the language of the user. */
import { en } from './en/index.ts'

export type Texts = typeof en

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
  de: async () => (await import('./de/index.ts')).de,
  es: async () => (await import('./es/index.ts')).es,
  fr: async () => (await import('./fr/index.ts')).fr,
  ja: async () => (await import('./ja/index.ts')).ja,
  pt: async () => (await import('./pt/index.ts')).pt,
}

/** Of the page; a change of language loads it again. */
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

/** Fills the `{placeholders}` of a text. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all))

type Plural = { one: string; other: string }

/** A text with a number, in the plural form of the language; `{count}` is the number. */
export function count(forms: Plural, number: number, values: Record<string, string | number> = {}): string {
  const form = new Intl.PluralRules(tag).select(number) === 'one' ? forms.one : forms.other
  return fill(form, { ...values, count: new Intl.NumberFormat(tag).format(number) })
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
