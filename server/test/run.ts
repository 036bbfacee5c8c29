/**
 * `npm test`: runs the tests in parts, on the embedded database and, those that use a database, on a
 * PostgreSQL server started for it. Tests that start server processes or a browser, and those of imported
 * hashes, have parts of their own; those that compare times run at the end. The output of each part is
 * printed after that of the part before. With DATABASE_URL runs once, on that server. Files or folders as
 * arguments limit the run: `npm test -- server/src/resources/roles`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { finished } from 'node:stream/promises'
import PQueue from 'p-queue'
import { startPostgres } from './support/postgres.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test', 'console/test', 'packaging']
/**
 * Tests that run once: of what is the same on both databases, and of the client's package, which is built in
 * its own folder and must not be built twice at the same time.
 */
const ONCE = matching(
  'server/src/ui/**',
  'server/src/commands/**',
  'server/src/http/schema-compilers.test.ts',
  'server/src/*.test.ts',
  'server/src/http/{ip-address,outbound*}.test.ts',
  'server/src/explain/explain.property.test.ts',
  'server/src/console/**',
  'server/src/http/openapi/**',
  'server/src/jobs/email/messages.test.ts',
  'server/src/self-service/browser.test.ts',
  'server/test/browser/**',
  'server/test/processes/{embedded-upgrade,readme}.test.ts',
  'sdk/test/**',
  'console/test/**',
  'packaging/**',
)

/**
 * Tests that run on PostgreSQL only: of deadlocks and concurrent changes, which PGlite executes one by one,
 * random ones, slow ones and those of many rows, which take two to three times as long there, of the clock of
 * the database, which is that of the process there, and those of processes, which start their own PostgreSQL
 * without DATABASE_URL.
 */
const POSTGRES_ALONE = matching(
  'server/src/authentication/{guessing,timing}.test.ts',
  'server/src/database/{deadlocks,lists}.test.ts',
  'server/src/http/quotas.test.ts',
  'server/src/jobs/backchannel-logout/backchannel-logout.test.ts',
  'server/src/jobs/webhooks/{deliver,fair-share,receivers}.test.ts',
  'server/src/journal/events/slow-readers.test.ts',
  'server/src/resources/memberships/{invariants,model}.test.ts',
  'server/src/lifecycle/import-users.test.ts',
  'server/src/resources/users/{proofs-after,scopes.property}.test.ts',
  'server/src/http/{reach,tenants}.property.test.ts',
  'server/test/processes/{backchannel,chaos-events,event-order,event-stream,faults,flood,locales}.test.ts',
  'server/test/processes/{neighbors,partitions,retention,rotate-secrets,revocation-across,two-processes,webhooks}.test.ts',
  'server/test/processes/{migrations,restarts,round-robin*,versions}.test.ts',
)

/** Tests that start server processes, each with a database of its own, or a browser. */
const APART = matching(
  'server/test/{processes,browser}/**',
  'server/src/ui/**',
  '{console/test,packaging}/**',
)

/** About half of the tests that run on both databases. */
const SIGN_IN = matching('server/src/{authentication,federation,interaction,oidc,recovery,self-service}/**')

/** Tests of imported hashes: after them, failed logins in their process take as long as these. */
const SLOWING = matching(
  'server/src/authentication/imported-hashes.test.ts',
  'server/src/lifecycle/import-users.test.ts',
)

/** Thousands of sign-ins, with password hashes that take no time. */
const CHEAP_HASHES = matching('server/src/resources/users/scopes.property.test.ts')

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

/** What is running, each with a process group of its own: its servers and browsers end with it. */
const running = new Set<ChildProcess>()

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-pid!, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // the group has ended
  }
}

/** 5 s, in ms: for PostgreSQL, browsers and servers to stop by themselves. */
const GRACE = 5_000
let isInterrupted = false
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    isInterrupted = true
    for (const child of running) {
      signal(child, 'SIGTERM')
      setTimeout(() => signal(child, 'SIGKILL'), GRACE)
    }
  })

type Result = { where: string; isPassed: boolean; output: string }

