/**
 * Verifies the audit log: that no entry was changed, removed, added later, or put in another order. It only
 * reads.
 */
import type { Db } from '../../../database/database.ts'
import { sql } from '../../../database/drizzle.ts'
import { inTransaction } from '../../../database/transaction.ts'
import type { CheckpointKey } from './checkpoint.ts'
import { faultOfHead, isOwnEntry, sinceOf } from './extend.ts'
import { blockRootOf, type HashedEntry, hashOfBlock, hashOfEntry, saltedHash } from './hashes.ts'
import {
  type AuditLink,
  type Block,
  countBlocks,
  countMissingBlocks,
  countUnlinked,
  type Deletion,
  findNewestBlock,
  LATE,
  readBlocks,
  readDeletions,
  readHead,
  readLinks,
  readTime,
  readUnlinked,
  readWaiting,
} from './queries.ts'

/** Blocks that are read at once. */
const BATCH = 100
/** Faults that are reported one by one. */
const FAULTS_MAX = 100
/** Entries in no block whose stamps are verified. */
const UNLINKED_MAX = 5_000

export type Verification = {
  blocks: number
  entries: number
  /** Entries that are in no block yet. More are not counted. */
  waiting: number
  newest: Block | undefined
  /** Each a sentence. Empty: the audit log is unchanged. */
  faults: string[]
}

/** `checkpoint`: the text of one that was kept elsewhere. */
export function verifyAudit(db: Db, key: CheckpointKey, checkpoint?: string): Promise<Verification> {
  return verify(db, key, async (tx, result) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    const { newest, faults } = result
    const kept = checkpoint === undefined ? undefined : await readCheckpoint(key, checkpoint, faults)
    if (kept && kept.number > (newest?.number ?? 0))
      faults.push(`The log ends before block ${kept.number} of the checkpoint.`)
    await verifyBlocks(tx, key, result, { from: 0, kept })
    if ((await countMissingBlocks(tx)) > 0) faults.push('Entries refer to blocks that do not exist.')
    return null
  })
}

/** The newest blocks that `verifyRecent` reads, at most 50,000 entries. */
const RECENT = 100

/**
 * Verifies the newest blocks, the number of the others, and what follows: what a server needs to know before
 * it extends the chain.
 */
export function verifyRecent(db: Db, key: CheckpointKey): Promise<Verification> {
  return verify(db, key, async (tx, result) => {
    const { newest, faults } = result
    if (!newest) return null
    if ((await countBlocks(tx)) !== newest.number - newest.oldest + 1)
      faults.push(`Blocks are missing between ${newest.oldest} and ${newest.number}.`)
    const from = newest.number - RECENT + 1
    await verifyBlocks(tx, key, result, { from, kept: undefined })
    const [first] = await readBlocks(tx, from, 1)
    // What is earlier than the block before has a place in it.
    return from <= newest.oldest ? null : (first?.newestTime ?? null)
  })
}

