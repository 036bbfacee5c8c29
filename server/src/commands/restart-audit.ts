/**
 * `audit restart`: begins a new chain of hashes with the entries that exist, after a fault of the audit log
 * was examined (docs/audit.md). With the embedded database, stop the server first: it holds the data folder.
 */
import type { Config } from '../config/config.ts'
import { openCheckpointKey } from '../journal/audit/chain/checkpoint.ts'
import { restartChain } from '../journal/audit/chain/extend.ts'
import { openParts } from '../start.ts'
import type { CommandOutcome } from './command.ts'

export async function restart(settings: () => Config): Promise<CommandOutcome> {
  const { database, seal, close } = await openParts(settings())
  try {
    const key = await openCheckpointKey(seal)
    const newest = await restartChain({ db: database.db, key, retentionDays: 0 })
    const lines = [`A new chain was begun. Checkpoint of block ${newest?.number}: ${newest?.checkpoint}`]
    return { code: 0, lines, data: { newest } }
  } finally {
    await close()
  }
}
