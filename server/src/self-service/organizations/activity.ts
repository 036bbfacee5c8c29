/** What happened in an organization: the audit entries that its admins may read, in words. */
import type { Db } from '../../database/database.ts'
import type { Reach } from '../../http/authority.ts'
import { type Entry, listEntries } from '../../journal/audit/queries.ts'
import { findNamed } from '../../resources/search/queries.ts'
import { type Activity, activityPage } from '../../ui/pages/self-service/organizations/activity.ts'
import { sendPage } from '../signed-in.ts'
import { PAGE_SIZE, pageNumberOf } from './paging.ts'
import { organizationPage, reachOfAdmin } from './visit.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** What the entry itself says about its target: the user of a membership, the name of what was deleted. */
const hintOf = ({ changes }: Entry) => ({
  userId: textOf(changes.userId?.find(Boolean)),
  name: textOf(changes.name?.findLast(Boolean)) ?? textOf(changes.email?.findLast(Boolean)),
})

/** Names as the admin reads them, by id or client id. */
async function namesIn(db: Db, reach: Reach, entries: Entry[]): Promise<Map<string, string>> {
  const ids = entries.flatMap((entry) => [entry.actorId, entry.targetId, hintOf(entry).userId])
  const found = await findNamed(db, reach, [...new Set(ids.filter((id) => typeof id === 'string'))])
  return new Map(found.map(({ key, name }) => [key, name]))
}

function activityOf(entry: Entry, names: Map<string, string>): Activity {
  const { time, action, outcome, actorType, actorId, targetId, targetType } = entry
  const { userId = '', name } = hintOf(entry)
  // A user who acts for a member is of another account, and is named by the entry.
  const actor = names.get(actorId ?? '') ?? textOf(entry.changes.actor?.findLast(Boolean))
  const target = names.get(targetId ?? '') ?? names.get(userId)
  // A sign-in is the act of the user that it is about, and who ends a session usually ends their own.
  const isOwn = action === 'user.login' || (targetType === 'session' && actorType === 'user')
  return {
    time,
    action,
    isRefused: outcome === 'failure',
    actorType,
    actor: actor ?? (action === 'user.login' ? target : undefined),
    target: target ?? (isOwn ? actor : undefined) ?? name,
    targetType,
    reason: action === 'session.acting_started' ? textOf(entry.changes.reason?.at(-1)) : undefined,
  }
}

export const showActivity = organizationPage('/activity', 'admin', async (visit) => {
  const { parts, organization, request, reader } = visit
  const page = pageNumberOf(request.query)
  const reach = reachOfAdmin(visit)
  const { rows, total } = await listEntries(parts.db, reach, { page, pageSize: PAGE_SIZE })
  const names = await namesIn(parts.db, reach, rows)
  const html = activityPage({
    ...reader,
    organization,
    filters: { page },
    hasNext: page * PAGE_SIZE < total,
    entries: rows.map((entry) => activityOf(entry, names)),
  })
  return sendPage(visit, html)
})
