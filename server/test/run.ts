/**
 * `npm test`: runs the suite on the embedded database and, concurrently, the tests that use a database on a
 * PostgreSQL server started for it. On the embedded database the tests that start server processes run beside
 * the others. The output of each part is printed after that of the part before. With DATABASE_URL runs once,
 * on that server. Files or folders as arguments limit the run: `npm test -- server/src/resources/roles`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test']
/**
 * Tests that run once: those without a database, and the client's package, which is built in its own folder
 * and must not be built twice at the same time.
 */
const ONCE =
  /^(server\/src\/(ui\/.*|tuning\/schema-compilers|jobs\/email\/messages|http\/ip-address|http\/outbound(-\w+)?)|server\/src\/(shape|table-writers|threats|resources\/users\/scopes\.property)|sdk\/test\/package)\.test\.ts$/

/** Tests that need PostgreSQL and start their own without DATABASE_URL. */
const POSTGRES_ALONE =
  /^server\/test\/processes\/(backchannel|chaos-events|event-order|event-stream|faults|flood|locales|retention|revocation-across|round-robin(-\w+)?|two-processes|webhooks)\.test\.ts$/

/** Tests that start server processes, each with a database of its own. */
const PROCESSES = /^server\/test\/processes\//

/** All test files in the given folders and files. */
function testFiles(given: string[]): string[] {
  const files = given.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path],
  )
  if (files.length === 0) throw new Error(`There is no test in ${given.join(', ')}.`)
  return files.sort()
}

/** Runs the files and returns whether all passed. With `turn`, the output is printed after that promise. */
async function runSuite(
  where: string,
  files: string[],
  env: NodeJS.ProcessEnv,
  turn?: Promise<unknown>,
): Promise<boolean> {
  if (files.length === 0) {
    await turn
    return true
  }
  // One process for all files: they share a server and a database.
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', '--test-timeout=300000']
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

/** The terminal interrupts the suite too; wait for it, so that PostgreSQL is stopped. */
process.on('SIGINT', () => {})
process.chdir(ROOT)

const files = testFiles(process.argv.length > 2 ? process.argv.slice(2) : ALL)
const { DATABASE_URL: given, ...env } = process.env
const passed: boolean[] = []
if (given) {
  passed.push(await runSuite('the PostgreSQL of DATABASE_URL', files, process.env))
} else {
  const onEmbedded = files.filter((file) => !POSTGRES_ALONE.test(file))
  const embedded = runSuite(
    'PGlite, the embedded database',
    onEmbedded.filter((file) => !PROCESSES.test(file)),
    env,
  )
  const processes = runSuite(
    'PGlite, with server processes',
    onEmbedded.filter((file) => PROCESSES.test(file)),
    env,
    embedded,
  )
  const postgres = await startPostgres()
  try {
    const again = files.filter((file) => !ONCE.test(file))
    const withUrl = { ...env, DATABASE_URL: postgres.url }
    passed.push(
      ...(await Promise.all([embedded, processes, runSuite('PostgreSQL', again, withUrl, processes)])),
    )
  } finally {
    await postgres.close()
  }
}
process.exitCode = passed.every(Boolean) ? 0 : 1
