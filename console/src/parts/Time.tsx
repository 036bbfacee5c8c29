import { tag, texts } from '../texts/texts.ts'
import './Time.css'

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** The distance from now in the language of the page: "3 minutes ago". */
export function relative(time: string): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1_000
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size)
  if (!unit) return texts.parts.now
  return new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(Math.round(seconds / unit[1]), unit[0])
}

export const exact = (time: string): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'long' }).format(new Date(time))

/** The time of the day: "14:32". */
export const clock = (time: string): string =>
  new Intl.DateTimeFormat(tag, { timeStyle: 'short' }).format(new Date(time))

const sameYear = new Intl.DateTimeFormat(tag, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
})
const otherYear = new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })

/** In the time zone of the reader: "27 Nov, 10:41"; of another year the date only. */
function local(time: string): string {
  const at = new Date(time)
  return at.getFullYear() === new Date().getFullYear() ? sameYear.format(at) : otherYear.format(at)
}

/** A time as the clock of the reader shows it; in the tooltip with its zone, and as a distance from now. */
export const Time = ({ at, none = texts.parts.never }: { at: string | null | undefined; none?: string }) =>
  at ? (
    <time className="time" dateTime={at} title={`${exact(at)} (${relative(at)})`}>
      {local(at)}
    </time>
  ) : (
    <span className="muted">{none}</span>
  )
