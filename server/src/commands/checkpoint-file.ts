import { readFileSync } from 'node:fs'
import { ConfigError } from '../config/config.ts'
import type { Options } from './command.ts'

/** The content of the file of `--checkpoint`. */
export function checkpointOf({ checkpoint: file }: Options): string | undefined {
  if (typeof file !== 'string') return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(`--checkpoint: cannot read ${file}.`)
  }
}
