/**
 * The entry point: runs a command, `start` without one. Settings are checked before the other modules are
 * loaded; faults that the operator can correct are printed in one line, without a stack trace.
 */
import { run } from './commands/run.ts'
import { explained } from './config/config.ts'

// The files of the database, of its lock and of the outbox are for this user only, whoever creates them.
process.umask(0o077)
try {
  const code = await run(process.argv.slice(2), process.env)
  if (code !== undefined) process.exitCode = code
} catch (error) {
  process.stderr.write(explained(error))
  process.exit(1)
}