/** Runs a part, and prints its output at once or returns it only. */
async function runPart({ where, files, env }: Part, isPrinted: boolean): Promise<Result> {
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', '--test-timeout=300000']
  let output = ''
  const say = (text: string) => {
    output += text
    if (isPrinted) process.stdout.write(text)
  }
  say(`\n== The suite on ${where} ==\n`)
  if (isInterrupted) return { where, isPassed: false, output }
  const child = spawn(process.execPath, [...options, ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...env, NODE_ENV: 'test' },
  })
  running.add(child)
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say)
  const [code] = await once(child, 'exit')
  signal(child, 'SIGKILL') // a server that a test left running
  await Promise.all([child.stdout, child.stderr].map((stream) => finished(stream)))
  running.delete(child)
  say(`== ${code === 0 ? 'Passed' : 'FAILED'} on ${where} ==\n`)
  return { where, isPassed: code === 0, output }
}

/** Runs parts, three at a time: more would wait for the processor, and reach the timeouts of their tests. */
async function runParts(given: Part[]): Promise<Result[]> {
  const parts = given.filter(({ files }) => files.length > 0)
  const queue = new PQueue({ concurrency: 3 })
  const runs = parts.map((part, at) => queue.add(() => runPart(part, at === 0)))
  const results: Result[] = []
  for (const [at, run] of runs.entries()) {
    const result = await run
    if (at > 0) process.stdout.write(result.output)
    results.push(result)
  }
  return results
}

/** Prints the failed tests of all parts again, at the end, with their errors. */
function printFailures(results: Result[]): void {
  for (const { where, isPassed, output } of results) {
    const [, failures] = output.split('\n✖ failing tests:\n')
    if (!isPassed) process.stdout.write(`\n== Failed on ${where} ==\n${failures ?? output.slice(-4_000)}`)
  }
}

async function runOnBoth(files: string[], env: NodeJS.ProcessEnv): Promise<Result[]> {
  const beside = (file: string) => APART(file) || SLOWING(file) || CHEAP_HASHES(file)
  const onEmbedded = files.filter((file) => !POSTGRES_ALONE(file))
  const again = files.filter((file) => !ONCE(file) && !ALONE(file))
  const postgres = await startPostgres()
  const onPostgres = { ...env, DATABASE_URL: postgres.url }
  const embedded = onEmbedded.filter((file) => !beside(file))
  try {
    const results = await runParts([
      { where: 'PGlite, the embedded database', files: embedded.filter(SIGN_IN), env },
      { where: 'PGlite, with server processes', files: onEmbedded.filter(beside), env },
      { where: 'PostgreSQL', files: again.filter((file) => !beside(file)), env: onPostgres },
      { where: 'PostgreSQL, with server processes', files: again.filter(APART), env: onPostgres },
      { where: 'PGlite, the other half', files: embedded.filter((file) => !SIGN_IN(file)), env },
      { where: 'PostgreSQL, imported hashes', files: again.filter(SLOWING), env: onPostgres },
      {
        where: 'PostgreSQL, random interleavings',
        files: again.filter(CHEAP_HASHES),
        env: { ...onPostgres, NODE_OPTIONS: '--import=./server/test/support/cheap-hashes.ts' },
      },
    ])
    const alone = { where: 'PostgreSQL, alone', files: files.filter(ALONE), env: onPostgres }
    return [...results, ...(await runParts([alone]))]
  } finally {
    await postgres.close()
  }
}

process.chdir(ROOT)

const given = process.argv.slice(2)
const files = testFiles(given.length > 0 ? given : ALL)
const { DATABASE_URL, ...env } = process.env
if (given.length === 0)
  process.stdout.write(
    `Runs ${files.length} test files on ${DATABASE_URL ? 'the database of DATABASE_URL' : 'the embedded database and on a temporary PostgreSQL'}.\n` +
      'This takes about 25 minutes on two cores. Several parts run at the same time: the output of the first\n' +
      'part is printed at once, that of each other part when the part before has ended.\n',
  )
const results = DATABASE_URL
  ? await runParts([{ where: 'the PostgreSQL of DATABASE_URL', files, env: process.env }])
  : await runOnBoth(files, env)
printFailures(results)
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1
