/** Rules for the code that a test can check. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { SETTINGS } from './config/config.ts'
import { getTableConfig, is, PgTable } from './database/drizzle.ts'
import * as schema from './database/schema.ts'
import { FAILURES } from './errors.ts'

const ROOT = join(import.meta.dirname, '../..')
const SRC = import.meta.dirname
const read = (file: string) => readFileSync(join(SRC, file), 'utf8')
const files = globSync('**/*.ts', { cwd: SRC }).sort()
const sources = files.filter((file) => !file.endsWith('.test.ts'))

/** Exceptions: the tables stay in one file, and the types of the client are generated. */
const LONG = ['server/src/database/schema.ts', 'sdk/src/api.ts']

test('a file has at most 400 lines', () => {
  const all = globSync(['{server,sdk,console}/{src,test}/**/*.{ts,tsx,css}', 'bench/*.ts'], { cwd: ROOT })
  const isLong = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length > 400

  assert.deepEqual(all.filter(isLong).sort(), LONG.toSorted())
})

const COLUMNS_MAX = 110
/** The kinds of tokens that the formatter cannot break. */
const LITERALS = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
])

/** Numbers of the lines with too many columns and without any part of a literal. */
function longLines(path: string): number[] {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  if (lines.every((line) => line.length <= COLUMNS_MAX)) return []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const withLiteral = new Set<number>()
  const visit = (node: ts.Node): void => {
    if (LITERALS.has(node.kind))
      for (let line = lineOf(node.getStart()); line <= lineOf(node.getEnd()); line++) withLiteral.add(line)
    ts.forEachChild(node, visit)
  }
  visit(source)
  const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line) && !line.includes('biome-ignore')
  return lines.flatMap((line, at) =>
    line.length > COLUMNS_MAX && (isComment(line) || !withLiteral.has(at)) ? [at + 1] : [],
  )
}

test('a line has at most 110 columns, unless a literal needs more', () => {
  const paths = globSync(['{server,sdk,bench,console,packaging,bin}/**/*.{ts,tsx,js,mjs,css}', '*.mjs'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**', 'sdk/src/api.ts'],
  })

  const long = paths.flatMap((path) => longLines(join(ROOT, path)).map((line) => `${path}:${line}`))

  assert.ok(paths.length > 0)
  assert.deepEqual(long, [])
})

/** Functions of a file with their number of lines, without those of inner functions. */
function functionLengths(file: string): { where: string; lines: number }[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const found: { where: string; lines: number }[] = []
  /** Visits the functions below a node. Returns the number of their lines. */
  const visit = (node: ts.Node): number => {
    let inner = 0
    ts.forEachChild(node, (child) => {
      inner += visit(child)
    })
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return inner
    const all = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1
    found.push({ where: `${file}:${lineOf(node.getStart())}`, lines: all - inner })
    return all
  }
  visit(source)
  return found
}

test('a function has at most 80 lines', () => {
  const long = sources.flatMap(functionLengths).filter(({ lines }) => lines > 80)

  assert.deepEqual(long, [])
})

test('no file or folder has an unspecific name such as utils or helpers', () => {
  assert.deepEqual(
    files.filter((file) => /(^|\/)(utils?|helpers?|common|shared|lib|misc)(\/|\.)/.test(file)),
    [],
  )
})

test('ARCHITECTURE.md names every layer and every file of routes', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const layers = new Set(sources.map((file) => file.replace(/\/.*|\.ts$/g, '')))
  const routes = sources.filter((file) => file.endsWith('/routes.ts'))

  assert.deepEqual(
    [...layers, ...routes].filter((name) => !text.includes(`\`${name}\``) && !text.includes(`\`${name}/`)),
    [],
  )
})

test('only the transaction and the time of a request are asynchronous contexts', () => {
  const holders = sources.filter((file) => /\bnew AsyncLocalStorage\b/.test(read(file)))

  assert.deepEqual(holders, ['database/transaction.ts', 'request-time.ts'])
})

