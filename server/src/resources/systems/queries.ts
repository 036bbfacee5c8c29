/** All SQL statements for systems, and the cache of those that the protocol reads. */
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/database.ts'
import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import { containing, type PageRequest } from '../../database/pages.ts'
import { preparedRead } from '../../database/prepared.ts'
import { systemIds, systems } from '../../database/schema.ts'
import { afterCommit } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'

/** All columns but the secrets, so that no response can contain them. */
const { secretHash, previousSecretHash, configuredSecretHash, ...own } = getTableColumns(systems)
const columns = {
  ...own,
  founderRoleId: sql<
    string | null
  >`(select r.id from roles r where r.system_id = systems.id and r.is_founder)`,
}

export type System = Omit<
  typeof systems.$inferSelect,
  'secretHash' | 'previousSecretHash' | 'configuredSecretHash'
> & { founderRoleId: string | null }
export type SystemInput = Omit<typeof systems.$inferInsert, 'id' | 'platform' | 'createdAt' | 'updatedAt'>
export type SystemPatch = Partial<
  Omit<
    SystemInput,
    | 'clientId'
    | 'clientType'
    | 'secretHash'
    | 'previousSecretHash'
    | 'previousSecretUntil'
    | 'configuredSecretHash'
  >
>

/** What pages show of a system (application.ts). */
export const applicationColumns = {
  id: systems.id,
  clientId: systems.clientId,
  name: systems.name,
  branding: systems.branding,
  redirectUris: systems.redirectUris,
  clientUri: systems.clientUri,
  initiateLoginUri: systems.initiateLoginUri,
  policyUri: systems.policyUri,
  tosUri: systems.tosUri,
  supportUri: systems.supportUri,
}

const inReach = (reach: Reach): SQL | undefined => within(reach, { system: systems.id, account: 'any' })

/** A page of the systems in reach, newest first, and how many there are. */
export async function listSystems(
  db: Db,
  reach: Reach,
  page: PageRequest & { search?: string },
): Promise<Listed<System>> {
  const found = and(
    inReach(reach),
    page.search
      ? sql`(lower(${systems.name}) like lower(${containing(page.search)}) or starts_with(${systems.clientId}, ${page.search}))`
      : undefined,
  )
  const matching = {
    all: sql`select id, ${systems.createdAt} as time from ${systems} where ${found ?? sql`true`}`,
  }
  return listPage(db, page, matching, (ids) =>
    db.select(columns).from(systems).where(inArray(systems.id, ids)),
  )
}

/** Throws `system_not_found`, also if the system is outside the reach. */
export async function findSystem(db: Db, reach: Reach, id: string): Promise<System> {
  const [system] = await db
    .select(columns)
    .from(systems)
    .where(and(eq(systems.id, id), inReach(reach)))
  if (!system) throw new Failure('system_not_found')
  return system
}

/**
 * Finds the system and locks its row (FOR UPDATE): no other transaction changes or deletes the system or
 * inserts rows that refer to it.
 */
export async function lockSystem(tx: Db, reach: Reach, id: string): Promise<System> {
  const [system] = await tx
    .select(columns)
    .from(systems)
    .innerJoin(systemIds, eq(systemIds.id, systems.id)) // the row that others refer to
    .where(and(eq(systems.id, id), inReach(reach)))
    .for('update')
  if (!system) throw new Failure('system_not_found')
  return system
}

/**
 * Finds the system and locks its row (FOR NO KEY UPDATE): one transaction at a time changes what the system
 * has a limited number of, such as roles. Rows that refer to the system can still be inserted.
 */
export async function lockContents(tx: Db, reach: Reach, id: string): Promise<System> {
  const [system] = await tx
    .select(columns)
    .from(systems)
    .where(and(eq(systems.id, id), inReach(reach)))
    .for('no key update')
  if (!system) throw new Failure('system_not_found')
  return system
}

