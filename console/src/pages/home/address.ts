import { type ContextKey, kindOf, readQuery } from '../../api/queries.ts'
import { DAY, HOUR, periodOf, seriesOf, startOf } from '../../parts/activity/period.ts'
import { searchOf } from '../../parts/search.ts'

export const homeSearch = searchOf({ days: 'number' })

/** All users, and those of the last 7 days. */
export const usersOf = () => ({
  all: { query: { pageSize: 1 } },
  added: { query: { pageSize: 1, createdAfter: new Date(startOf(HOUR) - 7 * DAY).toISOString() } },
})

/** What is read before the page is shown. An account has no charts and no users. */
export function homeQueries(context: ContextKey, { days }: ReturnType<typeof homeSearch>) {
  const summary = readQuery(context, '/admin/stats/summary')
  if (kindOf(context) === 'account') return [summary]
  const { all, added } = usersOf()
  const { signIns, failures, activeUsers } = seriesOf(periodOf(days))
  const shown = [
    summary,
    readQuery(context, '/admin/users', all),
    readQuery(context, '/admin/users', added),
    readQuery(context, '/admin/stats/series', signIns),
    readQuery(context, '/admin/stats/series', failures),
    readQuery(context, '/admin/stats/series', activeUsers),
  ]
  if (kindOf(context) === 'system') return shown
  const systems = readQuery(context, '/admin/systems', { query: { pageSize: 5 } })
  return [...shown, systems, readQuery(context, '/admin/installation')]
}
