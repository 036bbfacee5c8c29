import { type ContextKey, kindOf, readQuery } from '../../api/queries.ts'
import { searchOf, textsOf } from '../../parts/search.ts'

/** The parameters of the question. */
export const PARAMETERS = [
  'userId',
  'email',
  'requestId',
  'systemId',
  'accountId',
  'acr',
  'scope',
  'redirectUri',
] as const

export const explainSearch = searchOf(textsOf(...PARAMETERS))
type Search = ReturnType<typeof explainSearch>

/** The question; undefined while it is not complete. */
export function questionOf(context: ContextKey, search: Search) {
  const query = Object.fromEntries(PARAMETERS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))
  const isAsked =
    Boolean(query.userId || query.email || query.requestId) &&
    (kindOf(context) !== 'platform' || Boolean(query.systemId || query.requestId))
  return { query, isAsked }
}

/** What is read before the page is shown. */
export function explainQueries(context: ContextKey, search: Search) {
  const { query, isAsked } = questionOf(context, search)
  return [
    ...(kindOf(context) === 'platform'
      ? [readQuery(context, '/admin/systems', { query: { pageSize: 100 } })]
      : []),
    ...(isAsked ? [readQuery(context, '/admin/explain', { query })] : []),
  ]
}
