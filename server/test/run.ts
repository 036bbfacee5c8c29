/**
 * `npm test`: the whole suite on the embedded database and, beside it, all of it that uses one on a PostgreSQL server started
 * for it; what that says is printed when the first is through. With DATABASE_URL once, on that server. Files or folders as
 * arguments narrow the run: `npm test -- server/src/roles`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test']
/**
 * One run of them says all: what touches no database (pages and their axe, addresses and outgoing calls, the tree), and the
 * client's package, which is built in its place: two that build it at once take it from each other.
 */
const ONCE =
  /^(server\/src\/(ui\/.*|tuning\/compiled|jobs\/email\/messages|http\/limits\/network|http\/outbound(-\w+)?)|server\/test\/shape|sdk\/test\/package)\.test\.ts$/

/** They start a PostgreSQL of their own where none is given: several processes on one database, the database taken away. */
const POSTGRES_ALONE =
  /^server\/test\/processes\/(backchannel|chaos-events|event-order|event-stream|faults|flood|retention|revocation-across|round-robin(-\w+)?|two-processes|webhooks)\.test\.ts$/

/** Every test file below the folders and files given. */
function testFiles(given: string[]): string[] {
  const files = given.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path],
  )
  if (files.length === 0) throw new Error(`There is no test in ${given.join(', ')}.`)
  return files.sort()
}

/** Answers whether all passed, when `turn` has come and all was said. */
async function runSuite(
  where: string,
  files: string[],
  env: NodeJS.ProcessEnv,
  turn?: Promise<unknown>,
): Promise<boolean> {
  if (files.length === 0) return true
  // One process for all files: they share a database, and a process for each would spend its time starting.
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', '--test-timeout=120000']
  const stdio = turn ? 'pipe' : 'inherit'
  if (!turn) process.stdout.write(`\n== The suite on ${where} ==\n`)
  const child = spawn(process.execPath, [...options, ...files], { stdio, env: { ...env, NODE_ENV: 'test' } })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => said.push(part))
  const [code] = await once(child, 'close')
  if (turn) {
    await turn
    process.stdout.write(`\n== The suite on ${where} ==\n${Buffer.concat(said)}`)
  }
  process.stdout.write(`== ${code === 0 ? 'Passed' : 'FAILED'} on ${where} ==\n`)
  return code === 0
}

/** The terminal sends its interrupt to the suite as well; we wait for it, so that what we started is taken down. */
process.on('SIGINT', () => {})
process.chdir(ROOT)

const files = testFiles(process.argv.length > 2 ? process.argv.slice(2) : ALL)
const { DATABASE_URL: given, ...env } = process.env
const passed: boolean[] = []
if (given) {
  passed.push(await runSuite('the PostgreSQL of DATABASE_URL', files, process.env))
} else {
  const embedded = runSuite(
    'PGlite, the embedded database',
    files.filter((file) => !POSTGRES_ALONE.test(file)),
    env,
  )
  const postgres = await startPostgres()
  try {
    const again = files.filter((file) => !ONCE.test(file))
    const withUrl = { ...env, DATABASE_URL: postgres.url }
    passed.push(...(await Promise.all([embedded, runSuite('PostgreSQL', again, withUrl, embedded)])))
  } finally {
    await postgres.close()
  }
}
process.exitCode = passed.every(Boolean) ? 0 : 1