/**
 * Locks the systems of the platform in the same way: one transaction at a time ends the right of an admin.
 */
export async function lockPlatformSystems(tx: Db): Promise<void> {
  await tx
    .select({ id: systems.id })
    .from(systems)
    .where(eq(systems.platform, true))
    .orderBy(asc(systems.id))
    .for('no key update')
}

/**
 * Finds the system with a shared lock (FOR SHARE): no other transaction changes it, but others can share the
 * lock.
 */
export async function shareSystem(tx: Db, reach: Reach, id: string): Promise<System> {
  const [system] = await tx
    .select(columns)
    .from(systems)
    .where(and(eq(systems.id, id), inReach(reach)))
    .for('share')
  if (!system) throw new Failure('system_not_found')
  return system
}

/**
 * Whether users may register or join by themselves. Never for platform systems, whose admins have access to
 * everything.
 */
export const isOpen = sql<boolean>`(${systems.allowSelfRegister} and not ${systems.platform})`

/** A system that allows registration, with a shared lock; undefined if it does not or does not exist. */
export async function shareOpenSystem(tx: Db, id: string): Promise<System | undefined> {
  const [system] = await tx
    .select(columns)
    .from(systems)
    .where(and(eq(systems.id, id), isOpen))
    .for('share')
  return system
}

/** A system as an OAuth client, with the hashes of its secrets. */
export type ClientSystem = typeof systems.$inferSelect & {
  previousAccepted: boolean
  open: boolean
  /** Whether an organization of it has an enabled connection. */
  hasConnections: boolean
}

// As text: drizzle leaves out the names of tables in a select of one table.
const hasConnections = sql<boolean>`exists (select from connections c
  where c.system_id = systems.id and c.enabled)`
const previousAccepted = sql<boolean>`coalesce(${systems.previousSecretUntil} > now(), false)`

const clientByClientId = preparedRead((db) =>
  db
    .select({
      system: systems,
      previousAccepted,
      open: isOpen,
      hasConnections,
    })
    .from(systems)
    .where(eq(systems.clientId, sql.placeholder('clientId')))
    .prepare('find_client'),
)

async function findClient(db: Db, clientId: string): Promise<ClientSystem | undefined> {
  if (clientId.includes('\0')) return undefined // PostgreSQL does not store it, and would abort the transaction
  const [row] = await clientByClientId(db).execute({ clientId })
  if (!row) return undefined
  const { system, ...more } = row
  return { ...system, ...more }
}

/**
 * 1 s, in ms: how long a system is cached. The protocol reads it with every request. The process that changes
 * a system removes it from its cache; the others may use the old values for so long.
 */
const TTL = 1_000
const ENTRIES_MAX = 10_000

type Entry = { asked: Promise<ClientSystem | undefined>; found?: ClientSystem }
type Cache = LRUCache<string, Entry>

/** Each database has its own cache: a process may serve several (tests do). */
const caches = new WeakMap<Db, Cache>()

function cacheOf(db: Db): Cache {
  const cache = caches.get(db) ?? new LRUCache({ max: ENTRIES_MAX, ttl: TTL })
  caches.set(db, cache)
  return cache
}

/** The system of a client id if it was read within the last second. */
export const cachedClient = (db: Db, clientId: string): ClientSystem | undefined =>
  cacheOf(db).get(clientId)?.found

/**
 * The system of a client id, read once for any number of concurrent requests. Unknown ids and
 * faults are not cached. Within a transaction, pass it as `handle`: a read of another request may
 * be waiting for that very transaction.
 */
export async function clientOf(db: Db, clientId: string, handle: Db = db): Promise<ClientSystem | undefined> {
  const cache = cacheOf(db)
  const cached = cache.get(clientId)
  if (handle !== db) return cached?.found ?? findClient(handle, clientId)
  if (cached) return cached.asked
  const entry: Entry = { asked: findClient(db, clientId) }
  cache.set(clientId, entry)
  // A read that began before `forgetClient` may be of an entry that is no longer the cached one.
  const drop = () => void (cache.peek(clientId) === entry && cache.delete(clientId))
  entry.asked.then((found) => (found ? Object.assign(entry, { found }) : drop()), drop)
  return entry.asked
}

