import { Link } from '@tanstack/react-router'
import { formatDays, texts } from '../../texts/texts.ts'
import { usePageSearch } from '../search.ts'
import { PERIODS, type Period, periodOf } from './period.ts'
import '../segments.css'

/** The period of the charts of the page, which is in its address. */
export const usePeriod = (): Period => periodOf(usePageSearch().search.days)

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
