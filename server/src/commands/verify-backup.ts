/**
 * `backup verify`: verifies a database that was restored from a backup, with the settings of the server
 * (docs/backup.md). It sends nothing, and exits with 1 if there is a fault.
 */
import { verifyBackup } from '../backup/verify.ts'
import type { Config } from '../config/config.ts'
import { openToRead } from '../start.ts'
import { checkpointOf } from './checkpoint-file.ts'
import type { CommandOutcome, Options } from './command.ts'

export async function runVerifyBackup(settings: () => Config, options: Options): Promise<CommandOutcome> {
  const checkpoint = checkpointOf(options)
  const { database, seal, close } = await openToRead(settings())
  try {
    const { facts, faults } = await verifyBackup(database.db, seal, checkpoint)
    const width = Math.max(...facts.map(([name]) => name.length))
    const lines = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
    lines.push('', ...(faults.length > 0 ? faults : ['The backup can be used.']))
    return { code: faults.length === 0 ? 0 : 1, lines, data: { facts: Object.fromEntries(facts), faults } }
  } finally {
    await close()
  }
}