/** `read` returns the time from which on entries in no block are searched; null: of any time. */
function verify(
  db: Db,
  key: CheckpointKey,
  read: (tx: Db, result: Verification) => Promise<string | null>,
): Promise<Verification> {
  return inTransaction(
    db,
    async (tx) => {
      const newest = await findNewestBlock(tx)
      const result: Verification = { blocks: 0, entries: 0, waiting: 0, newest, faults: [] }
      const { faults } = result
      const ofHead = await faultOfHead(key, newest, await key.verifyHead((await readHead(tx)) ?? ''))
      if (ofHead !== undefined) faults.push(ofHead)
      await verifyUnlinked(tx, key, result, await read(tx, result))
      return { ...result, faults: shortened(faults) }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** Entries in no block: a server wrote them, and would have added them to a block within minutes. */
async function verifyUnlinked(
  tx: Db,
  key: CheckpointKey,
  result: Verification,
  from: string | null,
): Promise<void> {
  const { newest, faults } = result
  const since = sinceOf(newest, await readTime(tx))
  const late = since === null ? 0 : await countUnlinked(tx, { from, to: since })
  if (late > 0) faults.push(`${late} entries are in no block: they were added later.`)
  const waiting = await readUnlinked(tx, { since, limit: UNLINKED_MAX })
  result.waiting = waiting.length
  for (const entry of waiting)
    if (!isOwnEntry(key, entry))
      faults.push(`Entry ${entry.id} was not written by a server of this installation.`)
  if (newest && (await readWaiting(tx, since)) > LATE / 1_000)
    faults.push(
      `Entries of more than ten minutes follow block ${newest.number}, the newest: later blocks were removed.`,
    )
}

const shortened = (faults: string[]): string[] =>
  faults.length <= FAULTS_MAX
    ? faults
    : [...faults.slice(0, FAULTS_MAX), `${faults.length - FAULTS_MAX} more faults.`]

async function readCheckpoint(key: CheckpointKey, text: string, faults: string[]) {
  const kept = await key.verify(text.trim())
  if (!kept) faults.push('The checkpoint is not signed by this installation.')
  return kept
}

type Range = { from: number; kept: { number: number; hash: string } | undefined }

async function verifyBlocks(
  tx: Db,
  key: CheckpointKey,
  result: Verification,
  { from, kept }: Range,
): Promise<void> {
  const { newest, faults } = result
  let before: Block | undefined
  for (let next = from; newest; ) {
    const blocks = await readBlocks(tx, next, BATCH)
    for (const block of blocks) {
      if (!before && from <= newest.oldest && block.number !== newest.oldest)
        faults.push(`The oldest block is ${block.number} instead of ${newest.oldest}.`)
      if (before) expectFollows(before, block, faults)
      if (kept?.number === block.number && kept.hash !== block.hash.toString('hex'))
        faults.push(`Block ${block.number} is not the one of the checkpoint.`)
      await verifyBlock(tx, key, block, faults)
      result.blocks += 1
      result.entries += block.entries
      before = block
      next = block.number + 1
    }
    if (blocks.length < BATCH) return
  }
}

function expectFollows(before: Block, block: Block, faults: string[]): void {
  if (block.number !== before.number + 1)
    faults.push(`Blocks are missing between ${before.number} and ${block.number}.`)
  else if (!block.previous.equals(before.hash))
    faults.push(`Block ${block.number} does not follow ${before.number}.`)
}

async function verifyBlock(tx: Db, key: CheckpointKey, block: Block, faults: string[]): Promise<void> {
  const rows = await readLinks(tx, block.number)
  const deletions = await readDeletions(tx, [...new Set(rows.flatMap(({ link }) => link.erasedFor ?? []))])
  for (const [userId, { entry, isLinked }] of deletions)
    if (!isLinked && !isOwnEntry(key, entry)) deletions.delete(userId)
  for (const { link, entry } of rows) {
    const fault = entry ? faultOf(link, entry, deletions) : 'was removed'
    if (fault) faults.push(`Entry ${link.entryId} in block ${block.number} ${fault}.`)
  }
  const root = blockRootOf(rows.map(({ link }) => link.hash))
  const isComplete = rows.length === block.entries && rows.every(({ link }, nth) => link.position === nth)
  if (!isComplete || !root.equals(block.root))
    faults.push(`Block ${block.number} does not have the entries with which it was closed.`)
  if (!hashOfBlock(block).equals(block.hash)) faults.push(`Block ${block.number} was changed.`)
}

/** The fault of a link or its entry, as the end of a sentence. */
function faultOf(link: AuditLink, entry: HashedEntry, deletions: Map<string, Deletion>): string | undefined {
  const changes = link.changesSalt ? saltedHash(link.changesSalt, entry.changes) : link.changesHash
  const sender = link.senderSalt ? saltedHash(link.senderSalt, entry.sender) : link.senderHash
  if (!changes || !sender) return 'has no hash of its values'
  if (!hashOfEntry(entry, { changes, sender }).equals(link.hash)) return 'was changed'
  const isErased = { changes: !link.changesSalt, sender: !link.senderSalt }
  if (!isErased.changes && !isErased.sender) return undefined
  if (isErased.changes && !hasNoValues(entry)) return 'was changed after it was erased'
  if (isErased.sender && entry.sender !== '\n') return 'was changed after it was erased'
  return mayBeErased(entry, isErased, link.erasedFor, deletions)
    ? undefined
    : 'was erased, but the user to whom it belongs was not deleted afterwards'
}

const hasNoValues = ({ changes }: HashedEntry): boolean =>
  Object.values(JSON.parse(changes)).every((pair) => JSON.stringify(pair) === '[null,null]')

/** Whether `eraseUserFromAudit` may have erased the entry: its user was deleted later and does not exist. */
function mayBeErased(
  { actorType, actorId, action, targetType, targetId, time }: HashedEntry,
  isErased: { changes: boolean; sender: boolean },
  userId: string | null,
  deletions: Map<string, Deletion>,
): boolean {
  const deletion = userId === null ? undefined : deletions.get(userId)
  if (!deletion || BigInt(time) > BigInt(deletion.entry.time)) return false
  const isActor = actorType === 'user' && actorId === userId
  const isAbout =
    (targetType === 'user' && targetId === userId) ||
    (targetType === 'account' && deletion.accounts.includes(targetId ?? '')) ||
    (isActor && action === 'session.acting_started')
  return (!isErased.changes || isAbout) && (!isErased.sender || isActor)
}
