/** The SQL of the chain of audit entries. */
import type { Db } from '../../../database/database.ts'
import { and, desc, eq, gt, inArray, lt, notInArray, type SQL, sql } from '../../../database/drizzle.ts'
import { audit, auditBlocks, auditHead, auditLinks, users } from '../../../database/schema.ts'
import { readPartitions } from '../partitions/queries.ts'
import type { BlockContent, HashedEntry } from './hashes.ts'

/** The key of an advisory lock: any fixed number. */
const CHAIN_LOCK = 7_236_113

/**
 * IP address and user agent as one text. A header contains no line break, so that no two pairs have the same
 * text.
 */
const sender = sql<string>`coalesce('=' || ${audit.actorIp}, '') || chr(10) || coalesce('=' || ${audit.actorUserAgent}, '')`

const hashed = {
  id: sql<string>`${audit.id}::text`,
  time: sql<string>`(extract(epoch from ${audit.time}) * 1000000)::bigint::text`,
  action: audit.action,
  outcome: audit.outcome,
  actorType: audit.actorType,
  actorId: audit.actorId,
  actorVia: audit.actorVia,
  actorAuthority: audit.actorAuthority,
  targetType: audit.targetType,
  targetId: audit.targetId,
  systemId: sql<string | null>`${audit.systemId}::text`,
  accountId: sql<string | null>`${audit.accountId}::text`,
  requestId: audit.requestId,
  changes: sql<string>`${audit.changes}::text`,
  sender,
} satisfies Record<keyof HashedEntry, unknown>

/** An entry with its time, and the stamp with which it was written. */
export type Unlinked = HashedEntry & { at: Date; stamp: Buffer | null }
export type Block = BlockContent & { hash: Buffer; checkpoint: string }
export type AuditLink = typeof auditLinks.$inferSelect
export type NewLink = Pick<
  AuditLink,
  'entryId' | 'block' | 'position' | 'hash' | 'changesSalt' | 'senderSalt'
>

/** Takes the lock of the chain until the transaction ends; false if another process has it. */
export async function tryChainLock(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${CHAIN_LOCK}) as acquired`)
  return (taken as unknown as { rows: { acquired: boolean }[] }).rows[0]!.acquired
}

/** Waits for the lock of the chain, which other transactions hold for some milliseconds. */
export const chainLock = sql`pg_advisory_xact_lock(${CHAIN_LOCK})`

export async function lockChain(tx: Db): Promise<void> {
  await tx.execute(sql`select ${chainLock}`)
}

const blockOf = (row: typeof auditBlocks.$inferSelect): Block => ({
  ...row,
  newestTime: row.newestTime?.toISOString() ?? null,
  closedAt: row.closedAt.toISOString(),
})

export async function findNewestBlock(db: Db): Promise<Block | undefined> {
  const [row] = await db.select().from(auditBlocks).orderBy(desc(auditBlocks.number)).limit(1)
  return row && blockOf(row)
}

/** The blocks from `number` on, in their order. */
export async function readBlocks(db: Db, number: number, limit: number): Promise<Block[]> {
  const rows = await db
    .select()
    .from(auditBlocks)
    .where(sql`${auditBlocks.number} >= ${number}`)
    .orderBy(auditBlocks.number)
    .limit(limit)
  return rows.map(blockOf)
}

/**
 * Whether an entry is in no block. A scalar subquery is evaluated by the index for each entry; the planner
 * would turn `not exists` into a join, which compares every entry with every link while the statistics of
 * `audit_links` are from when it was almost empty.
 */
const isUnlinked = sql`(select l.block from ${auditLinks} l where l.entry_id = ${audit.id}) is null`

/** Entries that are in no block, oldest first. */
export async function readUnlinked(
  db: Db,
  { since, limit }: { since: string | null; limit: number },
): Promise<Unlinked[]> {
  return db
    .select({ ...hashed, at: audit.time, stamp: audit.stamp })
    .from(audit)
    .where(sql`${isUnlinked} and ${isAfter(since)}`)
    .orderBy(audit.time, audit.id)
    .limit(limit)
}

const isAfter = (since: string | null): SQL =>
  since === null ? sql`true` : sql`${audit.time} >= ${since}::timestamptz`

/** The current time of the database. */
export async function readTime(db: Db): Promise<Date> {
  const found = await db.execute(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`)
  return new Date(Number((found as unknown as { rows: { ms: number }[] }).rows[0]!.ms))
}