/** The present state of several systems by client id, not from the cache. */
export async function findClients(db: Db, clientIds: string[]): Promise<Map<string, ClientSystem>> {
  if (clientIds.length === 0) return new Map()
  const rows = await db
    .select({ system: systems, previousAccepted, open: isOpen, hasConnections })
    .from(systems)
    .where(inArray(systems.clientId, clientIds))
  return new Map(rows.map(({ system, ...more }) => [system.clientId, { ...system, ...more }]))
}

/** Removes a system from the cache once the transaction that changes or deletes it has committed. */
export const forgetClient = (db: Db, clientId: string): void =>
  afterCommit(() => void cacheOf(db).delete(clientId))

export async function insertSystem(tx: Db, input: SystemInput): Promise<System> {
  const [system] = await tx.insert(systems).values(input).returning(columns)
  await insertId(tx, system!)
  return system!
}

const insertId = (tx: Db, { id }: System) => tx.insert(systemIds).values({ id })

/** Inserts a system with platform authority; undefined if the client id exists. Only for platform.ts. */
export async function insertPlatformSystem(
  tx: Db,
  input: Omit<typeof systems.$inferInsert, 'platform'>,
): Promise<System | undefined> {
  const [system] = await tx
    .insert(systems)
    .values({ ...input, platform: true })
    .onConflictDoNothing()
    .returning(columns)
  if (system) await insertId(tx, system)
  return system
}

/** Updates a row-locked system. */
export async function updateSystem(tx: Db, id: string, patch: SystemPatch): Promise<System> {
  const [system] = await tx
    .update(systems)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(systems.id, id))
    .returning(columns)
  return system!
}

/**
 * Replaces the secret of a system. The old secret remains valid for `graceSeconds`; an older one becomes
 * invalid at once.
 */
export async function updateSecret(tx: Db, id: string, hash: string, graceSeconds: number): Promise<void> {
  const grace = graceSeconds > 0
  await tx
    .update(systems)
    .set({
      secretHash: hash,
      previousSecretHash: grace ? sql`${systems.secretHash}` : null,
      previousSecretUntil: grace ? sql`now() + make_interval(secs => ${graceSeconds})` : null,
      updatedAt: sql`now()`,
    })
    .where(eq(systems.id, id))
}

/** Remembers the hash of the ADMIN_CLIENT_SECRET that was applied. */
export async function storeConfiguredSecret(tx: Db, id: string, hash: string): Promise<void> {
  await tx.update(systems).set({ configuredSecretHash: hash }).where(eq(systems.id, id))
}

/** Deletes a system, which no statement that joins `systems` finds from then on. What it owns remains. */
export async function deleteSystem(tx: Db, id: string): Promise<void> {
  await tx.delete(systems).where(eq(systems.id, id))
}

/** Deletes everything that a deleted system owns. */
export async function deleteOwned(tx: Db, id: string): Promise<void> {
  await tx.delete(systemIds).where(eq(systemIds.id, id))
}

/**
 * Whether one of the ids is that of a platform system, or of an account, a membership or a member of one.
 */
export async function isOfPlatform(db: Db, ids: string[]): Promise<boolean> {
  const given = sql`(${sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )})`
  const member = sql`exists (select from memberships where system_id = ${systems.id}
    and (id in ${given} or user_id in ${given}))`
  // An account outlives its memberships.
  const account = sql`exists (select from accounts where system_id = ${systems.id} and id in ${given})`
  const [found] = await db
    .select({ id: systems.id })
    .from(systems)
    .where(and(systems.platform, sql`(${systems.id} in ${given} or ${member} or ${account})`))
    .limit(1)
  return found !== undefined
}
