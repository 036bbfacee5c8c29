/**
 * Adds audit entries to the chain of hashes. Entries are collected into blocks after their transactions have
 * committed, so that no request waits for another. Nothing is added to a chain that has a fault: only
 * `restartChain`, which an operator calls, begins another one.
 */
import { randomBytes } from 'node:crypto'
import type { Db } from '../../../database/database.ts'
import { inTransaction } from '../../../database/transaction.ts'
import { SERVER } from '../../../http/authority.ts'
import { record } from '../record.ts'
import { isStamp } from '../stamp.ts'
import type { CheckpointKey } from './checkpoint.ts'
import {
  type BlockContent,
  blockRootOf,
  type HashedEntry,
  hashOfBlock,
  hashOfEntry,
  saltedHash,
} from './hashes.ts'
import {
  type Block,
  countBlocks,
  countUnlinked,
  deleteBlocks,
  deleteChain,
  findExpiredBlocks,
  findNewestBlock,
  hasEntries,
  insertBlock,
  LATE,
  lockChain,
  type NewLink,
  readHead,
  readTime,
  readUnlinked,
  readYounger,
  storeHead,
  tryChainLock,
  type Unlinked,
} from './queries.ts'

/** Entries in one block. A transaction takes some milliseconds. */
const BLOCK_MAX = 500
/** Expired blocks that one transaction deletes. */
const EXPIRED_MAX = 4
/** The `previous` of the first block. */
const NONE = Buffer.alloc(32)

/** The chain or what follows it is not as this installation has left it. */
export class ChainBroken extends Error {
  override name = 'ChainBroken'
}

export type ChainParts = {
  db: Db
  key: CheckpointKey
  /** Days after which entries are deleted; 0: never. */
  retentionDays: number
}

/** What one transaction has done; undefined if another process has the lock. */
export type Extension = { newest: Block; added: number; deleted: number }

/** `known`: a block that this process has seen. `adopts`: whoever wrote them, all entries are added. */
type Beginning = { known?: Block | undefined; adopts?: boolean }

/**
 * The threat: whoever can write to the database removes or changes entries, and this process then signs the
 * changed log as genuine. The cost: a chain that each change extends would make all changes wait in line. So
 *
 * 1. one process at a time, by an advisory lock, works after the changes have committed;
 * 2. the newest block must be signed by this installation and be the one that this process has seen, else
 *    nothing is signed any more (ChainBroken);
 * 3. entries that are in no block are hashed, with salts for the values that an erasure removes later;
 * 4. the block has a hash of these hashes in their order, the hash of the block before, and a signature over
 *    both.
 *
 * Closes one block with up to 500 entries that are in none, and deletes expired blocks with their entries.
 * `known` must still exist or have expired. Throws ChainBroken.
 */
export function extendChain(
  { db, key, retentionDays }: ChainParts,
  { known, adopts = false }: Beginning = {},
): Promise<Extension | undefined> {
  return inTransaction(db, async (tx) => {
    if (!(await tryChainLock(tx))) return undefined
    const newest = await demandUnchanged(tx, key, known)
    const since = sinceOf(newest, await readTime(tx))
    if (!adopts) await demandNoneLate(tx, since)
    const entries = await readUnlinked(tx, { since, limit: BLOCK_MAX })
    const foreign = adopts ? undefined : entries.find((entry) => !isOwnEntry(key, entry))
    if (foreign)
      throw new ChainBroken(`Entry ${foreign.id} was not written by a server of this installation.`)
    const expired = retentionDays === 0 ? [] : await findExpiredBlocks(tx, retentionDays, EXPIRED_MAX)
    if (entries.length === 0 && expired.length === 0) return { newest, added: 0, deleted: 0 }
    // The first block of a chain expires with what follows it, but not its entry.
    const kept = expired.length === 0 ? [] : await readYounger(tx, expired, retentionDays)
    const ids = kept.map(({ id }) => id)
    if (expired.length > 0) await deleteBlocks(tx, expired, ids)
    const last = expired.at(-1)
    const block = await closeBlock(tx, key, {
      number: newest.number + 1,
      previous: newest.hash,
      oldest: last === undefined ? newest.oldest : last + 1,
      entries: [...kept, ...entries],
      newestTime: latest(newest.newestTime, kept.at(-1), entries.at(-1)),
    })
    return { newest: block, added: entries.length, deleted: expired.length }
  })
}

/**
 * Extends the chain until there is nothing to add, or by one block once `signal` has aborted. Returns the
 * newest block that this process knows. Throws ChainBroken.
 */
export async function extendToEnd(
  parts: ChainParts,
  { known: from, adopts }: Beginning = {},
  signal?: AbortSignal,
): Promise<Block | undefined> {
  let known = from
  for (;;) {
    const done = await extendChain(parts, { known, adopts: adopts === true })
    if (!done) return known
    known = done.newest
    if ((done.added < BLOCK_MAX && done.deleted < EXPIRED_MAX) || signal?.aborted) return known
  }
}

/**
 * The first block of an installation, which is written with its first entries: a log without a block was
 * tampered with. Without effect if there are entries, of which some may be someone else's.
 */
export async function beginChain(tx: Db, key: CheckpointKey): Promise<void> {
  await lockChain(tx)
  if ((await hasEntries(tx)) || (await findNewestBlock(tx)) || (await readHead(tx)) !== undefined) return
  const newestTime = (await readTime(tx)).toISOString()
  await closeBlock(tx, key, { number: 1, previous: NONE, oldest: 1, entries: [], newestTime })
}

/**
 * Begins a new chain with all entries, after a fault was found and examined. The entry that says so is in its
 * first block.
 */
