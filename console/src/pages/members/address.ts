import { type ContextKey, idOf, kindOf, readQuery } from '../../api/queries.ts'
import { LIST, listOf, namedOf, searchOf, textsOf } from '../../parts/search.ts'

const FILTERS = ['status', 'systemId', 'accountId', 'roleId', 'profileId', 'sort'] as const
export const membersSearch = searchOf({ ...LIST, ...textsOf('member', ...FILTERS) })
type Search = ReturnType<typeof membersSearch>

/** Which filters the list has. Roles and profiles are those of one application. */
function filtersOf(context: ContextKey, { systemId }: Search): readonly (typeof FILTERS)[number][] {
  if (kindOf(context) === 'account') return ['status', 'roleId', 'profileId', 'sort']
  if (kindOf(context) === 'system') return ['status', 'accountId', 'roleId', 'profileId', 'sort']
  return systemId ? FILTERS : ['status', 'systemId', 'accountId', 'sort']
}

/** What is read before the page is shown. */
export function membersQueries(context: ContextKey, search: Search) {
  const path = { accountId: idOf(context) }
  return [
    readQuery(context, '/admin/memberships', { query: namedOf(listOf(search, filtersOf(context, search))) }),
    ...(kindOf(context) === 'account' ? [readQuery(context, '/admin/accounts/{accountId}', { path })] : []),
  ]
}
