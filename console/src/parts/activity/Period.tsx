import { Link } from '@tanstack/react-router'
import { formatDays, texts } from '../../texts/texts.ts'
import { usePageSearch } from '../search.ts'
import '../segments.css'

/** In days, up to now. */
const PERIODS = [7, 30, 90]
/** 1 hour and 1 day, in ms. */
const LENGTHS = { hour: 3_600_000, day: 86_400_000 }

export type Period = { days: number; step: 'hour' | 'day'; from: string }

/** The period of the charts of a page, which is in its address; by hour if it is a week. */
export function usePeriod(): Period {
  const { search } = usePageSearch()
  const days = PERIODS.find((each) => each === search.days) ?? PERIODS[0]!
  const step = days > 7 ? 'day' : 'hour'
  const now = Math.floor(Date.now() / LENGTHS[step]) * LENGTHS[step]
  return { days, step, from: new Date(now - days * LENGTHS.day).toISOString() }
}

/** The choice of the period. */
export const PeriodChoice = ({ days }: Pick<Period, 'days'>) => (
  <nav className="segments" aria-label={texts.home.period}>
    {PERIODS.map((each) => (
      <Link
        key={each}
        to="."
        search={(before) => ({ ...before, days: each === PERIODS[0] ? undefined : each })}
        // Otherwise the router marks a link whose parameters are a part of those of the address.
        activeOptions={{ exact: true }}
        aria-current={each === days ? 'page' : undefined}
        replace
        resetScroll={false}
      >
        {formatDays(each)}
      </Link>
    ))}
  </nav>
)
