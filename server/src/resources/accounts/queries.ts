/** SQL statements of accounts. */

import type { Db } from '../../database/database.ts'
import {
  and,
  asc,
  eq,
  getTableColumns,
  inArray,
  or,
  type PgColumn,
  type SQL,
  sql,
} from '../../database/drizzle.ts'
import {
  firstOf,
  type Listed,
  listPage,
  type Matching,
  rowsContaining,
  type Term,
} from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { accounts, blocks, memberships } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import { demandQuota, quotaOf } from '../../http/quotas.ts'
import { isPresent } from '../systems/present.ts'
import { statedAddress } from '../users/stated-addresses.ts'

export type Account = typeof accounts.$inferSelect

export type ListedAccount = Account & { memberCount: number }

const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: accounts.systemId, account: accounts.id })

const ofSystem = isPresent(accounts.systemId)

/** The active admins of an account. The condition is that of an index. */
const ADMINS = sql`membership_roles mr where mr.account_id = accounts.id and mr.is_admin and mr.active`

const stated = (condition: SQL) =>
  sql`select from system_users su
    where su.user_id = mr.user_id and su.system_id = mr.system_id and ${condition}`

/**
 * The admins who can sign in, as far as the reader knows: that the platform has disabled a user is read by a
 * system only if the user has entered it.
 */
function enabledAdmins(reach: Reach): SQL {
  const isRead =
    reach.systemId === undefined ? sql`true` : sql`exists (${stated(sql`su.entered_at is not null`)})`
  return sql`${ADMINS} and not exists (${stated(sql`su.disabled`)})
    and not exists (select from users u where u.id = mr.user_id and u.disabled and ${isRead})`
}

/** The accounts without an admin, and those with disabled admins only: each part has an index of its own. */
function withoutEnabled(reach: Reach): [SQL, SQL] {
  const ofDisabled = (users: SQL) =>
    sql`select mr.account_id from ${users} join membership_roles mr on mr.user_id = u.user_id
      where mr.is_admin and mr.active`
  const disabled = sql`${ofDisabled(sql`(select id as user_id from users where disabled) u`)}
    union ${ofDisabled(sql`(select user_id from system_users where disabled) u`)}`
  return [
    sql`not exists (select from ${ADMINS})`,
    sql`(accounts.id in (${disabled}) and not exists (select from ${enabledAdmins(reach)}))`,
  ]
}

type AccountFilter = {
  systemId?: string | undefined
  kind?: Account['kind'] | undefined
  /** Organizations only: a personal account is managed by its system. */
  withoutAdmin?: boolean | undefined
  status?: 'active' | 'suspended' | undefined
  externalId?: string | undefined
  search?: string | undefined
}

/** The accounts with a text in the name or, for whoever reads it, in the external id. */
function nameOrId(search: string | undefined, { accountId }: Reach): Term {
  if (!search) return undefined
  const name = { part: search, value: accounts.name }
  if (accountId !== undefined) return [name]
  const found = (contains: (indexed: PgColumn) => SQL) => [
    sql`(${accounts.externalId} is not null and ${contains(accounts.externalId)})`,
  ]
  return [name, { part: search, value: accounts.externalId, found }]
}

/** A page of the accounts in reach that match, newest first, and their number. */
export async function listAccounts(
  db: Db,
  reach: Reach,
  { systemId, kind, withoutAdmin, status, externalId, search, ...page }: PageRequest & AccountFilter,
): Promise<Listed<ListedAccount>> {
  const { id, createdAt: time } = accounts
  const scope = and(
    systemId === undefined ? undefined : and(eq(accounts.systemId, systemId), isPresent(systemId)),
    inReach(reach),
  )
  const kinds = withoutAdmin ? [kind, 'organization' as const] : [kind]
  // The value is text, not a parameter: the planner must see that the index of organizations fits.
  const ofStatus =
    status &&
    (status === 'suspended' ? sql`accounts.suspended_by <> '{}'` : sql`accounts.suspended_by = '{}'`)
  const ofKind = and(
    externalId === undefined ? undefined : eq(accounts.externalId, externalId),
    ofStatus,
    ...kinds.map((each) => each && sql`${accounts.kind} = ${sql.raw(`'${each}'`)}`),
  )
  const matchingAlso = (condition?: SQL) =>
    rowsContaining([nameOrId(search, reach)], {
      from: accounts,
      scope,
      id,
      time,
      also: and(ofKind, condition),
    })
  const [many, few] = withoutEnabled(reach).map((condition) => matchingAlso(condition).all) as [SQL, SQL]
  const matching: Matching = withoutAdmin
    ? { all: sql`${many} union all ${few}`, first: firstOf(many, few, page) }
    : matchingAlso()
  const memberCount = sql<number>`(select count(*)::int from memberships m where m.account_id = accounts.id)`
  return listPage(db, page, matching, (ids) =>
    db
      .select({ ...getTableColumns(accounts), memberCount })
      .from(accounts)
      .where(and(inArray(accounts.id, ids), ofSystem)),
  )
}

