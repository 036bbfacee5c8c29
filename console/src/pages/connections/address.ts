import { type ContextKey, readQuery } from '../../api/queries.ts'
import { ONE } from '../../parts/connections/connection.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

export const connectionSearch = searchOf({ ...LIST, ...textsOf('tab') })
type Search = ReturnType<typeof connectionSearch>

type Path = { accountId: string; connectionId: string }

/** What the open tab shows first. */
function tabQueries(context: ContextKey, path: Path, search: Search) {
  switch (search.tab) {
    case 'members':
      return [readQuery(context, `${ONE}/links`, { path, query: listOf(search) })]
    case 'log':
      return [readQuery(context, `${ONE}/attempts`, { path })]
    default:
      return []
  }
}

/** What is read before a connection is shown. */
export const connectionQueries = (context: ContextKey, path: Path, search: Search) => [
  readQuery(context, ONE, { path }),
  readQuery(context, '/admin/accounts/{accountId}', { path: { accountId: path.accountId } }),
  ...tabQueries(context, path, search),
]
