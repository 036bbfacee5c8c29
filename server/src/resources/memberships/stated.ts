/** What the connection or the directory of an organization states about a member: SQL of `memberships`. */
import type { Db } from '../../database/database.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { memberships, type StatedByAccount } from '../../database/schema.ts'

/** The user existed before somebody else added the membership: their own credentials alone do not open it. */
export async function waitForEntry(tx: Db, id: string): Promise<void> {
  await tx.update(memberships).set({ confirmEntry: true }).where(eq(memberships.id, id))
}

/**
 * The user has shown that the mailbox is still theirs. Locks the account before the membership, FOR SHARE as
 * the session that is opened next.
 */
export async function confirmEntry(tx: Db, id: string): Promise<void> {
  await tx.execute(sql`with account as (
      select a.id from accounts a where a.id = (select m.account_id from memberships m where m.id = ${id}) for share
    ) update memberships set confirm_entry = false
    where id = ${id} and confirm_entry and (select count(*) from account) >= 0`)
}

/** Stores the facts of an organization about a member. Absent ones remain. */
export async function stateFacts(
  tx: Db,
  id: string,
  { email, profile }: { email: string | null; profile: StatedByAccount },
): Promise<void> {
  const facts = JSON.stringify(profile)
  await tx.execute(sql`update memberships set stated = stated || ${facts}::jsonb,
      stated_email = coalesce(${email}::text, stated_email), updated_at = now()
    where id = ${id} and (not stated @> ${facts}::jsonb or stated_email is distinct from coalesce(${email}::text, stated_email))`)
}

/** Whether a membership has a role with which no connection signs a member in. */
export async function hasForbiddenRoles(
  db: Db,
  id: string,
  { reservedRoles }: { reservedRoles: boolean },
): Promise<boolean> {
  const { rows } = (await db.execute(sql`
    select exists (select from membership_roles m join roles r on r.id = m.role_id
      where m.membership_id = ${id}
        and (r.can_act_for_members or not r.assignable_by_account_admins and not ${reservedRoles}::boolean)) as found`)) as {
    rows: unknown[]
  }
  return (rows as { found: boolean }[])[0]!.found
}
