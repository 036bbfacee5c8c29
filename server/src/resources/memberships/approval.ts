/** Emails about a membership that an administrator approves: to its user, and to who can approve it. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, sql } from '../../database/drizzle.ts'
import { accounts, memberships, systems, systemUsers, users } from '../../database/schema.ts'
import type { Authority } from '../../http/authority.ts'
import { limitOf } from '../../http/limits/guard.ts'
import { type Rule, reserve } from '../../http/limits/queries.ts'
import { notify } from '../../jobs/email/budget.ts'
import { accessApproved, accessRequested, type Reader, type Waiting } from '../../jobs/email/messages.ts'
import { wayOnHref } from '../systems/application.ts'
import { applicationColumns } from '../systems/queries.ts'
import { listAdminReaders, READERS_MAX } from './account-admins.ts'

export type Mailing = { seal: Seal; config: Pick<Config, 'BASE_URL'> }

/** Once, then once an hour: for each organization, and for the operators of each system. */
export const ONCE_AN_HOUR = {
  kind: 'steady',
  burst: 1,
  every: 3_600,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** A membership as the emails about it name it. */
export async function readMembership(tx: Db, id: string) {
  const isDisabled = sql<boolean>`(${users.disabled} or ${systemUsers.disabled} or ${accounts.suspendedBy} <> '{}')`
  const [found] = await tx
    .select({
      user: { id: users.id, email: users.email, locale: users.locale },
      isDisabled,
      readEmail: systemUsers.email,
      account: { id: accounts.id, name: accounts.name, kind: accounts.kind },
      application: applicationColumns,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .innerJoin(systems, eq(systems.id, memberships.systemId))
    .innerJoin(
      systemUsers,
      and(eq(systemUsers.userId, memberships.userId), eq(systemUsers.systemId, memberships.systemId)),
    )
    .where(eq(memberships.id, id))
  return found
}

/** Call it after a membership was activated that had waited. A user who cannot sign in gets no email. */
export async function notifyApproved(
  tx: Db,
  { seal, config }: Mailing,
  id: string,
  by: Authority,
): Promise<void> {
  const found = await readMembership(tx, id)
  if (!found || found.isDisabled) return
  const { user, account, application, readEmail: loginHint } = found
  const isNamed = account.kind === 'organization'
  const known = { loginHint, ...(isNamed && { accountId: account.id }) }
  const href = wayOnHref(config, application, known)
  const email = accessApproved(user, application, { account: isNamed ? account.name : null, href })
  await notify(tx, seal, email, application.id, by === 'account' ? account.id : undefined)
}

/**
 * Call it after a membership was created that waits. The admins of its organization get an email, and the
 * operators of the system, who can approve it in any case. `actor`: who has created it knows it already.
 */
export async function notifyWaiting(
  tx: Db,
  { seal, config }: Mailing,
  { id, actorId, awaitsActivation }: { id: string; actorId: string | null; awaitsActivation: boolean },
): Promise<void> {
  const found = await readMembership(tx, id)
  if (!found) return
  const { account, application, readEmail: member } = found
  const about = { member, account: account.name }
  const send = async (key: string, readers: Reader[], waiting: Waiting, accountId?: string) => {
    const others = readers.filter((reader) => reader.id !== actorId)
    if (others.length === 0 || !(await reserve(tx, limitOf(seal, 'approvals', ONCE_AN_HOUR, key)))) return
    for (const reader of others)
      await notify(tx, seal, accessRequested(reader, application, waiting), application.id, accountId)
  }
  const href = `${config.BASE_URL}/account/organizations/${account.id}/members`
  const ofAdmins = { ...about, approves: !awaitsActivation, href }
  await send(account.id, await listAdminReaders(tx, account.id), ofAdmins, account.id)
  if (awaitsActivation)
    await send(application.id, await operatorsOf(tx, application.id), {
      ...about,
      approves: true,
      isOperator: true,
      href: `${config.BASE_URL}/console/`,
    })
}

async function operatorsOf(tx: Db, systemId: string): Promise<Reader[]> {
  const { rows } = (await tx.execute(
    sql`select u.id, u.email, u.locale from operators o join users u on u.id = o.user_id
      where o.system_id = ${systemId} and o.level = 'admin' and not u.disabled
      order by o.created_at, o.id limit ${READERS_MAX}`,
  )) as { rows: unknown[] }
  return rows as Reader[]
}
