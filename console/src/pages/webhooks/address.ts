import { type ContextKey, kindOf, readQuery, versionedQuery } from '../../api/queries.ts'
import { LIST, listOf, searchOf, textsOf } from '../../parts/search.ts'

export const webhooksSearch = searchOf({ ...LIST, ...textsOf('state', 'systemId') })

/** What is read before the list is shown. */
export function webhooksQueries(context: ContextKey, search: ReturnType<typeof webhooksSearch>) {
  const names = kindOf(context) === 'platform' ? (['state', 'systemId'] as const) : (['state'] as const)
  return [readQuery(context, '/admin/webhooks', { query: listOf(search, names) })]
}

const DELIVERIES = ['status', 'type', 'eventId', 'from', 'to'] as const
/** `delivery`: the one that is open. */
export const webhookSearch = searchOf({ ...LIST, ...textsOf('delivery', ...DELIVERIES) })

/** What is read before a webhook is shown. */
export function webhookQueries(
  context: ContextKey,
  path: { systemId: string; webhookId: string },
  search: ReturnType<typeof webhookSearch>,
) {
  const one = '/admin/systems/{systemId}/webhooks/{webhookId}'
  const states = { systemId: path.systemId, page: 1, pageSize: 100 }
  return [
    versionedQuery(context, one, { path }),
    readQuery(context, '/admin/webhooks', { query: states }),
    readQuery(context, `${one}/deliveries`, { path, query: listOf(search, DELIVERIES) }),
  ]
}
