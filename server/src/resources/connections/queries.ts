/** SQL statements of the connections of organizations. */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, asc, eq, getTableColumns, notInArray, type SQL, sql } from '../../database/drizzle.ts'
import { accounts, connectionRoles, connections, memberships, systems } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Rank, type Reach, within } from '../../http/authority.ts'
import { demandQuota } from '../../http/quotas.ts'
import type { Account } from '../accounts/queries.ts'
import {
  COUNTED_ROLES,
  type CountedRoles,
  demandAssignable,
  lockedRoles,
  uniqueIds,
} from '../roles/assignment.ts'
import type { System } from '../systems/queries.ts'
import { sealedWith } from './secret.ts'

const {
  sealedSecret: _,
  testHash: __,
  testBrowserHash: ___,
  testRequestedBy: ____,
  testExpiresAt: _____,
  proofsAfter: ______,
  metadataReadAt: _______,
  nextAttemptAt: ________,
  leasedUntil: _________,
  certificateNotice: __________,
  linksAfter: ___________,
  ...shown
} = getTableColumns(connections)

/** No column with a secret, so that no response can contain one. */
export const columns = {
  ...shown,
  hasSecret: sql<boolean>`${connections.sealedSecret} is not null`,
  isChanged: sql<boolean>`coalesce(${connections.configuredAt} > ${connections.testedAt}, false)`,
  defaultRoles: sql<string[]>`array(select r.role_id::text from connection_roles r
    where r.connection_id = ${connections.id} order by r.role_id)`,
}

type Row = typeof connections.$inferSelect
/** `isChanged`: since the last test that succeeded. `defaultRoles` are ids. */
export type Connection = Pick<Row, keyof typeof shown> & {
  hasSecret: boolean
  isChanged: boolean
  defaultRoles: string[]
}
export type ConnectionKey = { accountId: string; id: string }

const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: connections.systemId, account: connections.accountId })
const ofKey = (reach: Reach, { accountId, id }: ConnectionKey) =>
  and(eq(connections.id, id), eq(connections.accountId, accountId), inReach(reach))

/** All of an account, oldest first: their number is limited. */
export const listConnections = (db: Db, accountId: string): Promise<Connection[]> =>
  db
    .select(columns)
    .from(connections)
    .where(eq(connections.accountId, accountId))
    .orderBy(asc(connections.createdAt), asc(connections.id))

/** Throws `connection_not_found`, also if it is out of reach. */
export async function findConnection(db: Db, reach: Reach, key: ConnectionKey): Promise<Connection> {
  const [found] = await db.select(columns).from(connections).where(ofKey(reach, key))
  if (!found) throw new Failure('connection_not_found')
  return found
}

export type LockedConnection = Connection & Pick<System, 'organizationSso'> & Pick<Account, 'ssoSelfService'>

/**
 * Finds the connection with who may set it up, and locks it against sign-ins. Its account is locked before
 * (FOR KEY SHARE): whoever deletes the account deletes the connection after the sessions, which a change of
 * the connection ends. Where single sign-on is required, the other connections are locked too: of two, one
 * is disabled after the other. `force`: the account changes too. Throws `connection_not_found`.
 */
export async function lockConnection(
  tx: Db,
  reach: Reach,
  key: ConnectionKey,
  { force = false }: Force = {},
): Promise<LockedConnection> {
  const mode = force ? sql`no key update` : sql`key share`
  const { rows } = (await tx.execute(sql`select sso_required_by is not null as required
    from ${accounts} where id = ${key.accountId} for ${mode}`)) as { rows: { required: boolean }[] }
  if (rows[0]?.required)
    await tx.execute(
      sql`select id from ${connections} where account_id = ${key.accountId} order by id for update`,
    )
  const [found] = await tx
    .select({
      ...columns,
      organizationSso: systems.organizationSso,
      ssoSelfService: accounts.ssoSelfService,
    })
    .from(connections)
    .innerJoin(accounts, eq(accounts.id, connections.accountId))
    .innerJoin(systems, eq(systems.id, connections.systemId))
    .where(ofKey(reach, key))
    .for('update', { of: connections })
  if (!found) throw new Failure('connection_not_found')
  return found
}

/** What needs an enabled connection ends with the last one; of the system and the platform only. */
export type Force = { force?: boolean | undefined }

type NewConnection = Pick<Row, 'systemId' | 'accountId' | 'name' | 'kind' | 'setBy'>

/** The account is row-locked. Throws `connection_exists` or `limit_reached`. */
export async function insertConnection(tx: Db, row: NewConnection): Promise<Connection> {
  const others = sql<number>`(select count(*)::int from ${connections} o where o.account_id = ${row.accountId})`
  const [inserted] = await tx
    .insert(connections)
    .values({ ...row, subjectAttribute: row.kind === 'oidc' ? 'sub' : null })
    .returning({ ...columns, others })
  const { others: before, ...added } = inserted!
  demandQuota('connectionsOfAccount', before + 1)
  return added
}

export type ConnectionFields = Partial<
  Pick<
    Row,
    | 'name'
    | 'issuer'
    | 'clientId'
    | 'secretExpiresAt'
    | 'ssoUrl'
    | 'certificates'
    | 'metadataUrl'
    | 'scopes'
    | 'requiredClaims'
    | 'closedIssuer'
    | 'subjectAttribute'
    | 'groupAttribute'
    | 'jit'
    | 'sessionHours'
    | 'mfaAcr'
    | 'reauthentication'
    | 'reservedRoles'
    | 'mfa'
    | 'setBy'
    | 'enabled'
  >
>

/** `isTested`: what a test checks has changed, so that a test in progress ends. */
type Change = { secret: string | undefined; isTested: boolean }

