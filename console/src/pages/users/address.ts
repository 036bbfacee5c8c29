import { type ContextKey, kindOf, readQuery } from '../../api/queries.ts'
import { MAIL_FILTERS } from '../../parts/mail/kinds.ts'
import { LIST, listOf, namedOf, searchOf, textsOf } from '../../parts/search.ts'

/** The filters of a system; it does not see whether a user has a password or signs in elsewhere. */
const OF_SYSTEM = ['disabled', 'emailVerified', 'createdAfter', 'createdBefore'] as const
const OF_PLATFORM = ['mfa', 'systemId', 'hasPassword', 'lastLoginAfter', 'lastLoginBefore', 'sort'] as const

export const usersSearch = searchOf({ ...LIST, ...textsOf(...OF_SYSTEM, ...OF_PLATFORM) })

/** What is read before the list is shown. */
export function usersQueries(context: ContextKey, search: ReturnType<typeof usersSearch>) {
  const names = kindOf(context) === 'platform' ? [...OF_SYSTEM, ...OF_PLATFORM] : OF_SYSTEM
  return [
    readQuery(context, '/admin/users', { query: namedOf(listOf(search, names)) }),
    readQuery(context, '/admin/limits'),
  ]
}

export const userSearch = searchOf({ ...LIST, ...textsOf('tab', 'as', 'member', 'entry', ...MAIL_FILTERS) })
type Search = ReturnType<typeof userSearch>

/** What the open tab shows first. */
function tabQueries(context: ContextKey, userId: string, search: Search) {
  const query = listOf(search)
  const about = search.as === 'actor' ? { actorId: userId } : { targetId: userId }
  const mail = { ...listOf(search, MAIL_FILTERS), userId }
  switch (search.tab) {
    case 'memberships':
      return [readQuery(context, '/admin/memberships', { query: { ...query, userId } })]
    case 'sessions':
      return [readQuery(context, '/admin/sessions', { query: { ...query, userId } })]
    case 'methods':
      return [readQuery(context, '/admin/users/{userId}/factors', { path: { userId } })]
    case 'mail':
      return kindOf(context) === 'platform' ? [readQuery(context, '/admin/mail', { query: mail })] : []
    case 'audit':
      return [readQuery(context, '/admin/audit', { query: { ...query, ...about } })]
    case 'metadata':
      return []
    default:
      return [
        readQuery(context, '/admin/memberships', { query: { userId, pageSize: 25 } }),
        readQuery(context, '/admin/audit', { query: { targetId: userId, pageSize: TIMELINE } }),
      ]
  }
}

/** Entries of the timeline; the tab Audit has all. */
export const TIMELINE = 50

/** What is read before a user is shown. */
export const userQueries = (context: ContextKey, userId: string, search: Search) => [
  readQuery(context, '/admin/users/{userId}', { path: { userId } }),
  ...tabQueries(context, userId, search),
]
