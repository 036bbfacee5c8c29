import { lazy, Suspense, useMemo } from 'react'
import { type Answer, useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import type { Series } from '../Chart.tsx'
import { PeriodChoice, usePeriod } from './Period.tsx'
import '../Chart.css'

const Chart = lazy(() => import('../Chart.tsx'))

/** Sign-ins and refused sign-ins, of one application or of all. */
export function SignInChart({ systemId }: { systemId?: string }) {
  const t = texts.home
  const { days, step, from } = usePeriod()
  const query = { step, from, ...(systemId && { systemId }) }
  const signIns = useRead('/admin/stats/series', { query: { ...query, metric: 'sign_ins' } })
  const failures = useRead('/admin/stats/series', { query: { ...query, metric: 'failures' } })
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
      <div className="panel-head">
        <h2>{t.signIns}</h2>
        <PeriodChoice days={days} />
      </div>
      <Suspense fallback={<div className="chart-place" />}>
        <Chart label={t.signIns} times={read.times} series={series} step={read.step} />
      </Suspense>
    </section>
  )
}

/** The sum of all series. */
function sumOf(read: Answer<'/admin/stats/series'> | undefined): number[] {
  const { times, series } = read ?? { times: [], series: [] }
  return times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
}
