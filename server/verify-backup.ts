/**
 * `npm run backup:verify`: verifies a database that was restored from a backup, with the settings of the
 * server (docs/backup.md). It sends nothing, and exits with 1 if there is a fault. `--checkpoint FILE`
 * compares the audit log with a checkpoint that was kept elsewhere.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { verifyBackup } from './src/backup/verify.ts'
import { ConfigError, explained, readConfig } from './src/config.ts'
import { openParts } from './src/start.ts'

/** Returns whether the backup can be used. */
async function verify(file: string | undefined): Promise<boolean> {
  const checkpoint = file === undefined ? undefined : read(file)
  const { database, seal, close } = await openParts(readConfig(process.env))
  try {
    const { facts, faults } = await verifyBackup(database.db, seal, checkpoint)
    const width = Math.max(...facts.map(([name]) => name.length))
    const lines = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
    lines.push('', ...(faults.length > 0 ? faults : ['The backup can be used.']))
    process.stdout.write(`${lines.join('\n')}\n`)
    return faults.length === 0
  } finally {
    await close()
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(`--checkpoint: cannot read ${file}.`)
  }
}

try {
  const { values } = parseArgs({ options: { checkpoint: { type: 'string' } } })
  process.exitCode = (await verify(values.checkpoint)) ? 0 : 1
} catch (error) {
  process.stderr.write(explained(error))
  process.exit(1)
}
