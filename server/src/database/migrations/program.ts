/**
 * The migrations that this program contains: the files of server/migrations, in the order of their numbers.
 * The kind of a migration is in its name (docs/upgrades.md); `kinds.test.ts` compares it with the statements.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../config/config.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')

/** `init` creates the tables of the first release, and is applied to an empty database only. */
export const MIGRATION_KINDS = ['init', 'expand', 'fill', 'contract'] as const
export type Kind = (typeof MIGRATION_KINDS)[number]

export type Migration = {
  number: number
  /** The name of its file: 0001_expand_names. */
  name: string
  kind: Kind
  /** Its comment: what it does, for the plan. */
  effect: string
  /** SHA-256 of the file. */
  hash: string
  statements: string[]
  /**
   * Whether its statements run outside a transaction: they do not block queries, and each can be repeated.
   */
  isOnline: boolean
  /** The key whose order a fill follows; its one statement is for the rows with keys in ($1, $2]. */
  key?: { table: string; column: string }
}

export type Program = {
  version: string
  migrations: Migration[]
  /** The number of the newest migration of each release before this version, in ascending order. */
  releases: number[]
}

const NAME = /^(\d{4})_(init|expand|fill|contract)(_\w+)?$/
const ONLINE = /\bconcurrently\b|\bvalidate constraint\b/i
const KEY = /^key: (\w+)\.(\w+)$/

export function readMigration(name: string, text: string): Migration {
  const [, number, kind] = NAME.exec(name) ?? []
  if (!number) throw new Error(`${name} is not the name of a migration: 0001_expand_names.`)
  const [head = ''] = /^(?:-- .*\n)*/.exec(text) ?? []
  const notes = head.split('\n').map((line) => line.slice(3))
  const [, table, column] = notes.map((line) => KEY.exec(line)).find(Boolean) ?? []
  const statements = text
    .slice(head.length)
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter(Boolean)
  return {
    number: Number(number),
    name,
    kind: kind as Kind,
    effect: notes.filter((line) => line && !KEY.test(line)).join(' ') || 'Creates the tables.',
    hash: createHash('sha256').update(text).digest('hex'),
    statements,
    isOnline: statements.some((statement) => ONLINE.test(statement)),
    ...(table && column && { key: { table, column } }),
  }
}

type Journal = { entries: { tag: string }[] }

/** Reads the files of a folder, with the order of the journal that drizzle-kit writes. */
export function readProgram(folder = FOLDER, version = VERSION): Program {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const { entries } = JSON.parse(read('meta/_journal.json')) as Journal
  const releases = JSON.parse(read('releases.json')) as Record<string, number>
  return {
    version,
    migrations: entries.map(({ tag }) => readMigration(tag, read(`${tag}.sql`))),
    releases: Object.entries(releases)
      .filter(([released]) => released !== version)
      .map(([, newest]) => newest),
  }
}

let own: Program | undefined

/** The program of this version, whose files are read once. */
export const ownProgram = (): Program => {
  own ??= readProgram()
  return own
}