export type Numbers = { adminCount: number; pendingCount: number }

/** The numbers of admins and of pending memberships of accounts in reach, by id. */
export async function countAdmins(db: Db, reach: Reach, ids: string[]): Promise<Map<string, Numbers>> {
  if (ids.length === 0) return new Map()
  const given = inArray(accounts.id, ids)
  const pending = db
    .select({ of: memberships.accountId, count: sql<number>`count(*)::int`.as('count') })
    .from(memberships)
    .where(and(inArray(memberships.accountId, ids), eq(memberships.status, 'pending')))
    .groupBy(memberships.accountId)
    .as('pending')
  const rows = await db
    .select({
      id: accounts.id,
      adminCount: sql<number>`(select count(distinct mr.user_id)::int from ${enabledAdmins(reach)})`,
      pendingCount: sql<number>`coalesce(${pending.count}, 0)`,
    })
    .from(accounts)
    .leftJoin(pending, eq(pending.of, accounts.id))
    .where(and(given, inReach(reach)))
  return new Map(rows.map(({ id, ...numbers }) => [id, numbers]))
}

/** Throws `account_not_found`, also if the account is out of reach. */
export async function findAccount(db: Db, reach: Reach, id: string): Promise<Account> {
  const [account] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), inReach(reach), ofSystem))
  if (!account) throw new Failure('account_not_found')
  return account
}

/**
 * Finds the account, and locks it against changes until the transaction ends; members can still be added.
 */
export async function lockAccount(tx: Db, reach: Reach, id: string): Promise<Account> {
  const [account] = await tx
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), inReach(reach), ofSystem))
    .for('no key update')
  if (!account) throw new Failure('account_not_found')
  return account
}

/** Locks the account against sign-ins as well, which lock the account of their session FOR KEY SHARE. */
export async function lockAgainstSignIns(tx: Db, reach: Reach, id: string): Promise<Account> {
  const inPlace = and(eq(accounts.id, id), inReach(reach), ofSystem)
  const [account] = await tx.select().from(accounts).where(inPlace).for('update')
  if (!account) throw new Failure('account_not_found')
  return account
}

/**
 * Locks accounts against changes, deletion and sign-ins, in one order: all of a system, or the personal ones
 * of a user and those of `ids`. Call it before memberships are locked.
 */
export async function lockAccounts(
  tx: Db,
  which: { systemId: string } | { personalOf: string; ids?: readonly string[] },
): Promise<void> {
  const condition =
    'systemId' in which
      ? eq(accounts.systemId, which.systemId)
      : or(eq(accounts.personalOf, which.personalOf), inArray(accounts.id, [...(which.ids ?? [])]))
  const ids = tx.select({ id: accounts.id }).from(accounts).where(condition).orderBy(asc(accounts.id))
  await tx.execute(sql`select count(*) from (${ids.for('update')}) locked`)
}

/** What only the system and the platform read and write. */
export type PrivateFields = Partial<Pick<Account, 'metadata' | 'externalId'>>

/** What changes with `account.updated`. */
export type AccountFields = Partial<
  Pick<Account, 'name' | 'membersVisible' | 'acceptOtherAddress' | 'branding'>
>

export const requiresMfa = ({ requireMfaBy }: Pick<Account, 'requireMfaBy'>): boolean =>
  requireMfaBy.length > 0

export const requiresSso = ({ ssoRequiredBy }: Pick<Account, 'ssoRequiredBy'>): boolean =>
  ssoRequiredBy !== null

export const statusOf = ({ suspendedBy }: Pick<Account, 'suspendedBy'>): 'active' | 'suspended' =>
  suspendedBy.length > 0 ? 'suspended' : 'active'

/** Updates a row-locked account. */
export async function updateAccount(
  tx: Db,
  id: string,
  patch: AccountFields &
    PrivateFields &
    Partial<Pick<Account, 'suspendedBy' | 'requireMfaBy' | 'ssoRequiredBy' | 'ssoSelfService'>>,
): Promise<Account> {
  const [account] = await tx
    .update(accounts)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(accounts.id, id))
    .returning()
  return account!
}

/**
 * Inserts an account for several users. The default name is derived from its id, not from a user: every
 * member can read it.
 */
export async function insertOrganization(tx: Db, systemId: string, name?: string): Promise<Account> {
  const id = crypto.randomUUID()
  const [account] = await tx
    .insert(accounts)
    .values({ id, systemId, name: name ?? `Account ${id.slice(0, 8)}`, kind: 'organization' })
    .returning()
  return account!
}

/**
 * Inserts an account that has no member yet. The system is row-locked (`lockContents`). Throws
 * `limit_reached` or `external_id_taken`.
 */
