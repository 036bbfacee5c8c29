/**
 * Whether an invitation still holds: its inviter could send it now. The right of the inviter is checked again
 * when the invitation is accepted; a change that takes the right away revokes what it covers (changes.ts).
 * The suspension of the account does not: it can be lifted, and until then the acceptance is refused.
 */
import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { invitations } from '../../database/schema.ts'
import { HAS_ACCOUNT_ADMIN_RIGHT, IS_ADMIN, STATED_MEMBERSHIPS } from '../memberships/account-admins.ts'

const inviter = invitations.invitedBy

const isOperator = (place: SQL) => sql`exists (select from operators o
  where o.user_id = ${inviter} and o.level = 'admin' and ${place})`

const IS_OF_PLATFORM = sql`(${isOperator(sql`o.system_id is null`)} or exists (select from ${STATED_MEMBERSHIPS}
  where m.user_id = ${inviter} and s.platform and ${IS_ADMIN}))`

/** A service is no user. One of the platform has no system whose settings could end its right. */
const HOLDS = sql<boolean>`(case
  when ${inviter} is not null and exists (select from users u where u.id = ${inviter} and u.disabled) then false
  when ${invitations.addedBy} = 'account' then
    exists (select from ${STATED_MEMBERSHIPS} where m.user_id = ${inviter}
      and m.account_id = ${invitations.accountId} and ${HAS_ACCOUNT_ADMIN_RIGHT})
    and not exists (select from roles r where r.system_id = ${invitations.systemId}
      and r.id = any(${invitations.roles}) and not r.assignable_by_account_admins)
  when ${inviter} is not null then
    ${IS_OF_PLATFORM} or (${invitations.addedBy} = 'system' and ${isOperator(sql`o.system_id = ${invitations.systemId}`)})
  when ${invitations.addedBy} = 'system' then
    exists (select from systems c where c.id = ${invitations.systemId} and c.allow_client_credentials)
  else true end)`

/** Whether a row-locked invitation still holds. */
export async function stillHolds(tx: Db, id: string): Promise<boolean> {
  const [found] = await tx.select({ holds: HOLDS }).from(invitations).where(eq(invitations.id, id))
  return found?.holds === true
}

/** The invitations of one user, or to the accounts of one system. */
export type Sent = { invitedBy: string } | { systemId: string }

/** The most that one transaction revokes. Others are refused when they are accepted. */
const REVOKED_MAX = 1_000

/** Row-locks the pending invitations that do not hold any more, as a subquery of their ids. */
export const lost = (tx: Db, sent: Sent) =>
  tx
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.status, 'pending'),
        'systemId' in sent
          ? eq(invitations.systemId, sent.systemId)
          : eq(invitations.invitedBy, sent.invitedBy),
        sql`not ${HOLDS}`,
      ),
    )
    .orderBy(invitations.id)
    .limit(REVOKED_MAX)
    .for('update', { of: invitations })
