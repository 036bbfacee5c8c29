/**
 * The text catalogue of pages and emails. `{placeholders}` are filled by `fill` and `fillPlain` of
 * ui/html.ts.
 */
import Negotiator from 'negotiator'
import { de } from './de.ts'
import { type Catalog, en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'

export const CATALOGS = { en, de, es, fr, ja, pt } as const satisfies Record<string, Catalog>

export type Locale = keyof typeof CATALOGS
export type { Catalog }

type Section = keyof Catalog
/** The section `signIn`. */
export type Texts = Catalog['signIn']

/** BCP 47, for `<html lang>` and dates: the Portuguese is that of Brazil. */
export const LANGUAGE_TAGS: Record<Locale, string> = {
  en: 'en',
  de: 'de',
  es: 'es',
  fr: 'fr',
  ja: 'ja',
  pt: 'pt-BR',
}

/** A time where the reader's time zone is not known, such as `March 3, 2026 at 5:20 PM UTC`. */
export const timeInUtc = (time: Date, locale: Locale): string =>
  `${new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(time)} UTC`

/** One section of the catalogue of a language. */
export function textsOf(locale: Locale): Texts
export function textsOf<Name extends Section>(locale: Locale, section: Name): Catalog[Name]
export function textsOf(locale: Locale, section: Section = 'signIn') {
  return CATALOGS[locale][section]
}

/**
 * The first supported language in `ui_locales` (OpenID Connect Core section 3.1.2.1: tags in order, separated
 * by spaces), then in Accept-Language (RFC 9110 section 12.5.4); English when neither names one.
 */
export function localeOf(uiLocales: string | undefined, acceptLanguage: string | undefined): Locale {
  const accepted = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '' } }).languages()
  const wanted = [...(uiLocales ?? '').split(/\s+/), ...accepted]
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]!).find(isLocale) ?? 'en'
}

/** The supported language of a BCP 47 tag, by its first subtag; English when it is not supported. */
export function localeOfTag(tag: string | null): Locale {
  const language = tag?.toLowerCase().split(/[-_]/)[0] ?? ''
  return isLocale(language) ? language : 'en'
}

const isLocale = (language: string): language is Locale => Object.hasOwn(CATALOGS, language)