export async function insertEmptyAccount(
  tx: Db,
  systemId: string,
  fields: Pick<Account, 'name'> & PrivateFields,
): Promise<Account> {
  const others = sql<number>`(select count(*)::int from (select from ${accounts} o where o.system_id = ${systemId}
    and o.awaits_member limit ${quotaOf('accountsWithoutMember')}) o)`
  const [row] = await tx
    .insert(accounts)
    .values({ systemId, ...fields, kind: 'organization', awaitsMember: true })
    .returning({ ...getTableColumns(accounts), others })
  const { others: before, ...account } = row!
  demandQuota('accountsWithoutMember', before + 1)
  return account
}

/** The account has a first member. */
export async function endWait(tx: Db, id: string): Promise<void> {
  await tx.update(accounts).set({ awaitsMember: false }).where(eq(accounts.id, id))
}

/** Deletes a row-locked account with its memberships and blocks. Its sessions have been ended before. */
export async function deleteAccount(tx: Db, id: string): Promise<void> {
  await tx.delete(accounts).where(eq(accounts.id, id))
}

/** Deletes up to `limit` accounts of a system, which have no memberships any more. Returns their number. */
export async function deleteAccountsOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.systemId, systemId))
    .limit(limit)
  return (await tx.delete(accounts).where(inArray(accounts.id, some)).returning({ id: accounts.id })).length
}

/** Whether the platform has blocked a user in the account. */
export async function hasPlatformBlock(tx: Db, accountId: string): Promise<boolean> {
  const [block] = await tx
    .select({ userId: blocks.userId })
    .from(blocks)
    .where(and(eq(blocks.accountId, accountId), eq(blocks.setBy, 'platform')))
    .limit(1)
  return block !== undefined
}

/**
 * The personal account of a user in a system, inserted unless it exists: apps key their data by it, so it is
 * kept when the membership is deleted and reused later. Of two concurrent calls the later one waits for the
 * first to commit. Default name: the address of the user as the system reads it, which is not the present one
 * of a user who has moved without entering the system.
 */
export async function claimPersonalAccount(
  tx: Db,
  systemId: string,
  { id: userId, email }: { id: string; email: string },
  given?: string,
): Promise<Account & { created: boolean }> {
  const read = sql<string>`(select r.email from system_users r where r.user_id = ${userId} and r.system_id = ${systemId})`
  const stated = statedAddress(sql`${userId}::uuid`, sql`${systemId}::uuid`)
  const name = given ?? sql<string>`coalesce(${read}, ${stated}, ${email})`
  const [account] = await tx
    .insert(accounts)
    .values({ systemId, name, kind: 'personal', personalOf: userId })
    .onConflictDoUpdate({
      target: [accounts.systemId, accounts.personalOf],
      set: { name: sql`${accounts.name}` },
    })
    .returning({ ...getTableColumns(accounts), created: sql<boolean>`xmax = 0` }) // xmax is 0 in a new row
  return account!
}

export type ChangedAccount = Pick<typeof accounts.$inferSelect, 'id' | 'systemId' | 'name' | 'kind'>
const changed = { id: accounts.id, systemId: accounts.systemId, name: accounts.name, kind: accounts.kind }

/**
 * Turns the personal accounts of a user that have other members into organizations with a neutral name, so
 * that they outlive the user. Such accounts exist where a system was a 1:1 system before. The personal
 * accounts of the user are locked (`lockAccounts`).
 */
export async function releaseAccounts(tx: Db, userId: string): Promise<ChangedAccount[]> {
  const personal = eq(accounts.personalOf, userId)
  const shared = sql`exists (select from ${memberships} where ${memberships.accountId} = ${accounts.id} and ${memberships.userId} <> ${userId})`
  return tx
    .update(accounts)
    .set({
      kind: 'organization',
      personalOf: null,
      name: sql`'Account ' || left(${accounts.id}::text, 8)`,
      updatedAt: sql`now()`,
    })
    .where(and(personal, shared))
    .returning(changed)
}

/** The user of the personal account has entered its system. */
const hasEntered = sql`exists (select from system_users u where u.user_id = ${accounts.personalOf}
  and u.system_id = ${accounts.systemId} and u.entered_at is not null)`

/**
 * Renames the personal accounts of a row-locked user that still have the former address as name, in systems
 * that the user has entered.
 */
export function renamePersonal(
  tx: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<ChangedAccount[]> {
  return tx
    .update(accounts)
    .set({ name: to, updatedAt: sql`now()` })
    .where(and(eq(accounts.personalOf, id), eq(accounts.name, from), hasEntered))
    .returning(changed)
}

/** Gives personal accounts to another user, in systems where that user has none. */
export async function movePersonalAccounts(
  tx: Db,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await tx.execute(sql`
    update ${accounts} a set personal_of = ${into} where a.personal_of = ${from}
      and not exists (select from ${accounts} o where o.system_id = a.system_id and o.personal_of = ${into})`)
}
