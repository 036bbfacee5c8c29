/** Finds resources by an id, or by a text that they contain. */
import type { Db } from '../../database/database.ts'
import type { Reach } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { listAccounts } from '../accounts/queries.ts'
import { listMemberships } from '../memberships/list.ts'
import { listUsers } from '../users/list.ts'
import { findNamed, findRequest, findSession, findSystems, type Named, SEARCHED } from './queries.ts'

export const TYPES = [...SEARCHED, 'session', 'request'] as const
export const FOUND_MAX = 20
/** The most rows of each type, if there are more than FOUND_MAX of all types together. */
const OF_TYPE = 6

export type SearchHit = Pick<Named, 'id' | 'name' | 'detail' | 'systemId'> & {
  type: (typeof TYPES)[number]
  href: string
}

type Type = (typeof SEARCHED)[number]

const isSearched = (type: string): type is Type => (SEARCHED as readonly string[]).includes(type)

const hrefOf = ({ type, id, systemId }: Pick<Named, 'id' | 'systemId'> & { type: Type }): string =>
  ['role', 'profile', 'webhook'].includes(type)
    ? `/admin/systems/${systemId}/${type}s/${id}`
    : `/admin/${type}s/${id}`

const found = (type: Type, { id, name, detail, systemId }: Omit<Named, 'key' | 'type'>): SearchHit => ({
  type,
  id,
  name,
  detail,
  systemId,
  href: hrefOf({ type, id, systemId }),
})

/** The `sid` of a session, or the `jti` of one of its tokens, which starts with it. */
const SID = /^[A-Za-z0-9_-]{43}(?=$|\.)/

/** The resources with this id; a UUID may also be that of a request in the audit log. */
export async function byId(db: Db, reach: Reach, text: string): Promise<SearchHit[]> {
  const sid = SID.exec(text)?.[0]
  if (sid !== undefined) {
    const session = await findSession(db, reach, sid)
    if (!session) return []
    const { email, userId, systemId } = session
    const href = `/admin/sessions?userId=${userId}`
    return [{ type: 'session', id: sid, name: email, detail: null, systemId, href }]
  }
  if (!isUuid(text)) return []
  const id = text.toLowerCase()
  const [named, action] = await Promise.all([findNamed(db, reach, [id]), findRequest(db, reach, id)])
  const href = `/admin/audit?requestId=${id}`
  return [
    ...named.flatMap((each) => (isSearched(each.type) ? [found(each.type, each)] : [])),
    ...(action === undefined
      ? []
      : [{ type: 'request' as const, id, name: action, detail: null, systemId: null, href }]),
  ]
}

/** The newest resources that contain the text: by the searches of the lists. */
export async function byText(db: Db, reach: Reach, search: string): Promise<SearchHit[]> {
  const page = { page: 1, pageSize: FOUND_MAX }
  if (reach.accountId !== undefined) {
    const { rows } = await listMemberships(db, reach, { ...page, query: search })
    const members = rows.map(({ id, user: { name, email }, account, systemId }) =>
      found('membership', {
        id,
        name: name ?? email,
        detail: name === null ? account.name : email,
        systemId,
      }),
    )
    return startingFirst(members, search)
  }
  const [users, accounts, systems] = await Promise.all([
    listUsers(db, reach, { ...page, query: search }),
    listAccounts(db, reach, { ...page, search }),
    findSystems(db, reach, search, FOUND_MAX),
  ])
  return shared(
    [
      users.rows.map(({ id, name, readEmail: email }) =>
        found('user', { id, name: name ?? email, detail: email, systemId: null }),
      ),
      accounts.rows.map((account) => found('account', { ...account, detail: account.externalId })),
      systems.map((system) => found('system', { ...system, detail: system.clientId, systemId: system.id })),
    ].map((list) => startingFirst(list, search)),
  )
}

/** Hits that begin with the text come first; the order is otherwise unchanged. */
function startingFirst(list: SearchHit[], text: string): SearchHit[] {
  const start = text.toLowerCase()
  const starts = ({ name, detail }: SearchHit) =>
    [name, detail].some((each) => each?.toLowerCase().startsWith(start))
  return [...list.filter(starts), ...list.filter((each) => !starts(each))]
}

/** At most FOUND_MAX of several lists: OF_TYPE of each, and as many more as there is room for, in order. */
function shared(lists: SearchHit[][]): SearchHit[] {
  let room = FOUND_MAX - lists.reduce((sum, list) => sum + Math.min(list.length, OF_TYPE), 0)
  return lists.flatMap((list) => {
    const more = Math.min(room, Math.max(0, list.length - OF_TYPE))
    room -= more
    return list.slice(0, OF_TYPE + more)
  })
}