/** Statements whose effect a pooler in transaction mode would leave to another client. */
const OF_SESSION =
  /\bpg_(try_)?advisory_(un)?lock(_shared)?\(|`(un)?listen |`notify |`(set (?!local )|prepare |deallocate |declare )|\bcreate temp|\bset_config\(/

test('no statement keeps state on a connection after its transaction', () => {
  assert.deepEqual(
    sources.filter((file) => OF_SESSION.test(read(file))),
    [],
  )
})

/** A schema beside the type of the same values, and equal parameters of several resources. */
const REPEATED = ['EventType', 'InSystem', 'OfAccount']

test('a name of an exported type or schema has one meaning in server/src', () => {
  const declared = sources.flatMap((file) => {
    const names = read(file).matchAll(/^export (?:type|interface|const|class) ([A-Z]\w*[a-z]\w*)/gm)
    return [...new Set(Array.from(names, ([, name]) => name!))].map((name) => ({ name, file }))
  })
  const repeated = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([name, places]) => places.length > 1 && !REPEATED.includes(name))
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)

  assert.deepEqual(repeated, [])
})

/** Caches by a client object of the library, which are not state of a request. */
const CACHES = ['oidc/clients/metadata.ts', 'oidc/provider/client-secrets.ts']

test('no WeakMap and no Symbol carries the state of a request in oidc/', () => {
  const holders = sources.filter(
    (file) => file.startsWith('oidc/') && /\bnew Weak(Map|Set)\b|\bSymbol(\.for)?\(/.test(read(file)),
  )

  assert.deepEqual(holders, CACHES)
})

/** Constraints that no request can violate, with the reason. */
const REFERRED_TO = 'holds with its primary key; other tables refer to it'
const RANDOM = 'of a random value: two are never the same'
const INTERNAL: Record<string, string> = {
  system_users_address: REFERRED_TO,
  roles_of_system: REFERRED_TO,
  profiles_of_system: REFERRED_TO,
  images_place: 'an image is stored while its system or account is row-locked (putImage)',
  founder_role_taken: 'the founder role is set while its system is row-locked (setFounderRole)',
  accounts_of_system: REFERRED_TO,
  memberships_of_system: REFERRED_TO,
  events_id: RANDOM,
  events_position: 'positions are given by one transaction at a time (numberEvents)',
  deliveries_once: 'what is queued already is left or queued again (on conflict)',
  one_time_tokens_hash: RANDOM,
  registrations_link: RANDOM,
  invitations_link: RANDOM,
  audit_link_place: 'blocks are closed by one transaction at a time (journal/audit/chain/extend.ts)',
  service_accounts_of_system: REFERRED_TO,
  connections_of_system: REFERRED_TO,
  connections_of_account: REFERRED_TO,
  service_accounts_client_id: RANDOM,
  service_account_keys_secret: RANDOM,
  invitations_accepted_by:
    'an invitation is accepted while its user is row-locked (lifecycle/accept-invitation.ts)',
  test_sign_ins_secret: RANDOM,
  artifacts_user_code: RANDOM,
  password_taken: 'a password is replaced while its user is row-locked (replaceHashOf)',
  blocks_authority: REFERRED_TO,
  kept_decisions_once: 'inserted with ON CONFLICT DO NOTHING',
  memberships_block: 'a block is written and deleted together with the status (memberships/queries.ts)',
  session_ends_job: 'a job and its end of sessions are inserted and deleted together',
  sessions_membership: 'a session is opened while its membership is row-locked (sessionOpened)',
}

test('every unique and foreign-key constraint has an error code or a documented reason', () => {
  const names = Object.values(schema).flatMap((table) => {
    if (!is(table, PgTable)) return []
    const { uniqueConstraints, indexes, foreignKeys } = getTableConfig(table)
    const uniqueIndexes = indexes.filter((index) => index.config.unique).map((index) => index.config.name)
    return [
      ...uniqueConstraints.map((each) => each.getName()),
      ...uniqueIndexes,
      ...foreignKeys.map((key) => key.getName()),
    ]
  })
  const known = (name: string | undefined) => name !== undefined && (name in FAILURES || name in INTERNAL)

  assert.deepEqual(
    [...new Set(names)].filter((name) => !known(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(INTERNAL).filter((name) => !names.includes(name) || name in FAILURES),
    [],
  )
})

test('every setting is used', () => {
  const text = sources
    .filter((file) => !file.startsWith('config'))
    .map(read)
    .join('\n')

  const unused = Object.keys(SETTINGS).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))

  assert.deepEqual(unused, [])
})
