/**
 * Adds audit entries to the chain of hashes. Entries are collected into blocks after their transactions have
 * committed, so that no request waits for another.
 */
import { randomBytes } from 'node:crypto'
import type { Db } from '../../../database/database.ts'
import { inTransaction } from '../../../database/transaction.ts'
import { SERVER } from '../../../http/authority.ts'
import { record } from '../record.ts'
import type { CheckpointKey } from './checkpoint.ts'
import {
  type BlockContent,
  type HashedEntry,
  hashOfBlock,
  hashOfEntry,
  rootOf,
  saltedHash,
} from './hashes.ts'
import {
  type Block,
  deleteBlocks,
  deleteChain,
  findExpiredBlocks,
  findNewestBlock,
  insertBlock,
  LATE,
  lockChain,
  type NewLink,
  readTime,
  readUnlinked,
  tryChainLock,
} from './queries.ts'

/** Entries in one block. A transaction takes some milliseconds. */
const BLOCK_MAX = 500
/** Expired blocks that one transaction deletes. */
const EXPIRED_MAX = 4
/** The `previous` of the first block. */
const NONE = Buffer.alloc(32)

/** The newest block is not the one that this installation has written. */
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
export type Extension = { newest: Block | undefined; added: number; deleted: number }

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
 * `known`: a block that this process has seen, which must still exist or have expired. Throws ChainBroken.
 */
export function extendChain(
  { db, key, retentionDays }: ChainParts,
  known: Block | undefined,
): Promise<Extension | undefined> {
  return inTransaction(db, async (tx) => {
    if (!(await tryChainLock(tx))) return undefined
    const newest = await findNewestBlock(tx)
    await expectUnchanged(key, newest, known)
    const entries = await readUnlinked(tx, { since: sinceOf(newest, await readTime(tx)), limit: BLOCK_MAX })
    const expired = retentionDays === 0 ? [] : await findExpiredBlocks(tx, retentionDays, EXPIRED_MAX)
    if (entries.length === 0 && expired.length === 0) return { newest, added: 0, deleted: 0 }
    const last = expired.at(-1)
    if (expired.length > 0) await deleteBlocks(tx, expired)
    const block = await closeBlock(tx, key, {
      newest,
      entries,
      oldest: last === undefined ? undefined : last + 1,
    })
    return { newest: block, added: entries.length, deleted: expired.length }
  })
}

/**
 * Extends the chain until there is nothing to add, or by one block once `signal` has aborted. Returns the
 * newest block. Throws ChainBroken.
 */
export async function extendToEnd(
  parts: ChainParts,
  known?: Block,
  signal?: AbortSignal,
): Promise<Block | undefined> {
  for (;;) {
    const done = await extendChain(parts, known)
    if (!done) return known
    known = done.newest ?? known
    if ((done.added < BLOCK_MAX && done.deleted < EXPIRED_MAX) || signal?.aborted) return known
  }
}

/** Begins a new chain with all entries, after a fault was found and examined. */
export async function restartChain({ db, key, retentionDays }: ChainParts): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockChain(tx)
    const newest = await findNewestBlock(tx)
    await deleteChain(tx)
    await record(tx, SERVER, {
      action: 'audit.chain_restarted',
      changes: { block: [newest?.number ?? null, null] },
    })
    const number = newest?.number ?? 0
    await closeBlock(tx, key, {
      newest: { number, hash: NONE, newestTime: null },
      entries: [],
      oldest: number + 1,
    })
  })
  await extendToEnd({ db, key, retentionDays })
}

async function expectUnchanged(
  key: CheckpointKey,
  newest: Block | undefined,
  known: Block | undefined,
): Promise<void> {
  if (known && (newest?.number ?? 0) < known.number)
    throw new ChainBroken(`The audit log ends before block ${known.number}, which existed.`)
  if (!newest) return
  if (known?.number === newest.number && !known.hash.equals(newest.hash))
    throw new ChainBroken(`Block ${newest.number} of the audit log was replaced.`)
  if (!(await isSigned(key, newest)))
    throw new ChainBroken(`Block ${newest.number} of the audit log has no valid signature.`)
}

/** Whether this installation has signed the block with its present content. */
export async function isSigned(key: CheckpointKey, block: Block): Promise<boolean> {
  const signed = await key.verify(block.checkpoint)
  const hash = hashOfBlock(block)
  return signed?.number === block.number && signed.hash === hash.toString('hex') && hash.equals(block.hash)
}

const sinceOf = (newest: Block | undefined, now: Date): string | null =>
  newest?.newestTime
    ? new Date(Math.min(Date.parse(newest.newestTime), now.getTime()) - LATE).toISOString()
    : null

type Closed = {
  newest: (Pick<Block, 'number' | 'hash' | 'newestTime'> & { oldest?: number }) | undefined
  entries: (HashedEntry & { at: Date })[]
  /** If it changes with this block. */
  oldest: number | undefined
}

async function closeBlock(tx: Db, key: CheckpointKey, { newest, entries, oldest }: Closed): Promise<Block> {
  const number = (newest?.number ?? 0) + 1
  const links = entries.map((entry, position) => linkOf(entry, number, position))
  const times = [newest?.newestTime, entries.at(-1)?.at.toISOString()].filter((at) => typeof at === 'string')
  const content: BlockContent = {
    number,
    previous: newest?.hash ?? NONE,
    oldest: oldest ?? newest?.oldest ?? number,
    entries: entries.length,
    root: rootOf(links.map(({ hash }) => hash)),
    newestTime: times.sort().at(-1) ?? null,
    closedAt: (await readTime(tx)).toISOString(),
  }
  const hash = hashOfBlock(content)
  const checkpoint = await key.sign({ number, hash: hash.toString('hex'), closedAt: content.closedAt })
  const block = { ...content, hash, checkpoint }
  await insertBlock(tx, block, links)
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
