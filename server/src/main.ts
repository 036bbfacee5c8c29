/**
 * The only file that acts when it is imported. The settings are checked before anything else is loaded, and what the
 * one who starts us can put right is said in one line, without a stack.
 */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { explained, readConfig } from './config.ts'

// While it starts V8 collects the heap when it has doubled, instead of up to fourfold. What a start makes is there to stay:
// the young generation would only grow with it, and then stand idle (decision 0036).
setFlagsFromString('--heap-growing-percent=100')
setFlagsFromString('--semi-space-growth-factor=1')

// Saves a third of the start from the second on. Beside the code and not in a folder that others can write to: what is
// kept there is run.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

try {
  const config = readConfig(process.env)
  const { start } = await import('./start.ts')
  await start(config)
  flushCompileCache() // now, since a process that is killed does it never; what is loaded later waits for an end in order
  setFlagsFromString('--semi-space-growth-factor=2') // what V8 has it at
  setFlagsFromString('--heap-growing-percent=200') // under load, 5 % of the CPU for 50 MB
} catch (error) {
  process.stderr.write(explained(error))
  process.exit(1)
}
