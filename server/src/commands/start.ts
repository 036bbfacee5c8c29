/** `start`. The garbage collector is tuned for the start first, then for the load (decision 0036). */
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Config } from '../config/config.ts'
import { useCompileCache } from './compile-cache.ts'

export async function startServer(settings: () => Config): Promise<undefined> {
  // During the start V8 collects garbage when the heap has doubled, instead of grown fourfold, and does not
  // enlarge the young generation: most objects of the start are long-lived.
  setFlagsFromString('--heap-growing-percent=100')
  setFlagsFromString('--semi-space-growth-factor=1')
  const config = settings()
  useCompileCache(config.DATA_DIR)
  const { start } = await import('../start.ts')
  await start(config)
  flushCompileCache() // a killed process would not write the cache; modules loaded later are written at exit
  setFlagsFromString('--semi-space-growth-factor=2') // the default of V8
  setFlagsFromString('--heap-growing-percent=200') // under load saves 5 % of the CPU and takes 50 MB
}
