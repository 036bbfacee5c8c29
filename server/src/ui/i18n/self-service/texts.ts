import type { Screen } from '../../../interaction/screens.ts'
import { fillPlain } from '../../html.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../texts.ts'
import { en, type OwnTexts } from './en.ts'
import { es } from './es.ts'
import { pt } from './pt.ts'

const TEXTS = { en, pt, es } as const satisfies Record<Locale, OwnTexts>

export const ownTexts = (locale: Locale): OwnTexts => TEXTS[locale]

/** What a step of the sign-in says is wrong, in words. */
export function said({ errors = {}, retryAfter = 0 }: Screen, locale: Locale): { [id: string]: string } {
  const [value, unit] = retryAfter < 90 ? [retryAfter, 'second'] : [Math.ceil(retryAfter / 60), 'minute']
  const wait = new Intl.NumberFormat(LANGUAGE_TAGS[locale], {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).format(value)
  return Object.fromEntries(
    Object.entries(errors).map(([id, key]) => [id, fillPlain(textsOf(locale)[key], { wait })]),
  )
}

export type { OwnTexts }