/** Entries of blocks that are not older than so many days. */
export async function readYounger(tx: Db, numbers: number[], days: number): Promise<Unlinked[]> {
  return tx
    .select({ ...hashed, at: audit.time, stamp: audit.stamp })
    .from(auditLinks)
    .innerJoin(audit, eq(audit.id, auditLinks.entryId))
    .where(
      and(inArray(auditLinks.block, numbers), gt(audit.time, sql`now() - make_interval(days => ${days})`)),
    )
    .orderBy(audit.time, audit.id)
}

/** The statement which block is the newest one. */
export async function readHead(db: Db): Promise<string | undefined> {
  const [head] = await db.select().from(auditHead)
  return head?.statement
}

export async function storeHead(tx: Db, statement: string): Promise<void> {
  await tx
    .insert(auditHead)
    .values({ statement })
    .onConflictDoUpdate({ target: auditHead.id, set: { statement } })
}

/** The number of blocks. */
export const countBlocks = (db: Db): Promise<number> => db.$count(auditBlocks)

/** Whether the log has an entry. */
export async function hasEntries(db: Db): Promise<boolean> {
  return (await db.select({ id: audit.id }).from(audit).limit(1)).length > 0
}

export async function insertBlock(tx: Db, block: Block, links: NewLink[]): Promise<void> {
  if (links.length > 0) await tx.insert(auditLinks).values(links)
  await tx.insert(auditBlocks).values({
    ...block,
    newestTime: block.newestTime === null ? null : new Date(block.newestTime),
    closedAt: new Date(block.closedAt),
  })
}

/** The links of a block in their order, each with its entry if that exists. */
export async function readLinks(
  db: Db,
  block: number,
): Promise<{ link: AuditLink; entry: HashedEntry | undefined }[]> {
  const rows = await db
    .select({ link: auditLinks, entry: hashed })
    .from(auditLinks)
    .leftJoin(audit, eq(audit.id, auditLinks.entryId))
    .where(eq(auditLinks.block, block))
    .orderBy(auditLinks.position)
  return rows.map(({ link, entry }) => ({ link, entry: entry?.id == null ? undefined : entry }))
}

/**
 * Numbers of the oldest blocks whose newest entry is older than so many days, oldest first. A block without
 * entries at the beginning of a chain expires as soon as another follows.
 */
export async function findExpiredBlocks(tx: Db, days: number, limit: number): Promise<number[]> {
  const isOld = sql`case when ${auditBlocks.newestTime} is null
    then ${auditBlocks.number} < (select max(number) from ${auditBlocks})
    else ${auditBlocks.newestTime} <= now() - make_interval(days => ${days}) end`
  const oldest = await tx
    .select({ number: auditBlocks.number, isOld: sql<boolean>`${isOld}` })
    .from(auditBlocks)
    .orderBy(auditBlocks.number)
    .limit(limit)
  const firstKept = oldest.findIndex((block) => !block.isOld)
  return oldest.slice(0, firstKept === -1 ? oldest.length : firstKept).map(({ number }) => number)
}

/**
 * Deletes blocks with their entries, but not the entries `kept`. Entries in the partition of a month are
 * deleted with it, by the cleanup. The blocks are named one by one: for `block <= number` PostgreSQL
 * estimates also those that were deleted since the last `analyze`, and would read the whole log.
 */
export async function deleteBlocks(tx: Db, numbers: number[], kept: string[]): Promise<void> {
  const isOfBlocks = inArray(auditLinks.block, numbers)
  const linked = tx
    .select({ id: auditLinks.entryId })
    .from(auditLinks)
    .where(and(isOfBlocks, kept.length > 0 ? notInArray(auditLinks.entryId, kept) : undefined))
  const partitions = await readPartitions(tx)
  const isOfRows = partitions && lt(audit.time, partitions.months[0].from)
  await tx.delete(audit).where(and(inArray(audit.id, linked), isOfRows))
  await tx.delete(auditLinks).where(isOfBlocks)
  await tx.delete(auditBlocks).where(inArray(auditBlocks.number, numbers))
}

/** Deletes the chain. The entries remain. */
export async function deleteChain(tx: Db): Promise<void> {
  await tx.delete(auditLinks)
  await tx.delete(auditHead)
  await tx.delete(auditBlocks)
}

/**
 * Replaces the salts of values that are about to be erased by their hashes: of the changes of entries that
 * meet `about`, and of the sender of those that meet `sent`. Call it with the lock of the chain, before the
 * values are erased.
 */
