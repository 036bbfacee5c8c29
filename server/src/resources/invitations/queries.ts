/** All SQL statements of invitations. */
import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, inArray, ne, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage, rowsContaining, termOf } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { accounts, invitations, systems, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Rank, type Reach, within } from '../../http/authority.ts'
import { demandQuota, quotaOf } from '../../http/quotas.ts'
import { reservedRole } from '../roles/assignment.ts'
import type { Application } from '../systems/application.ts'
import { applicationColumns } from '../systems/queries.ts'
import { nameIn } from '../users/profile.ts'
import { lost, type Sent } from './holding.ts'

type Row = typeof invitations.$inferSelect
export type InvitationStatus = Row['status']
export type Invitation = Omit<Row, 'linkHash'>

const { linkHash: _, ...stored } = getTableColumns(invitations)
/** A pending invitation whose time has passed is expired, also before the cleanup has noted it. */
const status = sql<InvitationStatus>`case when ${invitations.status} = 'pending' and ${invitations.expiresAt} <= now()
  then 'expired' else ${invitations.status} end`
const columns = { ...stored, status }
const isOpen = sql`${invitations.status} = 'pending' and ${invitations.expiresAt} > now()`

const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: invitations.systemId, account: invitations.accountId })

type Filter = { accountId: string; status?: InvitationStatus | undefined; search?: string | undefined }

/** A page of the invitations of an account, newest first, and their number. */
export function listInvitations(
  db: Db,
  { accountId, status: wanted, search, ...page }: PageRequest & Filter,
): Promise<Listed<Invitation>> {
  const { id, createdAt: time, email } = invitations
  const also = wanted && sql`${status} = ${wanted}`
  const scope = eq(invitations.accountId, accountId)
  const matching = rowsContaining([termOf(search, email)], { from: invitations, scope, id, time, also })
  return listPage(db, page, matching, (ids) =>
    db.select(columns).from(invitations).where(inArray(invitations.id, ids)),
  )
}

type Key = { accountId: string; id: string }

const selectInvitation = (db: Db, reach: Reach, { accountId, id }: Key) =>
  db
    .select(columns)
    .from(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.accountId, accountId), inReach(reach)))

/** Throws `invitation_not_found`, also if the invitation is out of reach. */
export async function findInvitation(db: Db, reach: Reach, key: Key): Promise<Invitation> {
  const [found] = await selectInvitation(db, reach, key)
  if (!found) throw new Failure('invitation_not_found')
  return found
}

/** Finds the invitation, row-locked. */
export async function lockInvitation(tx: Db, reach: Reach, key: Key): Promise<Invitation> {
  const [found] = await selectInvitation(tx, reach, key).for('update')
  if (!found) throw new Failure('invitation_not_found')
  return found
}

type NewField =
  | 'systemId'
  | 'accountId'
  | 'email'
  | 'roles'
  | 'profiles'
  | 'message'
  | 'addedBy'
  | 'invitedBy'
export type NewInvitation = Pick<Row, NewField | 'linkHash' | 'mailed' | 'lifetime'>

/**
 * Inserts a pending invitation. The account is row-locked. Throws `invitation_exists` with the id of the
 * other one, or `limit_reached`.
 */
export async function insertInvitation(tx: Db, row: NewInvitation): Promise<Invitation> {
  const others = sql<number>`(select count(*)::int from (select from ${invitations} o
    where o.account_id = ${row.accountId} and o.status = 'pending' limit ${quotaOf('invitationsOfAccount')}) o)`
  const [inserted] = await tx
    .insert(invitations)
    .values({ ...row, sends: Number(row.mailed), ...linkTimes(row) })
    .onConflictDoNothing({
      target: [invitations.accountId, invitations.email],
      where: sql`status = 'pending'`,
    })
    .returning({ ...columns, others })
  if (inserted) {
    const { others: before, ...invitation } = inserted
    demandQuota('invitationsOfAccount', before + 1)
    return invitation
  }
  const [known] = await tx
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.accountId, row.accountId),
        eq(invitations.email, row.email),
        eq(invitations.status, 'pending'),
      ),
    )
  throw new Failure('invitation_exists', { invitationId: known?.id })
}

const linkTimes = ({ lifetime, mailed }: Pick<Row, 'lifetime' | 'mailed'>) => ({
  expiresAt: sql`now() + make_interval(secs => ${lifetime})`,
  ...(mailed && { lastSentAt: sql`now()` }),
})

