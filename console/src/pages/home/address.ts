import { type ContextKey, kindOf, readQuery } from '../../api/queries.ts'
import { searchOf } from '../../parts/search.ts'

export const homeSearch = searchOf({ days: 'number' })

/** What is read before the page is shown. */
export const homeQueries = (context: ContextKey) => [
  readQuery(context, '/admin/stats/summary'),
  ...(kindOf(context) === 'platform'
    ? [
        readQuery(context, '/admin/systems', { query: { pageSize: 5 } }),
        readQuery(context, '/admin/installation'),
      ]
    : []),
]
