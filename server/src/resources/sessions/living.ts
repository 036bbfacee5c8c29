/** When a session is active, as conditions of SQL statements. */

import { type AnyPgColumn, alias, and, isNull, type SQL, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

type SessionColumns = Record<
  | 'systemId'
  | 'accountId'
  | 'membershipId'
  | 'userId'
  | 'connectionId'
  | 'createdAt'
  | 'expiresAt'
  | 'endedAt',
  AnyPgColumn | SQL
>

/**
 * Ends of many sessions, `k`, that cover a session: it has ended, and a job has still to update its row
 * (end-queries.ts). The table is empty unless there is such a job.
 */
const covering = (
  s: Omit<SessionColumns, 'expiresAt' | 'endedAt'>,
) => sql`from session_ends k where k.before >= ${s.createdAt}
  and (k.system_id is null or k.system_id = ${s.systemId}) and (k.user_id is null or k.user_id = ${s.userId})
  and (k.account_id is null or k.account_id = ${s.accountId})
  and (k.membership_id is null or k.membership_id = ${s.membershipId})
  and (k.connection_id is null or k.connection_id = ${s.connectionId})
  and (not k.without_connection or ${s.connectionId} is null)`

/** The condition of an active session: not ended and not expired. */
export const livingIn = (s: SessionColumns): SQL | undefined =>
  and(sql`${s.endedAt} is null`, sql`${s.expiresAt} > now()`, sql`not exists (select ${covering(s)})`)

export const living = livingIn(sessions)

/** When a session was ended; null if it was not. */
export const endOf = (s: Omit<SessionColumns, 'expiresAt'>): SQL<Date | null> =>
  sql<Date | null>`coalesce(${s.endedAt}, (select min(k.before) ${covering(s)}))`

/**
 * Its row has not ended it, and it has not expired: includes covered ones, which a job has still to update.
 */
export const unended = and(isNull(sessions.endedAt), sql`${sessions.expiresAt} > now()`)

const other = alias(sessions, 'e')

/**
 * Whether an administrator has ended a session of the same browser and system since this one was opened (a
 * browser has one for each account). The browser must then authenticate again for that system.
 */
export const endedByAdmin = sql<boolean>`exists (select from sessions e
  where e.browser_uid = ${sessions.browserUid} and e.system_id = ${sessions.systemId}
    and (e.end_reason = 'admin' and e.ended_at >= ${sessions.createdAt} or e.ended_at is null
      and exists (select ${covering(other)} and k.reason = 'admin' and k.before >= ${sessions.createdAt})))`
