/** A command: `tenantry keys rotate`. Its options, its output and its exit code. */
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config } from '../config/config.ts'

export type CommandOption = ParseArgsOptionDescriptor & { description: string; value?: string }
export type Options = Record<string, string | boolean | undefined>

/** 0: success, or nothing to do. 1: a fault was found, or the command could not run. 2: differences. */
export type ExitCode = 0 | 1 | 2

/** What a command prints: text, or with `--json` one JSON object. */
export type CommandOutcome = { code: ExitCode; lines: string[]; data: object }

export type Command = {
  summary: string
  options: Record<string, CommandOption>
  /** Loaded when the command runs. `check` reads the settings itself, to report their faults. */
  load(): Promise<(settings: () => Config, options: Options) => Promise<CommandOutcome | undefined>>
}
