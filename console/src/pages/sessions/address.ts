import { type ContextKey, type ContextKind, kindOf, readQuery } from '../../api/queries.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

const FILTERS = {
  platform: ['userId', 'systemId', 'accountId'],
  system: ['userId', 'accountId'],
  account: ['userId'],
} as const satisfies Record<ContextKind, readonly string[]>

export const sessionsSearch = searchOf({ ...LIST, ...textsOf(...FILTERS.platform) })

/** What is read before the page is shown. */
export const sessionsQueries = (context: ContextKey, search: ReturnType<typeof sessionsSearch>) => [
  readQuery(context, '/admin/sessions', { query: listOf(search, FILTERS[kindOf(context)]) }),
]