export async function keepHashes(
  tx: Db,
  { about, sent, userId }: { about: SQL; sent: SQL; userId: string },
): Promise<void> {
  const hashed = (condition: SQL, salt: SQL, hash: SQL, value: SQL) =>
    sql`case when ${condition} and k.${salt} is not null
      then sha256(k.${salt} || convert_to(${value}, 'UTF8')) else k.${hash} end as ${hash},
      case when ${condition} then null else k.${salt} end as ${salt}`
  // It is not a part of the update: a distributed table can only be updated with immutable functions.
  await tx.execute(sql`
    with kept as (
      select k.entry_id,
        ${hashed(about, sql`changes_salt`, sql`changes_hash`, sql`${audit.changes}::text`)},
        ${hashed(sent, sql`sender_salt`, sql`sender_hash`, sender)}
      from ${auditLinks} k join ${audit} on ${audit.id} = k.entry_id where ${about} or ${sent}
    )
    update ${auditLinks} l set changes_hash = kept.changes_hash, changes_salt = kept.changes_salt,
      sender_hash = kept.sender_hash, sender_salt = kept.sender_salt, erased_for = ${userId}
    from kept where l.entry_id = kept.entry_id`)
}

/**
 * 10 minutes, in ms: a transaction takes less. An entry that appears with an earlier time than this before
 * the newest one of the chain was not written by a server, or by one whose clock was wrong.
 */
export const LATE = 600_000

/**
 * A time before all entries in blocks. Undefined if that is not known: there is no block, or the oldest is
 * the beginning of a chain, which entries of any time follow.
 */
export async function readBeginning(db: Db): Promise<Date | undefined> {
  const [oldest] = await readBlocks(db, 0, 1)
  if (!oldest?.newestTime) return undefined
  const [first] = await db
    .select({ ms: sql<number | null>`floor(extract(epoch from min(${audit.time})) * 1000)::float8` })
    .from(auditLinks)
    .innerJoin(audit, eq(audit.id, auditLinks.entryId))
    .where(eq(auditLinks.block, oldest.number))
  const later = Math.min(Date.parse(oldest.newestTime), Date.parse(oldest.closedAt)) - LATE
  return new Date(Math.min(later, first?.ms ?? later))
}

/**
 * The number of entries from `from` until `to` that are in no block. In a partitioned log those up to the
 * newest one of the oldest block are not counted: entries of blocks that have expired remain until their
 * month has expired.
 */
export async function countUnlinked(
  db: Db,
  { from, to }: { from: string | null; to: string },
): Promise<number> {
  const [oldest] = (await readPartitions(db)) ? await readBlocks(db, 0, 1) : []
  // The stored time has milliseconds, rounded down.
  const since = oldest?.newestTime && new Date(Date.parse(oldest.newestTime) + 1).toISOString()
  const isBefore = sql`${audit.time} < ${to}::timestamptz`
  return db.$count(audit, and(isUnlinked, isBefore, isAfter(from), isAfter(since ?? null)))
}

/**
 * Entries from `since` on that are in no block and older than LATE: the time in seconds between the first and
 * the last one.
 */
export async function readWaiting(db: Db, since: string | null): Promise<number> {
  const [row] = await db
    .select({
      seconds: sql<number>`coalesce(extract(epoch from max(${audit.time}) - min(${audit.time})), 0)::float8`,
    })
    .from(audit)
    .where(
      sql`${isUnlinked} and ${isAfter(since)} and ${audit.time} < now() - make_interval(secs => ${LATE / 1_000})`,
    )
  return row!.seconds
}

/** The number of blocks that do not exist although links refer to them. */
export async function countMissingBlocks(db: Db): Promise<number> {
  const linked = db.selectDistinct({ block: auditLinks.block }).from(auditLinks).as('linked')
  return db.$count(linked, sql`not exists (select from ${auditBlocks} b where b.number = ${linked.block})`)
}

export type Deletion = {
  /** The entry of the deletion, if it is in a block. */
  entry: Unlinked
  isLinked: boolean
  /** The ids of the personal accounts. */
  accounts: string[]
}

/** The deletions of users who were deleted everywhere, by the audit log, and do not exist. */
export async function readDeletions(db: Db, userIds: string[]): Promise<Map<string, Deletion>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .select({ entry: { ...hashed, at: audit.time, stamp: audit.stamp }, block: auditLinks.block })
    .from(audit)
    .leftJoin(auditLinks, eq(auditLinks.entryId, audit.id))
    .where(
      sql`${audit.action} = 'user.deleted' and ${audit.outcome} = 'success'
        and ${audit.changes} ? 'personalAccounts' and ${inArray(audit.targetId, userIds)}
        and not exists (select from ${users} where ${users.id}::text = ${audit.targetId})`,
    )
  return new Map(
    rows.map(({ entry, block }) => [
      entry.targetId!,
      { entry, isLinked: block !== null, accounts: JSON.parse(entry.changes).personalAccounts?.[0] ?? [] },
    ]),
  )
}
