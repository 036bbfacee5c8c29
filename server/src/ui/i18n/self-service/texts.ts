import type { Screen } from '../../../interaction/screens.ts'
import { fillPlain } from '../../html.ts'
import { type Catalog, LANGUAGE_TAGS, type Locale, textsOf } from '../texts.ts'

export type OwnTexts = Catalog['account']
export const ownTexts = (locale: Locale): OwnTexts => textsOf(locale, 'account')
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
