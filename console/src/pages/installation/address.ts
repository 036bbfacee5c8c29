import { type ContextKey, readQuery } from '../../api/queries.ts'
import { MAIL_FILTERS } from '../../parts/mail/kinds.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

export const installationSearch = searchOf({ ...LIST, ...textsOf('tab', ...MAIL_FILTERS) })
type Search = ReturnType<typeof installationSearch>

/** What is read before the page is shown. */
export function installationQueries(context: ContextKey, search: Search) {
  const installation = readQuery(context, '/admin/installation')
  if (search.tab === 'operators') return [readQuery(context, '/admin/operators', { query: listOf(search) })]
  if (search.tab === 'keys') return [readQuery(context, '/admin/keys')]
  if (search.tab === 'jobs') return [readQuery(context, '/admin/jobs', { query: listOf(search) })]
  if (search.tab === 'limits') return [readQuery(context, '/admin/limits')]
  if (search.tab === 'mail')
    return [installation, readQuery(context, '/admin/mail', { query: listOf(search, MAIL_FILTERS) })]
  return [installation]
}
