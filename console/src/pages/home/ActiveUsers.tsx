import { lazy, Suspense, useMemo } from 'react'
import { useRead } from '../../api/queries.ts'
import { usePeriod } from '../../parts/activity/PeriodChoice.tsx'
import { seriesOf } from '../../parts/activity/period.ts'
import type { Series } from '../../parts/Chart.tsx'
import { texts } from '../../texts/texts.ts'
import '../../parts/Chart.css'

const Chart = lazy(() => import('../../parts/Chart.tsx'))

const COLORS: Record<string, string> = { 1: '--accent', 7: '--good', 30: '--wait' }

/** The users who were active in the 1, 7 and 30 days up to each day. The present day is not counted yet. */
export function ActiveUsers() {
  const t = texts.home
  const { data, error } = useRead('/admin/stats/series', seriesOf(usePeriod()).activeUsers)
  const [times, series] = useMemo((): [number[], Series[]] => {
    const all = data?.series ?? []
    // The last day is counted some time after it has ended.
    const counted =
      (data?.times ?? []).findLastIndex((_, at) => all.some(({ values }) => values[at]! > 0)) + 1
    const windows = Object.entries(texts.home.windows).map(([key, title]) => ({
      key,
      title,
      color: COLORS[key]!,
      values: (all.find((each) => each.key === key)?.values ?? []).slice(0, counted),
    }))
    return [(data?.times ?? []).slice(0, counted), windows]
  }, [data])
  if (data ? times.length === 0 : error) return null
  return (
    <section className="panel">
      <h2>{t.activeUsersByDay}</h2>
      <Suspense fallback={<div className="chart-place" />}>
        {data ? (
          <Chart label={t.activeUsersByDay} times={times} series={series} step="day" />
        ) : (
          <div className="chart-place" />
        )}
      </Suspense>
    </section>
  )
}
