/**
 * `npm run audit:verify`: verifies the audit log against its chain of hashes (docs/audit.md). It prints each
 * fault and exits with 1 if there is one. `--checkpoint FILE` compares with a checkpoint that was kept
 * elsewhere, `--restart` begins a new chain after a fault. With the embedded database, stop the server first:
 * it holds the data folder.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ConfigError, explained, readConfig } from './src/config.ts'
import { openCheckpointKey } from './src/resources/audit/chain/checkpoint.ts'
import { ChainBroken, extendToEnd, restartChain } from './src/resources/audit/chain/extend.ts'
import { verifyAudit } from './src/resources/audit/chain/verify.ts'
import { openParts } from './src/start.ts'

/** Returns whether the audit log is unchanged. */
async function verify(options: { checkpoint?: string; restart?: boolean }): Promise<boolean> {
  const checkpoint = options.checkpoint === undefined ? undefined : read(options.checkpoint)
  const config = readConfig(process.env)
  const { database, seal, close } = await openParts(config)
  try {
    const parts = { db: database.db, key: await openCheckpointKey(seal), retentionDays: 0 }
    if (options.restart) await restartChain(parts)
    // A broken chain is among the faults below.
    else await extendToEnd(parts).catch((error) => expectBroken(error))
    const { blocks, entries, newest, faults } = await verifyAudit(database.db, parts.key, checkpoint)
    const lines = faults.length > 0 ? faults : ['The audit log is unchanged.']
    lines.push(`Verified entries: ${entries}. Verified blocks: ${blocks}.`)
    if (newest) lines.push(`Checkpoint of block ${newest.number}: ${newest.checkpoint}`)
    process.stdout.write(`${lines.join('\n')}\n`)
    return faults.length === 0
  } finally {
    await close()
  }
}

function expectBroken(error: unknown): void {
  if (!(error instanceof ChainBroken)) throw error
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(`--checkpoint: cannot read ${file}.`)
  }
}

try {
  const { values } = parseArgs({ options: { checkpoint: { type: 'string' }, restart: { type: 'boolean' } } })
  process.exitCode = (await verify(values)) ? 0 : 1
} catch (error) {
  process.stderr.write(explained(error))
  process.exit(1)
}
