import { type ContextKey, readQuery, versionedQuery } from '../../api/queries.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

/** `new`: the dialog that creates one is open. */
export const systemsSearch = searchOf({ ...LIST, new: 'number' })

/** What is read before the list is shown. */
export const systemsQueries = (context: ContextKey, search: ReturnType<typeof systemsSearch>) => [
  readQuery(context, '/admin/systems', { query: listOf(search) }),
]

/** Addresses that a link proposes for these settings: they are saved by hand. */
const PROPOSED = ['redirectUris', 'postLogoutRedirectUris', 'allowedOrigins'] as const

/** `new`: the dialog that adds a user is open. */
export const systemSearch = searchOf({
  ...LIST,
  ...textsOf('tab', 'snippet', ...PROPOSED),
  new: 'number',
  days: 'number',
})
type Search = ReturnType<typeof systemSearch>

/** What the open tab shows first. */
function tabQueries(context: ContextKey, systemId: string, search: Search) {
  const path = { systemId }
  const query = { systemId, page: 1, pageSize: 1 }
  switch (search.tab) {
    case 'roles':
    case 'signIn':
      return [readQuery(context, '/admin/systems/{systemId}/roles', { path })]
    case 'profiles':
      return [readQuery(context, '/admin/systems/{systemId}/profiles', { path, query: listOf(search) })]
    case 'brand':
    case 'keys':
    case 'danger':
    case 'quickStart':
      return []
    default:
      return [
        readQuery(context, '/admin/memberships', { query }),
        readQuery(context, '/admin/accounts', { query }),
        readQuery(context, '/admin/sessions', { query }),
      ]
  }
}

/** What is read before an application is shown. */
export const systemQueries = (context: ContextKey, systemId: string, search: Search) => [
  versionedQuery(context, '/admin/systems/{systemId}', { path: { systemId } }),
  ...tabQueries(context, systemId, search),
]
