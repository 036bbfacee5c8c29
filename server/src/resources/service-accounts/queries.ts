/** SQL statements of service accounts, their roles and their keys. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, getTableColumns, notInArray, type SQL, sql } from '../../database/drizzle.ts'
import { preparedRead } from '../../database/prepared.ts'
import { serviceAccountKeys, serviceAccountRoles, serviceAccounts, systems } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Rank, type Reach, within } from '../../http/authority.ts'
import { demandQuota, quotaOf } from '../../http/quotas.ts'
import { isSuspended } from '../memberships/standing.ts'
import {
  COUNTED_ROLES,
  type CountedRoles,
  demandAssignable,
  lockedRoles,
  uniqueIds,
} from '../roles/assignment.ts'
import type { Rights } from '../sessions/queries.ts'
import type { System } from '../systems/queries.ts'

/** All columns but the hash of the secret. */
const { secretHash: _, serviceAccountId: __, ...keyColumns } = getTableColumns(serviceAccountKeys)
type Row = typeof serviceAccounts.$inferSelect
export type ServiceAccountKey = Omit<
  typeof serviceAccountKeys.$inferSelect,
  'secretHash' | 'serviceAccountId'
>
/** `roles` are ids. */
export type ServiceAccount = Row & { roles: string[] }

const roleIds = sql<string[]>`array(select r.role_id::text from service_account_roles r
  where r.service_account_id = ${serviceAccounts.id} order by r.role_id)`
const columns = { ...getTableColumns(serviceAccounts), roles: roleIds }

const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: serviceAccounts.systemId, account: serviceAccounts.accountId })

/** All of an account, oldest first: their number is limited. */
export async function listServiceAccounts(db: Db, accountId: string): Promise<ServiceAccount[]> {
  return db
    .select(columns)
    .from(serviceAccounts)
    .where(eq(serviceAccounts.accountId, accountId))
    .orderBy(asc(serviceAccounts.createdAt), asc(serviceAccounts.id))
}

/** The keys of the service accounts of an account, or of one of them, by service account, oldest first. */
export async function listServiceAccountKeys(
  db: Db,
  accountId: string,
  id?: string,
): Promise<Map<string, ServiceAccountKey[]>> {
  const rows = await db
    .select({ of: serviceAccountKeys.serviceAccountId, key: keyColumns })
    .from(serviceAccountKeys)
    .innerJoin(serviceAccounts, eq(serviceAccounts.id, serviceAccountKeys.serviceAccountId))
    .where(
      and(
        eq(serviceAccounts.accountId, accountId),
        id === undefined ? undefined : eq(serviceAccounts.id, id),
      ),
    )
    .orderBy(asc(serviceAccountKeys.createdAt), asc(serviceAccountKeys.id))
  const keys = new Map<string, ServiceAccountKey[]>()
  for (const [owner, each] of Map.groupBy(rows, ({ of }) => of))
    keys.set(
      owner,
      each.map(({ key }) => key),
    )
  return keys
}

/**
 * Lists the service accounts, row-locked with FOR UPDATE: the last event of each is the one that the caller
 * adds.
 */
export async function lockServiceAccounts(tx: Db, accountId: string): Promise<ServiceAccount[]> {
  const ofAccount = eq(serviceAccounts.accountId, accountId)
  await tx
    .select({ id: serviceAccounts.id })
    .from(serviceAccounts)
    .where(ofAccount)
    .orderBy(asc(serviceAccounts.id))
    .for('update')
  return listServiceAccounts(tx, accountId)
}

export type Place = { accountId: string; id: string }

const ofPlace = (reach: Reach, { accountId, id }: Place) =>
  and(eq(serviceAccounts.id, id), eq(serviceAccounts.accountId, accountId), inReach(reach))

/** Throws `service_account_not_found`, also if it is out of reach. */
export async function findServiceAccount(db: Db, reach: Reach, place: Place): Promise<ServiceAccount> {
  const [found] = await db.select(columns).from(serviceAccounts).where(ofPlace(reach, place))
  if (!found) throw new Failure('service_account_not_found')
  return found
}

export type Locked = ServiceAccount & {
  /** It has a role that account admins cannot assign. */
  hasReservedRole: boolean
  /** The system allows service accounts. */
  isAllowed: boolean
}

