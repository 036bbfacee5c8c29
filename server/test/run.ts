/**
 * `npm test`: runs the tests in parts, on the embedded database and, those that use a database, on a
 * PostgreSQL server started for it. Tests that start server processes or a browser, and those of imported
 * hashes, have parts of their own; those that compare times run at the end. The output of each part is
 * printed after that of the part before. With DATABASE_URL runs once, on that server. Files or folders as
 * arguments limit the run: `npm test -- server/src/resources/roles`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import PQueue from 'p-queue'
import { startPostgres } from './support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test']
/**
 * Tests that run once: of what is the same on both databases, and of the client's package, which is built in
 * its own folder and must not be built twice at the same time.
 */
const ONCE = matching(
  'server/src/{ui,tuning}/**',
  'server/src/*.test.ts',
  'server/src/http/{ip-address,outbound*}.test.ts',
  'server/src/http/openapi/**',
  'server/src/jobs/email/messages.test.ts',
  'server/src/self-service/browser.test.ts',
  'server/test/browser/**',
  'sdk/test/**',
)

/**
 * Tests that run on PostgreSQL only: of deadlocks, random ones that take two to three times as long on
 * PGlite, and those of processes, which start their own PostgreSQL without DATABASE_URL.
 */
const POSTGRES_ALONE = matching(
  'server/src/database/deadlocks.test.ts',
  'server/src/resources/users/scopes.property.test.ts',
  'server/src/http/reach.property.test.ts',
  'server/test/processes/{backchannel,chaos-events,event-order,event-stream,faults,flood,locales}.test.ts',
  'server/test/processes/{neighbors,retention,revocation-across,two-processes,webhooks}.test.ts',
  'server/test/processes/round-robin*.test.ts',
)

/** Tests that start server processes, each with a database of its own, or a browser. */
const APART = matching('server/test/{processes,browser}/**', 'server/src/ui/**')

/** About half of the tests that run on both databases. */
const SIGN_IN = matching('server/src/{authentication,federation,interaction,oidc,recovery,self-service}/**')

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

/** Files that one process runs, on one server and one database. */
type Part = { where: string; files: string[]; env: NodeJS.ProcessEnv }

/** Runs a part. Its output is returned, or printed at once. */
async function runPart(
  { where, files, env }: Part,
  isPrinted: boolean,
): Promise<{ isPassed: boolean; output: string }> {
  const heading = `\n== The suite on ${where} ==\n`
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', '--test-timeout=300000']
  const stdio = isPrinted ? 'inherit' : 'pipe'
  if (isPrinted) process.stdout.write(heading)
  const child = spawn(process.execPath, [...options, ...files], { stdio, env: { ...env, NODE_ENV: 'test' } })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => said.push(piece))
  const [code] = await once(child, 'close')
  const end = `== ${code === 0 ? 'Passed' : 'FAILED'} on ${where} ==\n`
  return { isPassed: code === 0, output: isPrinted ? end : `${heading}${Buffer.concat(said)}${end}` }
}

/** Runs parts, three at a time: more would wait for the processor, and reach the timeouts of their tests. */
async function runParts(parts: Part[]): Promise<boolean> {
  const queue = new PQueue({ concurrency: 3 })
  const runs = parts
    .filter(({ files }) => files.length > 0)
    .map((part, at) => queue.add(() => runPart(part, at === 0)))
  let isPassed = true
  for (const run of runs) {
    const part = await run
    process.stdout.write(part.output)
    isPassed &&= part.isPassed
  }
  return isPassed
}

async function runOnBoth(files: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const beside = (file: string) => APART(file) || SLOWING(file)
  const onEmbedded = files.filter((file) => !POSTGRES_ALONE(file))
  const again = files.filter((file) => !ONCE(file) && !ALONE(file))
  const postgres = await startPostgres()
  const onPostgres = { ...env, DATABASE_URL: postgres.url }
  const embedded = onEmbedded.filter((file) => !beside(file))
  try {
    const isPassed = await runParts([
      { where: 'PGlite, the embedded database', files: embedded.filter(SIGN_IN), env },
      { where: 'PGlite, with server processes', files: onEmbedded.filter(beside), env },
      { where: 'PostgreSQL', files: again.filter((file) => !beside(file)), env: onPostgres },
      { where: 'PGlite, the other half', files: embedded.filter((file) => !SIGN_IN(file)), env },
      { where: 'PostgreSQL, with server processes', files: again.filter(APART), env: onPostgres },
      { where: 'PostgreSQL, imported hashes', files: again.filter(SLOWING), env: onPostgres },
    ])
    const alone = { where: 'PostgreSQL, alone', files: files.filter(ALONE), env: onPostgres }
    return (await runParts([alone])) && isPassed
  } finally {
    await postgres.close()
  }
}

/** The terminal interrupts the suite too; wait for it, so that PostgreSQL is stopped. */
process.on('SIGINT', () => {})
process.chdir(ROOT)

const files = testFiles(process.argv.length > 2 ? process.argv.slice(2) : ALL)
const { DATABASE_URL: given, ...env } = process.env
const isPassed = given
  ? await runParts([{ where: 'the PostgreSQL of DATABASE_URL', files, env: process.env }])
  : await runOnBoth(files, env)
process.exitCode = isPassed ? 0 : 1
