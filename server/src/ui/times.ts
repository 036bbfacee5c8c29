/** Times on pages of a signed-in user. */
import { LRUCache } from 'lru-cache'
import { LANGUAGE_TAGS, type Locale } from '../texts/texts.ts'
import { type Content, type Html, html } from './html.ts'

/** `zone`: the time zone in the profile of the reader. */
type TimePlace = { locale: Locale; zone: string | null }

const STYLES = {
  date: { dateStyle: 'medium' },
  time: { dateStyle: 'medium', timeStyle: 'short' },
  clock: { timeStyle: 'short' },
  day: { dateStyle: 'full' },
} as const

type Style = keyof typeof STYLES

/** A format is kept: to make one takes longer than to render a page. A zone has several spellings. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 1_000 })

function formatOf(locale: Locale, timeZone: string, style: Style): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { ...STYLES[style], timeZone })
  formats.set(key, made)
  return made
}

/** Undefined for a zone that this version of Node does not know. */
function inZone({ locale, zone }: TimePlace, at: Date, style: Style): string | undefined {
  if (zone === null) return undefined
  try {
    return formatOf(locale, zone, style).format(at)
  } catch {
    return undefined
  }
}

/** In the time zone of the reader's profile; without one in UTC, which times.js makes local. */
export function timeAt(place: TimePlace, at: Date, style: Exclude<Style, 'day'> = 'time'): Html {
  const iso = at.toISOString().replace(/\.\d+/, '')
  const local = inZone(place, at, style)
  if (local !== undefined) return html`<time datetime="${iso}">${local}</time>`
  const utc = formatOf(place.locale, 'UTC', style).format(at)
  return html`<time datetime="${iso}" data-time="${style}">${utc}${style !== 'date' && ' UTC'}</time>`
}

/**
 * A list in the order of its times, in groups of a day. `item`: an `li` with its time, of which the day is
 * shown above. In UTC without a time zone: times.js then makes the groups anew.
 */
export function byDay<Item extends { time: Date }>(
  place: TimePlace,
  items: readonly Item[],
  item: (of: Item) => Html,
): Html {
  const dayOf = ({ time }: Item) =>
    inZone(place, time, 'day') ?? formatOf(place.locale, 'UTC', 'day').format(time)
  const isLocal = items.every(({ time }) => inZone(place, time, 'day') !== undefined)
  const days: Content = [...Map.groupBy(items, dayOf)].map(
    ([day, those]) => html`<h2 class="day">${day}</h2>
<ul class="feed">
${those.map(item)}</ul>
`,
  )
  return html`<div${!isLocal && html` data-days`}>
${days}</div>`
}