export async function restartChain({ db, key, retentionDays }: ChainParts): Promise<Block | undefined> {
  await inTransaction(db, async (tx) => {
    await lockChain(tx)
    const newest = await findNewestBlock(tx)
    const head = await key.verifyHead((await readHead(tx)) ?? '')
    const number = Math.max(newest?.number ?? 0, head?.number ?? 0) + 1
    await deleteChain(tx)
    const since = await readTime(tx)
    await record(tx, SERVER, {
      action: 'audit.chain_restarted',
      changes: { block: [head?.number ?? newest?.number ?? null, number] },
    })
    const written = await readUnlinked(tx, { since: since.toISOString(), limit: BLOCK_MAX })
    const entries = written.filter(({ action }) => action === 'audit.chain_restarted').slice(-1)
    await closeBlock(tx, key, { number, previous: NONE, oldest: number, entries, newestTime: null })
  })
  return extendToEnd({ db, key, retentionDays }, { adopts: true })
}

/** The newest block. Throws ChainBroken if there is none, or if it is not the one that was written last. */
async function demandUnchanged(tx: Db, key: CheckpointKey, known: Block | undefined): Promise<Block> {
  const newest = await findNewestBlock(tx)
  const head = await key.verifyHead((await readHead(tx)) ?? '')
  const fault = await faultOfHead(key, newest, head)
  if (fault !== undefined || !newest) throw new ChainBroken(fault)
  if (known && newest.number < known.number)
    throw new ChainBroken(`The audit log ends before block ${known.number}, which existed.`)
  if (known?.number === newest.number && !known.hash.equals(newest.hash))
    throw new ChainBroken(`Block ${newest.number} of the audit log was replaced.`)
  if ((await countBlocks(tx)) !== newest.number - newest.oldest + 1)
    throw new ChainBroken(`Blocks are missing between ${newest.oldest} and ${newest.number}.`)
  return newest
}

/**
 * What is wrong with the newest block, as a sentence. `head`: the statement which one it is, if it is signed.
 */
export async function faultOfHead(
  key: CheckpointKey,
  newest: Block | undefined,
  head: { number: number; hash: string } | undefined,
): Promise<string | undefined> {
  if (!newest) return 'The audit log has no block: the chain was removed.'
  if (!head) return 'There is no signed statement which block is the newest one.'
  if (newest.number < head.number) return `The log ends before block ${head.number}, which was the newest.`
  if (!(await isSigned(key, newest)))
    return `Block ${newest.number}, the newest, is not signed by this installation.`
  if (newest.number !== head.number || newest.hash.toString('hex') !== head.hash)
    return `Block ${newest.number} is not the one that was written last.`
  return undefined
}

/**
 * Entries are added to the log in the order of their times, apart from LATE. The time before is searched in
 * full by the verification, and here as far as an entry can be added within the time of a few blocks.
 */
async function demandNoneLate(tx: Db, since: string | null): Promise<void> {
  if (since === null) return
  const from = new Date(Date.parse(since) - LATE).toISOString()
  const count = await countUnlinked(tx, { from, to: since })
  if (count > 0) throw new ChainBroken(`${count} entries are in no block: they were added later.`)
}

/** Whether this installation has signed the block with its present content. */
export async function isSigned(key: CheckpointKey, block: Block): Promise<boolean> {
  const signed = await key.verify(block.checkpoint)
  const hash = hashOfBlock(block)
  return signed?.number === block.number && signed.hash === hash.toString('hex') && hash.equals(block.hash)
}

/** Whether a server of this installation has written the entry. */
export const isOwnEntry = (key: CheckpointKey, entry: Unlinked): boolean =>
  isStamp(entry.stamp, key.stamp(entry, Object.keys(JSON.parse(entry.changes))))

/** The time from which on entries may be added to the chain; null: of any time. */
export const sinceOf = (newest: Block | undefined, now: Date): string | null =>
  newest?.newestTime
    ? new Date(Math.min(Date.parse(newest.newestTime), now.getTime()) - LATE).toISOString()
    : null

const latest = (before: string | null, ...entries: (Unlinked | undefined)[]): string | null =>
  [before, ...entries.map((entry) => entry?.at.toISOString())]
    .filter((at) => typeof at === 'string')
    .sort()
    .at(-1) ?? null

type Closed = Pick<Block, 'number' | 'previous' | 'oldest' | 'newestTime'> & { entries: Unlinked[] }

async function closeBlock(tx: Db, key: CheckpointKey, { entries, ...place }: Closed): Promise<Block> {
  const { number } = place
  const links = entries.map((entry, position) => linkOf(entry, number, position))
  const content: BlockContent = {
    ...place,
    entries: entries.length,
    root: blockRootOf(links.map(({ hash }) => hash)),
    closedAt: (await readTime(tx)).toISOString(),
  }
  const hash = hashOfBlock(content)
  const stated = { number, hash: hash.toString('hex') }
  const checkpoint = await key.sign({ ...stated, closedAt: content.closedAt })
  const block = { ...content, hash, checkpoint }
  await insertBlock(tx, block, links)
  await storeHead(tx, await key.signHead(stated))
  return block
}

function linkOf(entry: HashedEntry, block: number, position: number): NewLink {
  const [changesSalt, senderSalt] = [randomBytes(16), randomBytes(16)]
  const hash = hashOfEntry(entry, {
    changes: saltedHash(changesSalt, entry.changes),
    sender: saltedHash(senderSalt, entry.sender),
  })
  return { entryId: entry.id, block, position, hash, changesSalt, senderSalt }
}
