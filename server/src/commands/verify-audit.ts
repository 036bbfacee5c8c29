/**
 * `audit verify`: verifies the audit log against its chain of hashes (docs/audit.md). It writes nothing,
 * prints each fault, and exits with 1 if there is one. With the embedded database, stop the server first: it
 * holds the data folder.
 */
import type { Config } from '../config/config.ts'
import { openCheckpointKey } from '../journal/audit/chain/checkpoint.ts'
import { verifyAudit } from '../journal/audit/chain/verify.ts'
import { openToRead } from '../start.ts'
import { checkpointOf } from './checkpoint-file.ts'
import type { CommandOutcome, Options } from './command.ts'

export async function runVerifyAudit(settings: () => Config, options: Options): Promise<CommandOutcome> {
  const checkpoint = checkpointOf(options)
  const { database, seal, close } = await openToRead(settings())
  try {
    const key = await openCheckpointKey(seal)
    const { blocks, entries, waiting, newest, faults } = await verifyAudit(database.db, key, checkpoint)
    const lines = faults.length > 0 ? [...faults] : ['The audit log is unchanged.']
    lines.push(
      `Verified entries: ${entries}. Verified blocks: ${blocks}. Entries in no block yet: ${waiting}.`,
    )
    if (newest) lines.push(`Checkpoint of block ${newest.number}: ${newest.checkpoint}`)
    return { code: faults.length === 0 ? 0 : 1, lines, data: { faults, entries, blocks, waiting, newest } }
  } finally {
    await close()
  }
}
