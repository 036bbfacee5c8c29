/**
 * The state of a page that is shown again after a form was submitted: its status, values, notice and errors.
 */
import { fillPlain } from './html.ts'
import { LANGUAGE_TAGS, type Locale, type Texts, textsOf } from './i18n/texts.ts'

/** The fields of the forms; `form` is an error of no single field. */
type FieldName =
  | 'form'
  | 'email'
  | 'password'
  | 'passwordAgain'
  | 'code'
  | 'recoveryCode'
  | 'name'
  | 'accountName'

export type PageState = {
  status?: number
  values?: { email?: string; name?: string; accountName?: string }
  /** A success message. */
  notice?: keyof Texts
  errors?: { [Name in FieldName]?: keyof Texts }
  /** Seconds; `{wait}` in a sentence. */
  retryAfter?: number | undefined
}

export type Sentences = { notice: string | undefined; errors: { [Name in FieldName]?: string } }

/** The notice and the errors in a language. */
export function sentencesOf({ notice, errors = {}, retryAfter = 0 }: PageState, locale: Locale): Sentences {
  const say = (key: keyof Texts) => fillPlain(textsOf(locale)[key], { wait: durationOf(retryAfter, locale) })
  const sentences = Object.entries(errors).map(([name, key]) => [name, say(key)])
  return { notice: notice && say(notice), errors: Object.fromEntries(sentences) }
}

/** `4 seconds`, `15 minutes`. */
function durationOf(seconds: number, locale: Locale): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  const format = new Intl.NumberFormat(LANGUAGE_TAGS[locale], { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(value)
}
