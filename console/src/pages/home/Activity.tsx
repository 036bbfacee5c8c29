import { lazy, Suspense, useMemo } from 'react'
import { type Answer, useRead } from '../../api/queries.ts'
import type { Series } from '../../parts/Chart.tsx'
import { texts } from '../../texts/texts.ts'

const Chart = lazy(() => import('../../parts/Chart.tsx'))

/** 7 days, in ms. */
const WEEK = 604_800_000
/** 1 hour, in ms: a bucket. */
const HOUR = 3_600_000

/** Sign-ins and failures by hour in the last 7 days. */
export function Activity() {
  const t = texts.home
  const hour = Math.floor(Date.now() / HOUR)
  const from = new Date(hour * HOUR - WEEK).toISOString()
  const signIns = useRead('/admin/stats/series', { query: { metric: 'sign_ins', step: 'hour', from } })
  const failures = useRead('/admin/stats/series', { query: { metric: 'failures', step: 'hour', from } })
  const [read, refused] = [signIns.data, failures.data]
  const series = useMemo((): Series[] => {
    const { signIns, failures } = texts.home
    return [
      { key: 'signIns', title: signIns, color: '--accent', values: sumOf(read) },
      { key: 'failures', title: failures, color: '--bad', values: sumOf(refused) },
    ]
  }, [read, refused])
  if (!read || !refused) return null
  return (
    <section className="panel">
      <h2>{t.activity}</h2>
      <Suspense fallback={<div className="chart-place" />}>
        <Chart label={t.activity} times={read.times} series={series} step="hour" />
      </Suspense>
    </section>
  )
}

/** The sum of all series. */
function sumOf(read: Answer<'/admin/stats/series'> | undefined): number[] {
  const { times, series } = read ?? { times: [], series: [] }
  return times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
}
