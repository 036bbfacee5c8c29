import { type ContextKey, type ContextKind, kindOf, readQuery } from '../../api/queries.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

const ALL = [
  'action',
  'outcome',
  'reason',
  'actor',
  'from',
  'to',
  'targetId',
  'actorType',
  'ip',
  'requestId',
] as const
const FILTERS = {
  platform: [...ALL, 'systemId', 'accountId'],
  system: [...ALL, 'accountId'],
  account: ALL,
} as const satisfies Record<ContextKind, readonly string[]>

export const auditSearch = searchOf({ ...LIST, ...textsOf('entry', ...FILTERS.platform) })

/** What is read before the page is shown. */
export const auditQueries = (context: ContextKey, search: ReturnType<typeof auditSearch>) => [
  readQuery(context, '/admin/audit', { query: listOf(search, FILTERS[kindOf(context)]) }),
]
