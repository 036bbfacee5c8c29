/**
 * The exemption of a member from single sign-on that the account requires: its rows and emails. The threat:
 * it is the way around the identity provider of the organization. So the other admins learn of it, and of
 * each sign-in of an exempt admin that goes that way.
 */
import { LRUCache } from 'lru-cache'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { inTransaction } from '../../database/transaction.ts'
import type { Actor, Authority } from '../../http/authority.ts'
import { limitOf } from '../../http/limits/guard.ts'
import { type Rule, reserve } from '../../http/limits/queries.ts'
import { memberExempted, signedInExempt } from '../../jobs/email/admin-messages.ts'
import { notify } from '../../jobs/email/budget.ts'
import { record } from '../../journal/audit/record.ts'
import { isFactorValidIn } from '../users/sign-in-methods.ts'
import { hasAdminRole, listAdminReaders } from './account-admins.ts'
import { type Mailing, ONCE_AN_HOUR, readMembership } from './approval.ts'
import { entryOfMembership } from './create.ts'
import type { Membership } from './queries.ts'

/** Stores who has exempted a row-locked membership; null ends the exemption. */
export async function updateExemption(tx: Db, id: string, by: Authority | null): Promise<void> {
  await tx.execute(sql`update memberships set sso_exempt_by = ${by}::text,
      sso_exempt_at = case when ${by}::text is not null then now() end, updated_at = now() where id = ${id}`)
}

/**
 * Whether the user of a membership has a second factor that counts in the system. One that is valid
 * everywhere counts once the user has entered the system: before, the system does not know of it.
 */
export async function hasFactorToExempt(tx: Db, id: string): Promise<boolean> {
  const counts = (row: string) =>
    sql`${isFactorValidIn(row, sql`m.system_id`)} and (${sql.raw(row)}.system_id is not null or r.entered_at is not null)`
  const { rows } = (await tx.execute(sql`
    select 1 from memberships m join system_users r on r.user_id = m.user_id and r.system_id = m.system_id
    where m.id = ${id} and (
      exists (select from totp_factors f where f.user_id = m.user_id and f.confirmed_at is not null and ${counts('f')})
      or exists (select from passkeys p where p.user_id = m.user_id and ${counts('p')}))`)) as {
    rows: unknown[]
  }
  return rows.length > 0
}

/** The other admins of the account learn who is exempt now. */
export async function notifyExempted(
  tx: Db,
  { seal, config }: Mailing,
  { actor }: { actor: Actor },
  { id, accountId }: Membership,
): Promise<void> {
  const found = await readMembership(tx, id)
  if (!found) return
  const { account, application, readEmail: member } = found
  const href = `${config.BASE_URL}/account/organizations/${accountId}/members`
  const about = { member, account: account.name, href }
  for (const reader of await listAdminReaders(tx, accountId, actor.type === 'user' ? actor.id : null))
    await notify(tx, seal, memberExempted(reader, application, about), application.id, accountId)
}

/** Once in a day. */
const ONCE_A_DAY = { ...ONCE_AN_HOUR, every: 86_400 } as const satisfies Rule
/** Browser sessions and memberships that this process has noted: the others take a statement. */
const NOTED_MAX = 10_000
const noted = new LRUCache<string, true>({ max: NOTED_MAX })

/**
 * An exempt admin uses the console or the pages of the organization, whose sign-in opens no session of the
 * account. `browser`: the browser session, for which it is noted once, as a sign-in.
 */
export async function noteExemptVisit(
  { db, ...mailing }: { db: Db; seal: Seal },
  actor: Actor,
  membership: Entered,
  browser: string,
): Promise<void> {
  const key = `${browser} ${membership.id}`
  if (noted.has(key)) return
  await inTransaction(db, async (tx) => {
    const limit = limitOf(mailing.seal, 'exempt visits', ONCE_A_DAY, browser, membership.id)
    if (await reserve(tx, limit)) await noteExemptSignIn(tx, mailing, actor, membership)
  })
  noted.set(key, true)
}

type Entered = Pick<Membership, 'id' | 'accountId'> & { systemId: string; userId: string }

/**
 * An exempt member has signed in by no connection. Of one with an admin role it is recorded, and the other
 * admins learn of it, once an hour.
 */
export async function noteExemptSignIn(
  tx: Db,
  { seal }: Pick<Mailing, 'seal'>,
  actor: Actor,
  membership: Entered,
): Promise<void> {
  const { id, accountId, userId } = membership
  if (!(await hasAdminRole(tx, id))) return
  const entry = entryOfMembership(membership)
  await record(tx, actor, { action: 'connection.exempt_sign_in', ...entry })
  const readers = await listAdminReaders(tx, accountId, userId)
  if (readers.length === 0 || !(await reserve(tx, limitOf(seal, 'exempt sign-ins', ONCE_AN_HOUR, id)))) return
  const found = await readMembership(tx, id)
  if (!found) return
  const { account, application, readEmail: member } = found
  const about = { member, account: account.name, ip: actor.ip }
  for (const reader of readers)
    await notify(tx, seal, signedInExempt(reader, application, about), application.id, accountId)
}