/** Replaces the link of a row-locked invitation by one that is sent by email. */
export async function replaceLink(
  tx: Db,
  { id, lifetime }: Invitation,
  linkHash: Buffer,
): Promise<Invitation> {
  const [after] = await tx
    .update(invitations)
    .set({
      linkHash,
      mailed: true,
      sends: sql`${invitations.sends} + 1`,
      ...linkTimes({ lifetime, mailed: true }),
      updatedAt: sql`now()`,
    })
    .where(eq(invitations.id, id))
    .returning(columns)
  return after!
}

/** Ends a row-locked invitation. `acceptedBy`: the user. */
export async function endInvitation(
  tx: Db,
  id: string,
  ended: Exclude<InvitationStatus, 'pending'>,
  acceptedBy: string | null = null,
): Promise<Invitation> {
  const [after] = await tx
    .update(invitations)
    .set({ status: ended, acceptedBy, updatedAt: sql`now()` })
    .where(eq(invitations.id, id))
    .returning(columns)
  return after!
}

/** Revokes the pending invitations that do not hold any more. */
export const endLost = (tx: Db, sent: Sent): Promise<Invitation[]> =>
  tx
    .update(invitations)
    .set({ status: 'revoked', updatedAt: sql`now()` })
    .where(inArray(invitations.id, lost(tx, sent)))
    .returning(columns)

/**
 * A user as an admin of one account, of all accounts of a system, or of any. `always`: also as an operator or
 * an admin of the platform.
 */
export type Inviting = { userId: string; systemId?: string; accountId?: string; always?: true }

/** Ends the pending invitations that a user has sent as an admin of these accounts. */
export function endInvitationsOf(
  tx: Db,
  { userId, systemId, accountId, always }: Inviting,
  ended: 'revoked',
): Promise<Invitation[]> {
  const sent = tx
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.invitedBy, userId),
        always ? undefined : eq(invitations.addedBy, 'account'),
        eq(invitations.status, 'pending'),
        systemId === undefined ? undefined : eq(invitations.systemId, systemId),
        accountId === undefined ? undefined : eq(invitations.accountId, accountId),
      ),
    )
    .orderBy(invitations.id)
    .for('update')
  return tx
    .update(invitations)
    .set({ status: ended, updatedAt: sql`now()` })
    .where(inArray(invitations.id, sent))
    .returning(columns)
}

/** Marks expired invitations that are pending: of one address in an account, or any, up to `limit`. */
export async function expireInvitations(
  tx: Db,
  which: { accountId: string; email: string } | { limit: number },
): Promise<Invitation[]> {
  const one =
    'limit' in which
      ? undefined
      : and(eq(invitations.accountId, which.accountId), eq(invitations.email, which.email))
  const due = tx
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.status, 'pending'), sql`${invitations.expiresAt} <= now()`, one))
    .orderBy(invitations.expiresAt)
    .limit('limit' in which ? which.limit : 1)
    .for('update', 'limit' in which ? { skipLocked: true } : {})
  return tx
    .update(invitations)
    .set({ status: 'expired', updatedAt: sql`now()` })
    .where(inArray(invitations.id, due))
    .returning(columns)
}

/**
 * The inviter as the email and the page name them; users of the platform are not named. The admin of an
 * account has the name that the system reads.
 */
export type Inviter = { name: string | null; email: string }
export type OpenedInvitation = Invitation & {
  accountName: string
  /** A user of another address can accept it. */
  acceptOtherAddress: boolean
  /** The account is suspended: the invitation cannot be accepted now. */
  isSuspended: boolean
  system: Application & { id: string; invitationUri: string | null }
  roleNames: string[]
  inviter: Inviter | null
}

const details = {
  ...columns,
  accountName: accounts.name,
  acceptOtherAddress: accounts.acceptOtherAddress,
  isSuspended: sql<boolean>`${accounts.suspendedBy} <> '{}'`,
  system: { ...applicationColumns, invitationUri: systems.invitationUri },
  roleNames: sql<string[]>`coalesce((select array_agg(r.name order by r.name) from roles r
    where r.system_id = ${invitations.systemId} and r.id = any(${invitations.roles})), '{}')`,
  inviter: {
    name: sql<string | null>`case ${invitations.addedBy} when 'account'
      then ${nameIn(invitations.systemId, invitations.invitedBy)} else ${users.name} end`,
    email: sql<string>`coalesce((select r.email from system_users r where ${invitations.addedBy} = 'account'
      and r.user_id = ${users.id} and r.system_id = ${invitations.systemId}), ${users.email})`,
  },
}

