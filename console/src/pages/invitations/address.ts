import { type ContextKey, idOf, readQuery } from '../../api/queries.ts'
import { LIST, listOf, searchOf } from '../../parts/search.ts'

export const invitationsSearch = searchOf({ ...LIST, status: 'text' })

/** What is read before the page is shown. */
export function invitationsQueries(context: ContextKey, search: ReturnType<typeof invitationsSearch>) {
  const path = { accountId: idOf(context) }
  return [
    readQuery(context, '/admin/accounts/{accountId}', { path }),
    readQuery(context, '/admin/accounts/{accountId}/invitations', {
      path,
      query: listOf(search, ['status']),
    }),
  ]
}
