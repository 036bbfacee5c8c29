/**
 * `npm test`: runs the suite on the embedded database and, concurrently, the tests that use a database on a
 * PostgreSQL server started for it. Beside them run the tests that start server processes or a browser, and
 * those of imported hashes; those that compare times run at the end. The output of each part is printed after
 * that of the part before. With DATABASE_URL runs once, on that server. Files or folders as
 * arguments limit the run: `npm test -- server/src/resources/roles`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { startPostgres } from './support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test']
/**
 * Tests that run once: those that do not depend on the database, and the client's package, which is built in
 * its own folder and must not be built twice at the same time.
 */
const ONCE = matching(
  'server/src/{ui,tuning}/**',
  'server/src/*.test.ts',
  'server/src/http/{ip-address,outbound*}.test.ts',
  'server/src/jobs/email/messages.test.ts',
  'server/src/self-service/browser.test.ts',
  'server/test/browser/**',
  'sdk/test/**',
)

/**
 * Tests that run on PostgreSQL only: a random one that takes three times as long on PGlite, and those of
 * processes, which start their own without DATABASE_URL.
 */
const POSTGRES_ALONE = matching(
  'server/src/database/deadlocks.test.ts',
  'server/src/resources/users/scopes.property.test.ts',
  'server/test/processes/{backchannel,chaos-events,event-order,event-stream,faults,flood,locales}.test.ts',
  'server/test/processes/{neighbors,retention,revocation-across,two-processes,webhooks}.test.ts',
  'server/test/processes/round-robin*.test.ts',
)

/** Tests that start server processes, each with a database of its own, or a browser. */
const APART = matching('server/test/{processes,browser}/**', 'server/src/ui/**')

/** Tests of imported hashes: after them, failed logins in their process take as long as these. */
const SLOWING = matching(
  'server/src/authentication/imported-hashes.test.ts',
  'server/src/resources/users/{import,scopes.property}.test.ts',
)

/** Compares times, beside and without the noise of another tenant: runs when the other tests have ended. */
const ALONE = matching('server/test/processes/neighbors.test.ts')

function matching(...patterns: string[]): (file: string) => boolean {
  return (file) => patterns.some((pattern) => matchesGlob(file, pattern))
}

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
  const onEmbedded = files.filter((file) => !POSTGRES_ALONE(file))
  const embedded = runSuite(
    'PGlite, the embedded database',
    onEmbedded.filter((file) => !APART(file) && !SLOWING(file)),
    env,
  )
  const apart = onEmbedded.filter((file) => APART(file) || SLOWING(file))
  const processes = runSuite('PGlite, with server processes', apart, env, embedded)
  const postgres = await startPostgres()
  try {
    const again = files.filter((file) => !ONCE(file))
    const onPostgres = { ...env, DATABASE_URL: postgres.url }
    const others = again.filter((file) => !APART(file) && !SLOWING(file))
    const same = runSuite('PostgreSQL', others, onPostgres, processes)
    const slowing = runSuite('PostgreSQL, imported hashes', again.filter(SLOWING), onPostgres, same)
    // More at the same time would only wait for the processor.
    await processes
    const across = again.filter((file) => APART(file) && !ALONE(file))
    const more = runSuite('PostgreSQL, with server processes', across, onPostgres, slowing)
    passed.push(...(await Promise.all([embedded, processes, same, slowing, more])))
    passed.push(await runSuite('PostgreSQL, alone', again.filter(ALONE), onPostgres))
  } finally {
    await postgres.close()
  }
}
process.exitCode = passed.every(Boolean) ? 0 : 1
