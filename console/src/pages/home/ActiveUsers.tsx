import { lazy, Suspense, useMemo } from 'react'
import { useRead } from '../../api/queries.ts'
import { usePeriod } from '../../parts/activity/Period.tsx'
import type { Series } from '../../parts/Chart.tsx'
import { texts } from '../../texts/texts.ts'
import '../../parts/Chart.css'

const Chart = lazy(() => import('../../parts/Chart.tsx'))

/** 1 day, in ms. */
const DAY = 86_400_000
const COLORS: Record<string, string> = { 1: '--accent', 7: '--good', 30: '--wait' }

/** The users who were active in the 1, 7 and 30 days up to each day. The present day is not counted yet. */
export function ActiveUsers() {
  const t = texts.home
  const { days } = usePeriod()
  const today = Math.floor(Date.now() / DAY) * DAY
  const bounds = { from: new Date(today - days * DAY).toISOString(), to: new Date(today).toISOString() }
  const { data } = useRead('/admin/stats/series', {
    query: { metric: 'active_users', step: 'day', ...bounds },
  })
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
  if (times.length === 0) return null
  return (
    <section className="panel">
      <h2>{t.activeUsersByDay}</h2>
      <Suspense fallback={<div className="chart-place" />}>
        <Chart label={t.activeUsersByDay} times={times} series={series} step="day" />
      </Suspense>
    </section>
  )
}