/**
 * Finds the service account, row-locked. It is read after the lock, since the roles are rows of their own.
 */
export async function lockServiceAccount(tx: Db, reach: Reach, place: Place): Promise<Locked> {
  await tx.select({ id: serviceAccounts.id }).from(serviceAccounts).where(ofPlace(reach, place)).for('update')
  const hasReservedRole = sql<boolean>`exists (select from service_account_roles sr join roles r on r.id = sr.role_id
    where sr.service_account_id = ${serviceAccounts.id} and not r.assignable_by_account_admins)`
  const [found] = await tx
    .select({ ...columns, hasReservedRole, isAllowed: systems.allowServiceAccounts })
    .from(serviceAccounts)
    .innerJoin(systems, eq(systems.id, serviceAccounts.systemId))
    .where(ofPlace(reach, place))
  if (!found) throw new Failure('service_account_not_found')
  return found
}

/** The account is row-locked. Throws `limit_reached`. */
export async function insertServiceAccount(
  tx: Db,
  row: Pick<Row, 'systemId' | 'accountId' | 'clientId' | 'name'>,
): Promise<ServiceAccount> {
  const others = sql<number>`(select count(*)::int from service_accounts o where o.account_id = ${row.accountId})`
  const [inserted] = await tx
    .insert(serviceAccounts)
    .values(row)
    .returning({ ...getTableColumns(serviceAccounts), others })
  const { others: before, ...created } = inserted!
  demandQuota('serviceAccountsOfAccount', before + 1)
  return { ...created, roles: [] }
}

/** Updates a row-locked service account. */
export async function updateServiceAccount(
  tx: Db,
  id: string,
  patch: Partial<Pick<Row, 'name' | 'disabled'>>,
): Promise<ServiceAccount> {
  const [after] = await tx
    .update(serviceAccounts)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(serviceAccounts.id, id))
    .returning(columns)
  return after!
}

export async function deleteServiceAccount(tx: Db, id: string): Promise<void> {
  await tx.delete(serviceAccounts).where(eq(serviceAccounts.id, id))
}

/**
 * Replaces the roles of a row-locked service account. Throws `role_not_in_system`, or
 * `insufficient_authority` if an account admin assigns a reserved role.
 */
export async function replaceServiceAccountRoles(
  tx: Db,
  { id, systemId }: Pick<Row, 'id' | 'systemId'>,
  ids: string[],
  by: Rank,
): Promise<void> {
  const wanted = uniqueIds(ids)
  await tx
    .delete(serviceAccountRoles)
    .where(and(eq(serviceAccountRoles.serviceAccountId, id), notInArray(serviceAccountRoles.roleId, wanted)))
  if (wanted.length === 0) return
  const { rows } = (await tx.execute(sql`
    with given as (${lockedRoles(systemId, wanted)}), added as (
      insert into ${serviceAccountRoles} (service_account_id, role_id, system_id, is_admin)
      select ${id}::uuid, given.id, ${systemId}::uuid, given.is_admin from given on conflict do nothing
    )
    ${COUNTED_ROLES}`)) as { rows: CountedRoles[] }
  demandAssignable(rows[0]!, wanted, by)
}

/**
 * Deletes as many of the expired keys of a row-locked service account, the oldest first, as one more key
 * needs room for.
 */
async function makeRoom(tx: Db, serviceAccountId: string): Promise<void> {
  const ofOwner = sql`k.service_account_id = ${serviceAccountId}`
  await tx.execute(sql`
    delete from service_account_keys where id in (
      select k.id from service_account_keys k where ${ofOwner} and k.expires_at <= now()
      order by k.expires_at, k.id
      limit greatest(0, (select count(*) from service_account_keys k where ${ofOwner})
        + 1 - ${quotaOf('keysOfServiceAccount')}::int))`)
}

/**
 * Adds a key to a row-locked service account. Expired keys give way to it. `lifetime` is in seconds. Throws
 * `limit_reached`.
 */
