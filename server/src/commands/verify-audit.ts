/**
 * `audit verify`: verifies the audit log against its chain of hashes (docs/audit.md). It prints each fault
 * and exits with 1 if there is one. With the embedded database, stop the server first: it holds the data
 * folder.
 */
import type { Config } from '../config/config.ts'
import { openCheckpointKey } from '../journal/audit/chain/checkpoint.ts'
import { ChainBroken, extendToEnd, restartChain } from '../journal/audit/chain/extend.ts'
import { verifyAudit } from '../journal/audit/chain/verify.ts'
import { openParts } from '../start.ts'
import { checkpointOf } from './checkpoint-file.ts'
import type { Options, Outcome } from './command.ts'

export async function verify(settings: () => Config, options: Options): Promise<Outcome> {
  const checkpoint = checkpointOf(options)
  const { database, seal, close } = await openParts(settings())
  try {
    const parts = { db: database.db, key: await openCheckpointKey(seal), retentionDays: 0 }
    if (options.restart) await restartChain(parts)
    // A broken chain is among the faults below.
    else await extendToEnd(parts).catch((error) => expectBroken(error))
    const { blocks, entries, newest, faults } = await verifyAudit(database.db, parts.key, checkpoint)
    const lines = faults.length > 0 ? [...faults] : ['The audit log is unchanged.']
    lines.push(`Verified entries: ${entries}. Verified blocks: ${blocks}.`)
    if (newest) lines.push(`Checkpoint of block ${newest.number}: ${newest.checkpoint}`)
    return { code: faults.length === 0 ? 0 : 1, lines, data: { faults, entries, blocks, newest } }
  } finally {
    await close()
  }
}

function expectBroken(error: unknown): void {
  if (!(error instanceof ChainBroken)) throw error
}