/**
 * Updates a row-locked connection. One that is disabled accepts no login from before any more: by the time of
 * now, since the transaction may have waited for the lock.
 */
export async function updateConnection(
  tx: Db,
  seal: Seal,
  id: string,
  fields: ConnectionFields,
  { secret, isTested }: Change,
): Promise<Connection> {
  const [after] = await tx
    .update(connections)
    .set({
      ...fields,
      ...(secret !== undefined && { sealedSecret: sealedWith(seal, id, secret) }),
      ...(isTested && { configuredAt: sql`now()`, ...WITHOUT_TEST }),
      ...(fields.enabled === false && { proofsAfter: sql`clock_timestamp()` }),
      ...dueAfter(fields),
      updatedAt: sql`now()`,
    })
    .where(eq(connections.id, id))
    .returning(columns)
  return after!
}

/** 10 seconds: the time between two readings of metadata, however often its address is set. */
const AT_ONCE = sql`greatest(now(), ${connections.metadataReadAt} + interval '10 seconds')`

/** What the worker of the metadata does next, and the end of what it does now: its result does not count. */
function dueAfter({ enabled, metadataUrl, certificates }: ConnectionFields) {
  const notice = certificates && { certificateNotice: null }
  if (enabled === false) return { ...notice, nextAttemptAt: null, leasedUntil: null }
  if (!enabled && metadataUrl === undefined && !certificates) return {}
  const nextAttemptAt = sql`case when ${connections.kind} = 'saml' then ${AT_ONCE} end`
  return { ...notice, nextAttemptAt, leasedUntil: null }
}

/** No test is in progress. */
export const WITHOUT_TEST = {
  testHash: null,
  testBrowserHash: null,
  testRequestedBy: null,
  testExpiresAt: null,
} as const

/** Replaces the roles of a row-locked connection. Throws as `demandAssignable`. */
export async function replaceConnectionRoles(
  tx: Db,
  { id, systemId }: Pick<Row, 'id' | 'systemId'>,
  ids: string[],
  by: Rank,
): Promise<void> {
  const wanted = uniqueIds(ids)
  await tx
    .delete(connectionRoles)
    .where(and(eq(connectionRoles.connectionId, id), notInArray(connectionRoles.roleId, wanted)))
  if (wanted.length === 0) return
  const { rows } = (await tx.execute(sql`
    with given as (${lockedRoles(systemId, wanted)}), added as (
      insert into ${connectionRoles} (connection_id, role_id, system_id, is_admin)
      select ${id}::uuid, given.id, ${systemId}::uuid, given.is_admin from given on conflict do nothing
    )
    ${COUNTED_ROLES}`)) as { rows: CountedRoles[] }
  demandAssignable(rows[0]!, wanted, by)
}

/** Whether one of the roles of a connection is an admin role, or may act for members. */
export async function hasForbiddenRole(tx: Db, id: string): Promise<boolean> {
  const { rows } = (await tx.execute(sql`
    select exists (select from connection_roles c join roles r on r.id = c.role_id
      where c.connection_id = ${id} and (r.is_admin or r.can_act_for_members)) as found`)) as {
    rows: unknown[]
  }
  return (rows as { found: boolean }[])[0]!.found
}

/** The number of enabled connections of a row-locked account. */
export const countEnabled = (tx: Db, accountId: string): Promise<number> =>
  tx.$count(connections, and(eq(connections.accountId, accountId), eq(connections.enabled, true)))

/** From now on the connection accepts no login that was made before. It is row-locked. */
export async function refuseLoginsUntilNow(tx: Db, id: string): Promise<void> {
  await tx.update(connections).set({ proofsAfter: sql`clock_timestamp()` }).where(eq(connections.id, id))
}

/**
 * From now on the connections of the accounts of a member or user link nobody by an answer of before: whoever
 * keeps one would come back by it. Call it before the memberships are locked: user, account, connection and
 * membership are locked in this order. `admins`: the account is locked as for `demandAdmin`. Beyond the reach
 * nothing is locked, so that nobody delays another tenant by the id of a member.
 */
export async function refuseLinksUntilNow(
  tx: Db,
  of: { membershipId: string; reach: Reach; admins: boolean } | { userId: string; systemId?: string },
): Promise<void> {
  const { id, userId, systemId, accountId } = memberships
  const those =
    'membershipId' in of
      ? and(eq(id, of.membershipId), within(of.reach, { system: systemId, account: accountId }))
      : and(eq(userId, of.userId), of.systemId === undefined ? undefined : eq(systemId, of.systemId))
  const lock = 'admins' in of && of.admins ? 'no key update' : 'key share'
  await tx.execute(sql`
    with wanted as (
      select user_id, account_id from ${memberships} where ${those}
        and exists (select from connections c where c.account_id = ${accountId})
    ), owner as (select id from users where id in (select user_id from wanted) for key share
    ), account as (select id from accounts where id in (select account_id from wanted)
      and (select count(*) from owner) >= 0 order by id for ${sql.raw(lock)}
    ), locked as (select id from connections where account_id in (select id from account)
      order by id for no key update
    ) update connections set links_after = clock_timestamp() where id in (select id from locked)`)
}

export async function deleteConnection(tx: Db, id: string): Promise<void> {
  await tx.delete(connections).where(eq(connections.id, id))
}

/** Throws `sso_in_use` if an account of the system has a connection. */
export async function demandNoConnections(tx: Db, systemId: string): Promise<void> {
  const [found] = await tx
    .select({ id: connections.id })
    .from(connections)
    .where(eq(connections.systemId, systemId))
    .limit(1)
  if (found) throw new Failure('sso_in_use')
}