const selectOpened = (db: Db, condition: SQL | undefined) =>
  db
    .select(details)
    .from(invitations)
    .innerJoin(accounts, eq(accounts.id, invitations.accountId))
    .innerJoin(systems, eq(systems.id, invitations.systemId))
    .leftJoin(users, and(eq(users.id, invitations.invitedBy), ne(invitations.addedBy, 'platform')))
    .where(condition)

/** The invitation of a link, with what its page shows; also one that was accepted. */
export async function findInvitationByLink(db: Db, linkHash: Buffer): Promise<OpenedInvitation | undefined> {
  const [found] = await selectOpened(db, eq(invitations.linkHash, linkHash))
  return found
}

/** Finds the opened invitation by its id. */
export async function findOpened(db: Db, id: string): Promise<OpenedInvitation | undefined> {
  const [found] = await selectOpened(db, eq(invitations.id, id))
  return found
}

/** The pending invitation of an address to an account. */
export async function findPendingTo(
  db: Db,
  { accountId, email }: { accountId: string; email: string },
): Promise<Pick<Invitation, 'id' | 'systemId' | 'accountId'> | undefined> {
  const { id, systemId } = invitations
  const [found] = await db
    .select({ id, systemId, accountId: invitations.accountId })
    .from(invitations)
    .where(and(eq(invitations.accountId, accountId), eq(invitations.email, email), isOpen))
  return found
}

/** An invitation by its link, which must be the last one that was sent, or by its id. */
export type Which = { linkHash: Buffer } | { id: string }

/** Row-locks a pending invitation; undefined if it has ended or the link is not valid. */
export async function lockOpen(tx: Db, which: Which): Promise<Invitation | undefined> {
  const [found] = await tx
    .select(columns)
    .from(invitations)
    .where(
      and('id' in which ? eq(invitations.id, which.id) : eq(invitations.linkHash, which.linkHash), isOpen),
    )
    .for('update')
  return found
}

/**
 * Whether a member of the account has this address, as the inviter reads it, and the language of the user
 * who receives an email there. Only the platform reads another address of a member who has not entered the
 * system.
 */
export async function addressState(
  tx: Db,
  { accountId, email, by }: { accountId: string; email: string; by: Rank },
): Promise<{ isMember: boolean; locale: string | null }> {
  const present =
    by === 'platform' ? sql`or m.user_id = (select id from users where email = ${email})` : sql``
  const { rows } = (await tx.execute(sql`
    select exists (select from memberships m where m.account_id = ${accountId} and (m.email = ${email} ${present}))
      as "isMember", (select locale from users where email = ${email}) as locale`)) as {
    rows: { isMember: boolean; locale: string | null }[]
  }
  return rows[0]!
}

/** Throws `role_not_in_system`, `profile_not_in_system`, or `insufficient_authority` for a reserved role. */
export async function demandInvitable(
  tx: Db,
  { systemId, roles, profiles, by }: { systemId: string; roles: string[]; profiles: string[]; by: Rank },
): Promise<void> {
  if (roles.length + profiles.length === 0) return
  const { rows } = (await tx.execute(sql`
    select (select count(*)::int from roles where system_id = ${systemId} and id = any(${sql.param(roles)}::uuid[])) as roles,
      (select count(*)::int from roles where system_id = ${systemId} and id = any(${sql.param(roles)}::uuid[])
        and not assignable_by_account_admins) as reserved,
      (select count(*)::int from profiles where system_id = ${systemId} and id = any(${sql.param(profiles)}::uuid[])) as profiles`)) as {
    rows: { roles: number; reserved: number; profiles: number }[]
  }
  const found = rows[0]!
  if (found.roles < new Set(roles).size) throw new Failure('role_not_in_system')
  if (found.profiles < new Set(profiles).size) throw new Failure('profile_not_in_system')
  if (by === 'account' && found.reserved > 0) throw reservedRole()
}

/** The roles and profiles of an invitation that exist and that its inviter may still assign. */
export async function stillAssignable(
  tx: Db,
  { systemId, roles, profiles, addedBy }: Invitation,
): Promise<{ roles: string[]; profiles: string[] }> {
  const { rows } = (await tx.execute(sql`
    select array(select id::text from roles where system_id = ${systemId} and id = any(${sql.param(roles)}::uuid[])
        and (${addedBy !== 'account'} or assignable_by_account_admins)) as roles,
      array(select id::text from profiles where system_id = ${systemId} and id = any(${sql.param(profiles)}::uuid[])) as profiles`)) as {
    rows: { roles: string[]; profiles: string[] }[]
  }
  return rows[0]!
}
