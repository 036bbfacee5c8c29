import { type ContextKey, kindOf, readQuery } from '../../api/queries.ts'
import { LIST, listOf, namedOf, searchOf, textsOf } from '../../parts/search.ts'

export const accountsSearch = searchOf({ ...LIST, ...textsOf('systemId', 'kind', 'withoutAdmin') })

/** What the list is given. Without a kind it has organizations, and with `all` every account. */
export function accountsGiven(context: ContextKey, search: ReturnType<typeof accountsSearch>) {
  const { kind = 'organization' } = search
  const names =
    kindOf(context) === 'platform' ? (['systemId', 'withoutAdmin'] as const) : (['withoutAdmin'] as const)
  return {
    query: { ...listOf(search, names), ...(kind !== 'all' && { kind: kind as 'organization' | 'personal' }) },
  }
}

/** What is read before the list is shown. */
export const accountsQueries = (context: ContextKey, search: ReturnType<typeof accountsSearch>) => [
  readQuery(context, '/admin/accounts', accountsGiven(context, search)),
]

/** The filters of the members of an organization. */
const MEMBERS = ['status', 'roleId', 'sort'] as const
export const accountSearch = searchOf({ ...LIST, ...textsOf('tab', 'member', 'entry', ...MEMBERS) })
type Search = ReturnType<typeof accountSearch>

/** What the open tab shows first. */
function tabQueries(context: ContextKey, accountId: string, search: Search) {
  const query = { ...listOf(search), accountId }
  const path = { accountId }
  switch (search.tab) {
    case 'invitations':
      return [
        readQuery(context, '/admin/accounts/{accountId}/invitations', {
          path,
          query: listOf(search, ['status']),
        }),
      ]
    case 'sso':
      return [
        readQuery(context, '/admin/accounts/{accountId}/connections', { path }),
        readQuery(context, '/admin/accounts/{accountId}/domains', { path }),
      ]
    case 'serviceAccounts':
      return [readQuery(context, '/admin/accounts/{accountId}/service-accounts', { path })]
    case 'sessions':
      return [readQuery(context, '/admin/sessions', { query })]
    case 'audit':
      return [readQuery(context, '/admin/audit', { query })]
    case 'settings':
      return []
    default:
      return [
        readQuery(context, '/admin/memberships', {
          query: { ...namedOf(listOf(search, MEMBERS)), accountId },
        }),
      ]
  }
}

/** What is read before an organization is shown. */
export const accountQueries = (context: ContextKey, accountId: string, search: Search) => [
  readQuery(context, '/admin/accounts/{accountId}', { path: { accountId } }),
  ...tabQueries(context, accountId, search),
]
