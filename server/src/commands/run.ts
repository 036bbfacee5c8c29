/** Runs the command that the arguments name. */
import { parseArgs } from 'node:util'
import { ConfigError, readConfig, VERSION } from '../config/config.ts'
import type { Command, CommandOption, ExitCode } from './command.ts'
import { COMMANDS } from './commands.ts'

/** Returns the exit code, or undefined while the server runs. Throws ConfigError for a mistake. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<ExitCode | undefined> {
  const { name, rest } = named(args)
  if (name === 'version') return print(rest.includes('--json') ? `{"version":"${VERSION}"}` : VERSION)
  if (name === 'help') return print(helpOf(rest.filter((word) => !word.startsWith('-')).join(' ')))
  const command = COMMANDS[name]!
  if (rest.includes('--help')) return print(helpOf(name))
  const { values } = parseArgs({ args: rest, options: parsed(command) })
  const execute = await command.load()
  const outcome = await execute(() => readConfig(env), values)
  if (outcome) print(values.json ? JSON.stringify(outcome.data) : outcome.lines.join('\n'))
  return outcome?.code
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

const SHORT: Record<string, string> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
}

/** The words of the command, and its options. Without words: `start`. */
function named(args: string[]): { name: string; rest: string[] } {
  const [first = 'start', second = ''] = args
  const alone = SHORT[first] ?? first
  if (alone === 'help' || alone === 'version') return { name: alone, rest: args.slice(1) }
  if (first.startsWith('-')) return { name: 'start', rest: args }
  if (first in COMMANDS) return { name: first, rest: args.slice(1) }
  const name = `${first} ${second}`
  if (name in COMMANDS) return { name, rest: args.slice(2) }
  throw new ConfigError(`There is no command ${quoted(first, second)}. ${similar(first)}`)
}

const quoted = (first: string, second: string) =>
  JSON.stringify(second.startsWith('-') || second === '' ? first : `${first} ${second}`)

/** The commands with the same first word, otherwise where all are listed. */
function similar(first: string): string {
  const names = Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `))
  return names.length > 0 ? `Use: ${names.join(', ')}.` : '"tenantry help" lists all commands.'
}

/** The options as `parseArgs` reads them. */
const parsed = ({ options }: Command) =>
  Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))

const optionOf = ([name, { value }]: [string, CommandOption]) => `--${name}${value ? ` ${value}` : ''}`

/** Rows of two columns. */
function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function helpOf(name: string): string {
  const command = COMMANDS[name]
  if (!command) return overview()
  const options = Object.entries(command.options)
  const usage = [name, ...options.map((option) => `[${optionOf(option)}]`)].join(' ')
  const rows = options.map((option): [string, string] => [optionOf(option), option[1].description])
  return [
    `tenantry ${usage}`,
    '',
    `  ${command.summary}`,
    ...(rows.length > 0 ? ['', ...columns(rows)] : []),
  ].join('\n')
}

function overview(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]): [string, string] => [name, summary])
  return [
    `Tenantry ${VERSION}: OpenID Connect identity and access management for multi-tenant products`,
    '',
    ...columns([
      ...rows,
      ['version', 'prints the version'],
      ['help [command]', 'prints the options of a command'],
    ]),
    '',
    'Settings are environment variables. Secrets can be in files: SECRET_KEY_FILE=/run/secrets/secret-key.',
    'Exit codes: 0 success, 1 a fault or a mistake, 2 "migrate --plan" found missing migrations.',
  ].join('\n')
}
