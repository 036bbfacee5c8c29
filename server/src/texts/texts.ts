/** The texts of pages and emails: the files of server/locales, which are read at the start of a process. */
import Negotiator from 'negotiator'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import es from '../../locales/es.json' with { type: 'json' }
import fr from '../../locales/fr.json' with { type: 'json' }
import ja from '../../locales/ja.json' with { type: 'json' }
import pt from '../../locales/pt.json' with { type: 'json' }
import type { TextsOf } from './message.ts'
import type { Placeholders } from './placeholders.ts'

export type Catalog = TextsOf<typeof en, Placeholders>

const FILES = { en, de, es, fr, ja, pt }
export type Locale = keyof typeof FILES

/** A test verifies that all have the keys and placeholders of the English texts (locales.test.ts). */
export const CATALOGS = FILES as unknown as Readonly<Record<Locale, Catalog>>

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

/** The name of each language, in that language. */
export const LANGUAGE_NAMES: Record<Locale, string> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  pt: 'Português',
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
