import { type ContextKey, readQuery } from '../../api/queries.ts'
import { LIST, listOf, namedOf, searchOf } from '../../parts/search.ts'

export const approvalsSearch = searchOf(LIST)
type Search = ReturnType<typeof approvalsSearch>

export const approvalsGiven = (search: Search) => ({
  query: { ...namedOf(listOf(search)), status: 'pending' as const },
})

/** What is read before the page is shown. */
export const approvalsQueries = (context: ContextKey, search: Search) => [
  readQuery(context, '/admin/memberships', approvalsGiven(search)),
]
