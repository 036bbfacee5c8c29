/** Times on pages of a signed-in user. */
import { LANGUAGE_TAGS, type Locale } from '../texts/texts.ts'
import { type Html, html } from './html.ts'

/** `zone`: the time zone in the profile of the reader. */
type TimePlace = { locale: Locale; zone: string | null }

const STYLES = { date: { dateStyle: 'medium' }, time: { dateStyle: 'medium', timeStyle: 'short' } } as const

const FORMATS = new Map<string, Intl.DateTimeFormat>()

/** A zone has several spellings. */
const FORMATS_MAX = 1_000

/** A format is kept: to make one takes longer than to render a page. */
function formatOf(locale: Locale, timeZone: string, style: keyof typeof STYLES): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style}`
  const known = FORMATS.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { ...STYLES[style], timeZone })
  if (FORMATS.size >= FORMATS_MAX) FORMATS.clear()
  FORMATS.set(key, made)
  return made
}

/** Undefined for a zone that this version of Node does not know. */
function inZone({ locale, zone }: TimePlace, at: Date, style: keyof typeof STYLES): string | undefined {
  if (zone === null) return undefined
  try {
    return formatOf(locale, zone, style).format(at)
  } catch {
    return undefined
  }
}

/** In the time zone of the reader's profile; without one in UTC, which times.js makes local. */
export function timeAt(place: TimePlace, at: Date, style: keyof typeof STYLES = 'time'): Html {
  const iso = at.toISOString().replace(/\.\d+/, '')
  const local = inZone(place, at, style)
  if (local !== undefined) return html`<time datetime="${iso}">${local}</time>`
  const utc = formatOf(place.locale, 'UTC', style).format(at)
  return html`<time datetime="${iso}" data-time="${style}">${utc}${style === 'time' && ' UTC'}</time>`
}
