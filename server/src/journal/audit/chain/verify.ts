/** Verifies the audit log: that no entry was changed, removed, added later, or put in another order. */
import type { Db } from '../../../database/database.ts'
import { sql } from '../../../database/drizzle.ts'
import { inTransaction } from '../../../database/transaction.ts'
import type { CheckpointKey } from './checkpoint.ts'
import { isSigned } from './extend.ts'
import { type HashedEntry, hashOfBlock, hashOfEntry, rootOf, saltedHash } from './hashes.ts'
import {
  type Block,
  countMissingBlocks,
  countUnlinked,
  findNewestBlock,
  type Link,
  readBlocks,
  readDeletions,
  readLinks,
} from './queries.ts'

/** Blocks that are read at once. */
const BATCH = 100
/** Faults that are reported one by one. */
const FAULTS_MAX = 100
/** In minutes: younger entries may not be in a block yet. */
const YOUNG = 5

export type Verification = {
  blocks: number
  entries: number
  newest: Block | undefined
  /** Each a sentence. Empty: the audit log is unchanged. */
  faults: string[]
}

/** `checkpoint`: the text of one that was kept elsewhere. */
export function verifyAudit(db: Db, key: CheckpointKey, checkpoint?: string): Promise<Verification> {
  return inTransaction(
    db,
    async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`)
      const result: Verification = { blocks: 0, entries: 0, newest: await findNewestBlock(tx), faults: [] }
      const { newest, faults } = result
      if (newest && !(await isSigned(key, newest)))
        faults.push(`Block ${newest.number}, the newest, is not signed by this installation.`)
      await verifyBlocks(
        tx,
        result,
        checkpoint === undefined ? undefined : await readCheckpoint(key, checkpoint, faults),
      )
      const unlinked = await countUnlinked(tx, YOUNG)
      if (unlinked > 0) faults.push(`${unlinked} entries are in no block: they were added later.`)
      if ((await countMissingBlocks(tx)) > 0) faults.push('Entries refer to blocks that do not exist.')
      return { ...result, faults: shortened(faults) }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
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

async function verifyBlocks(
  tx: Db,
  result: Verification,
  kept: { number: number; hash: string } | undefined,
): Promise<void> {
  const { newest, faults } = result
  if (kept && kept.number > (newest?.number ?? 0))
    faults.push(`The log ends before block ${kept.number} of the checkpoint.`)
  let before: Block | undefined
  for (let next = 0; newest; ) {
    const blocks = await readBlocks(tx, next, BATCH)
    for (const block of blocks) {
      if (!before && block.number !== newest.oldest)
        faults.push(`The oldest block is ${block.number} instead of ${newest.oldest}.`)
      if (before) expectFollows(before, block, faults)
      if (kept?.number === block.number && kept.hash !== block.hash.toString('hex'))
        faults.push(`Block ${block.number} is not the one of the checkpoint.`)
      await verifyBlock(tx, block, faults)
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

async function verifyBlock(tx: Db, block: Block, faults: string[]): Promise<void> {
  const rows = await readLinks(tx, block.number)
  const deletions = await readDeletions(tx, [...new Set(rows.flatMap(({ link }) => link.erasedFor ?? []))])
  for (const { link, entry } of rows) {
    const fault = entry ? faultOf(link, entry, deletions) : 'was removed'
    if (fault) faults.push(`Entry ${link.entryId} in block ${block.number} ${fault}.`)
  }
  const root = rootOf(rows.map(({ link }) => link.hash))
  if (rows.length !== block.entries || !root.equals(block.root))
    faults.push(`Block ${block.number} does not have the entries with which it was closed.`)
  if (!hashOfBlock(block).equals(block.hash)) faults.push(`Block ${block.number} was changed.`)
}

/** Of a link and its entry, as the end of a sentence. */
function faultOf(link: Link, entry: HashedEntry, deletions: Map<string, string[]>): string | undefined {
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
    : 'was erased, but the user to whom it belongs was not deleted'
}

const hasNoValues = ({ changes }: HashedEntry): boolean =>
  Object.values(JSON.parse(changes)).every((pair) => JSON.stringify(pair) === '[null,null]')

/** The same entries as in `eraseUserFromAudit`. */
function mayBeErased(
  { actorType, actorId, action, targetType, targetId }: HashedEntry,
  isErased: { changes: boolean; sender: boolean },
  userId: string | null,
  deletions: Map<string, string[]>,
): boolean {
  const accounts = userId === null ? undefined : deletions.get(userId)
  if (!accounts) return false
  const isActor = actorType === 'user' && actorId === userId
  const isAbout =
    (targetType === 'user' && targetId === userId) ||
    (targetType === 'account' && accounts.includes(targetId ?? '')) ||
    (isActor && action === 'session.acting_started')
  return (!isErased.changes || isAbout) && (!isErased.sender || isActor)
}
