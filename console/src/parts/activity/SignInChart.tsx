import { lazy, Suspense, useMemo } from 'react'
import { type Answer, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import type { Series } from '../Chart.tsx'
import { Failed } from '../Failed.tsx'
import { PeriodChoice, usePeriod } from './PeriodChoice.tsx'
import { seriesOf } from './period.ts'
import '../Chart.css'

const Chart = lazy(() => import('../Chart.tsx'))

/** Sign-ins and refused sign-ins, of one application or of all. */
export function SignInChart({ systemId }: { systemId?: string }) {
  const t = texts.home
  const period = usePeriod()
  const given = seriesOf(period, systemId)
  const signIns = useRead('/admin/stats/series', given.signIns)
  const failures = useRead('/admin/stats/series', given.failures)
  const failed = [signIns, failures].find(({ error, data }) => error && !data)
  const [read, refused] = [signIns.data, failures.data]
  const series = useMemo((): Series[] => {
    const { signIns, failures } = texts.home
    return [
      { key: 'signIns', title: signIns, color: '--accent', values: sumOf(read) },
      { key: 'failures', title: failures, color: '--bad', values: sumOf(refused) },
    ]
  }, [read, refused])
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{t.signIns}</h2>
        <PeriodChoice days={period.days} />
      </div>
      {failed && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && (
        <Suspense fallback={<div className="chart-place" />}>
          {read && refused ? (
            <Chart label={t.signIns} times={read.times} series={series} step={read.step} />
          ) : (
            <div className="chart-place" />
          )}
        </Suspense>
      )}
    </section>
  )
}

/** The sum of all series. */
function sumOf(read: Answer<'/admin/stats/series'> | undefined): number[] {
  const { times, series } = read ?? { times: [], series: [] }
  return times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
}
