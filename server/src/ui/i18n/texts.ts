/** What the pages say, in every language. A text with {braces} is completed by `fill` in pages/html.ts. */
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'

export const TEXTS = { en, pt, es } as const satisfies Record<string, Texts>

export type Locale = keyof typeof TEXTS

/** BCP 47, for `<html lang>`: the Portuguese is Brazil's. */
export const LANGUAGE_TAGS: Record<Locale, string> = { en: 'en', pt: 'pt-BR', es: 'es' }

export const textsOf = (locale: Locale): Texts => TEXTS[locale]

/**
 * The first language we speak, by `ui_locales` (OpenID Connect Core section 3.1.2.1: tags in order, spaces between),
 * then by Accept-Language (RFC 9110 section 12.5.4), else English.
 */
export function localeOf(uiLocales: string | undefined, acceptLanguage: string | undefined): Locale {
  const wanted = [...(uiLocales ?? '').split(/\s+/), ...byQuality(acceptLanguage ?? '')]
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]!).find(isLocale) ?? 'en'
}

const isLocale = (language: string): language is Locale => Object.hasOwn(TEXTS, language)

function byQuality(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
      return { tag, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

export type { Texts }
