/**
 * The log of the server: one JSON object per line, or at a terminal one readable line, without the characters
 * on which a terminal acts. pino-pretty would do it with fourteen packages that every installation gets.
 */
import { styleText } from 'node:util'
import type { FastifyServerOptions } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Logged, loggedError } from './problems.ts'
import { withoutUnprintable } from './sent-values.ts'

type Style = 'dim' | 'green' | 'yellow' | 'red'
type Paint = (style: Style, text: string) => string

/** The levels by their numbers in pino. */
const LEVELS: Record<number, [name: string, style: Style]> = {
  20: ['DEBUG', 'dim'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
}

/** The options of Fastify. `output`: where the entries are written. */
export function loggerOf(
  { LOG_LEVEL, LOG_FORMAT }: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  output: NodeJS.WriteStream = process.stdout,
): NonNullable<FastifyServerOptions['logger']> {
  const isReadable = LOG_FORMAT === 'text' || (LOG_FORMAT === 'auto' && output.isTTY)
  const paint: Paint = (style, text) => styleText(style, text, { stream: output })
  return {
    level: LOG_LEVEL,
    serializers: { err: loggedError },
    redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
    ...(isReadable && { stream: { write: (entry) => void output.write(readable(entry, paint)) } }),
  }
}

type Entry = { level: number; time: number; msg?: string; err?: Logged; [field: string]: unknown }

/** An entry of pino as a line with the time of this machine; the stack of an error follows. */
function readable(entry: string, paint: Paint): string {
  const { level, time, msg = '', err, pid: _pid, hostname: _host, ...fields } = JSON.parse(entry) as Entry
  const [name, style] = LEVELS[level] ?? [String(level), 'dim']
  const shown = Object.entries(fields).map(
    ([field, value]) => `${paint('dim', `${withoutUnprintable(field)}=`)}${shownValue(value)}`,
  )
  const head = [paint('dim', clockOf(time)), paint(style, name.padEnd(5)), withoutUnprintable(msg), ...shown]
  return [head.join(' '), ...(err ? linesOf(err) : [])].map((line) => `${line}\n`).join('')
}

const two = (part: number) => String(part).padStart(2, '0')

function clockOf(time: number): string {
  const at = new Date(time)
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two)
  return `${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** A word as it is, anything else as JSON. */
function shownValue(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return withoutUnprintable(isWord ? value : JSON.stringify(value))
}

/** The error and its stack, then its cause. */
function linesOf({ type, message, stack, cause, code, constraint }: Logged, title = ''): string[] {
  const about = [code, constraint].filter((each) => each !== undefined).map((each) => ` (${String(each)})`)
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const own = [`${title}${type}: ${message}${about.join('')}`, ...frames.map((frame) => `  ${frame.trim()}`)]
  return [
    ...own.map((line) => `    ${withoutUnprintable(line)}`),
    ...(isLogged(cause) ? linesOf(cause, 'caused by ') : []),
  ]
}

const isLogged = (cause: unknown): cause is Logged =>
  typeof cause === 'object' && cause !== null && 'stack' in cause
