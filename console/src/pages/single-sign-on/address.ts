import { type ContextKey, idOf, readQuery } from '../../api/queries.ts'

/** What is read before the page is shown. */
export function singleSignOnQueries(context: ContextKey) {
  const path = { accountId: idOf(context) }
  return [
    readQuery(context, '/admin/accounts/{accountId}', { path }),
    readQuery(context, '/admin/accounts/{accountId}/connections', { path }),
    readQuery(context, '/admin/accounts/{accountId}/domains', { path }),
  ]
}
