import { type ContextKey, idOf, readQuery } from '../../api/queries.ts'

/** What is read before the page is shown. */
export function serviceAccountsQueries(context: ContextKey) {
  const path = { accountId: idOf(context) }
  return [
    readQuery(context, '/admin/accounts/{accountId}', { path }),
    readQuery(context, '/admin/accounts/{accountId}/service-accounts', { path }),
  ]
}