export async function insertKey(
  tx: Db,
  {
    lifetime,
    ...row
  }: { serviceAccountId: string; secretHash: string; hint: string; lifetime: number | null },
): Promise<ServiceAccountKey> {
  await makeRoom(tx, row.serviceAccountId)
  const others = sql<number>`(select count(*)::int from service_account_keys o
    where o.service_account_id = ${row.serviceAccountId})`
  const expiresAt = lifetime === null ? null : sql`now() + make_interval(secs => ${lifetime})`
  const [inserted] = await tx
    .insert(serviceAccountKeys)
    .values({ ...row, expiresAt })
    .returning({ ...keyColumns, others })
  const { others: before, ...key } = inserted!
  demandQuota('keysOfServiceAccount', before + 1)
  return key
}

/** Throws `service_account_key_not_found`. */
export async function deleteKey(tx: Db, serviceAccountId: string, id: string): Promise<void> {
  const deleted = await tx
    .delete(serviceAccountKeys)
    .where(and(eq(serviceAccountKeys.id, id), eq(serviceAccountKeys.serviceAccountId, serviceAccountId)))
    .returning({ id: serviceAccountKeys.id })
  if (deleted.length === 0) throw new Failure('service_account_key_not_found')
}

/** Notes that a token was issued for a key. */
export async function touchKey(tx: Db, id: string): Promise<void> {
  await tx.update(serviceAccountKeys).set({ lastUsedAt: sql`now()` }).where(eq(serviceAccountKeys.id, id))
}

/**
 * A key that has not expired; `exp` is in seconds since 1970. `isTouchDue`: its last use was noted more than
 * a minute ago.
 */
export type ClientKey = { id: string; hash: string; exp: number | null; isTouchDue: boolean }

/** A service account as an OAuth client, with its system and the rights of its tokens. */
export type ServiceClient = {
  id: string
  clientId: string
  systemId: string
  accountId: string
  disabled: boolean
  /** The account is suspended. */
  isSuspended: boolean
  keys: ClientKey[] | null
  system: Pick<System, 'clientId' | 'accessTokenType' | 'accessTokenAlg' | 'introspectableBy'> & {
    isAllowed: boolean
  }
  rights: Rights
}

/** Why a service account gets no token, and why its tokens are not accepted; undefined if they are. */
export function refusalOfClient({ system, disabled, isSuspended }: ServiceClient): string | undefined {
  if (!system.isAllowed) return 'the system does not allow service accounts'
  if (disabled) return 'the service account is disabled'
  return isSuspended ? 'the account of the service account is suspended' : undefined
}

const clientById = preparedRead((db) =>
  db
    .select({
      id: serviceAccounts.id,
      clientId: serviceAccounts.clientId,
      systemId: serviceAccounts.systemId,
      accountId: serviceAccounts.accountId,
      disabled: serviceAccounts.disabled,
      isSuspended: isSuspended(serviceAccounts.accountId),
      keys: sql<ServiceClient['keys']>`(select json_agg(json_build_object('id', k.id, 'hash', k.secret_hash,
          'exp', floor(extract(epoch from k.expires_at)),
          'isTouchDue', k.last_used_at is null or k.last_used_at < now() - interval '1 minute') order by k.id)
        from service_account_keys k where k.service_account_id = ${serviceAccounts.id}
          and (k.expires_at is null or k.expires_at > now()))`,
      system: {
        clientId: systems.clientId,
        isAllowed: systems.allowServiceAccounts,
        accessTokenType: systems.accessTokenType,
        accessTokenAlg: systems.accessTokenAlg,
        introspectableBy: systems.introspectableBy,
      },
      rights: sql<ServiceClient['rights']>`(select json_build_object('isAdmin', bool_or(r.is_admin),
          'roles', json_agg(r.name order by r.name), 'scopes', json_agg(r.scopes))
        from service_account_roles sr join roles r on r.id = sr.role_id
        where sr.service_account_id = ${serviceAccounts.id})`,
    })
    .from(serviceAccounts)
    .innerJoin(systems, eq(systems.id, serviceAccounts.systemId))
    .where(eq(serviceAccounts.clientId, sql.placeholder('clientId')))
    .prepare('find_service_client'),
)

/** The service account with this client id; undefined if there is none. */
export async function findServiceClient(db: Db, clientId: string): Promise<ServiceClient | undefined> {
  const [found] = await clientById(db).execute({ clientId })
  return found
}
