/**
 * `npm test`: runs the tests in parts, four at a time, on a PostgreSQL server started for them and, those of
 * what differs between the databases, on the embedded database (parts.ts). `--all`, which is
 * `npm run test:all`, runs everything on both, and the deep tests. With DATABASE_URL runs once, there.
 * Files or folders as arguments limit the run: `npm test -- server/src/resources/roles`. `--record` stores
 * the time of each file, by which files are divided into parts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import PQueue from 'p-queue'
import { DURATIONS, isDeep, onePart, type Part, planParts } from './parts.ts'
import { createTemplate, type Postgres, startPostgres } from './support/postgres.ts'
import { processorTimeOfTree } from './support/processor-time.ts'
import type { TimedTest, TimesLine } from './times-reporter.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALL = ['server/src', 'server/test', 'sdk/test', 'console/test', 'packaging', 'bench']
/** Two cores are busy with four parts, since tests wait for servers, timers and the database. */
const CONCURRENCY = 4
/** How many of the slowest tests are listed. */
const SLOWEST = 10

/** The given files, and those of the given folders, of which deep ones only if `all` are wanted. */
function testFiles(given: string[], all: boolean): string[] {
  const files = given.flatMap((path) =>
    statSync(path).isDirectory()
      ? globSync(`${path}/**/*.test.ts`).filter((file) => all || !isDeep(file))
      : [path],
  )
  if (files.length === 0) throw new Error(`There is no test in ${given.join(', ')}.`)
  return files.sort()
}

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

/** `processor`: seconds of the test process, its servers and browsers. */
type Result = {
  part: Part
  isPassed: boolean
  output: string
  tests: TimedTest[]
  seconds: number
  processor: number
}

const times = mkdtempSync(join(tmpdir(), 'tenantry-times-'))
process.on('exit', () => rmSync(times, { recursive: true, force: true }))

function readTimes(file: string): { tests: TimedTest[]; processor: number } {
  const lines: TimesLine[] = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return {
    tests: lines.filter((line): line is TimedTest => 'file' in line),
    processor: lines.reduce((sum, line) => ('processor' in line ? sum + line.processor : sum), 0),
  }
}

async function runPart(part: Part, env: NodeJS.ProcessEnv): Promise<Result> {
  const result = { part, isPassed: false, output: '', tests: [], seconds: 0, processor: 0 }
  if (isInterrupted) return result
  const timesFile = join(times, crypto.randomUUID())
  const options = [
    ...['--test', '--test-isolation=none', '--test-timeout=300000'],
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=./server/test/times-reporter.ts', `--test-reporter-destination=${timesFile}`],
    ...(part.hasCheapHashes ? ['--import=./server/test/support/cheap-hashes.ts'] : []),
  ]
  const since = performance.now()
  const child = spawn(process.execPath, [...options, ...part.files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...env, NODE_ENV: 'test' },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = await once(child, 'exit')
  signal(child, 'SIGKILL') // a server that a test left running
  await Promise.all([child.stdout, child.stderr].map((stream) => finished(stream)))
  running.delete(child)
  const seconds = (performance.now() - since) / 1_000
  return { ...result, isPassed: code === 0, output, seconds, ...readTimes(timesFile) }
}

/** A line for each part; its whole output if it was asked for or the part failed. */
function print({ part, isPassed, output, tests, seconds, processor }: Result, isWhole: boolean): void {
  const counts = `${tests.length} tests, ${seconds.toFixed(0)} s, ${processor.toFixed(0)} s of processor time`
  process.stdout.write(`== ${isPassed ? 'Passed' : 'FAILED'}: ${part.where}: ${counts} ==\n`)
  if (isWhole) process.stdout.write(output)
  else if (!isPassed) process.stdout.write(output.split('\n✖ failing tests:\n')[1] ?? output.slice(-8_000))
}

async function runParts(
  parts: Part[],
  envOf: (part: Part) => NodeJS.ProcessEnv,
  isWhole: boolean,
): Promise<Result[]> {
  const queue = new PQueue({ concurrency: CONCURRENCY })
  return Promise.all(
    parts.map((part) =>
      queue.add(async () => {
        const result = await runPart(part, envOf(part))
        print(result, isWhole)
        return result
      }),
    ),
  )
}

/** The slowest tests, the time of everything, and the counts that close a run. */
function printSummary(results: Result[], postgres: number): void {
  const tests = results.flatMap((result) => result.tests)
  const slowest = tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  process.stdout.write('\nThe slowest tests:\n')
  for (const { seconds, file, name } of slowest)
    process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${file}: ${name}\n`)
  const processor = results.reduce((sum, result) => sum + result.processor, 0)
  const [all, own, database] = [performance.now() / 1_000, processor, postgres].map((time) => time.toFixed(0))
  process.stdout.write(`\n${all} s. Processor time: ${own} s of the tests, ${database} s of PostgreSQL.\n`)
  for (const { part } of results.filter(({ isPassed }) => !isPassed))
    process.stdout.write(`Failed: ${part.where}\n`)
  const passed = tests.filter(({ isPassed }) => isPassed).length
  process.stdout.write(`${passed} passed, ${tests.length - passed} failed\n`)
}

/** Stores the seconds of each file that ran on PostgreSQL, and keeps those of others that exist. */
function record(results: Result[]): void {
  const stored: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'))
  const kept = Object.entries(stored).filter(([file]) => statSync(file, { throwIfNoEntry: false }))
  const measured = new Map<string, number>()
  for (const { part, tests } of results)
    for (const { file, seconds } of tests.filter(({ file }) => file.endsWith('.test.ts')))
      if (!part.isEmbedded || !stored[file]) measured.set(file, (measured.get(file) ?? 0) + seconds)
  const all = Object.fromEntries([...kept, ...measured].map(([file, s]) => [file, Math.round(s * 10) / 10]))
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b)))
  writeFileSync(DURATIONS, `${JSON.stringify(sorted, null, 2)}\n`)
}

async function runOnTemporary(parts: Part[], env: NodeJS.ProcessEnv, isWhole: boolean): Promise<void> {
  let postgres: Postgres | undefined
  try {
    postgres = await startPostgres()
    const template = await createTemplate(postgres.url)
    const onPostgres = { ...env, DATABASE_URL: postgres.url, TEST_TEMPLATE: template }
    const envOf = (part: Part) => (part.isEmbedded ? env : onPostgres)
    finish(await runParts(parts, envOf, isWhole), processorTimeOfTree(postgres.pid()))
  } finally {
    await postgres?.close()
  }
}

function finish(results: Result[], postgres: number): void {
  printSummary(results, postgres)
  if (values.record) record(results)
  process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1
}

process.chdir(ROOT)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
})
const files = testFiles(positionals.length > 0 ? positionals : ALL, values.all)
const isPartial = positionals.length > 0
const { DATABASE_URL, ...rest } = process.env
const env = { ...rest, NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') }
if (values.all) Object.assign(env, { PROPERTY_RUNS: rest.PROPERTY_RUNS ?? '300' })

if (DATABASE_URL) {
  const part = onePart('the PostgreSQL of DATABASE_URL', files)
  finish(await runParts([part], () => ({ ...env, DATABASE_URL }), true), 0)
} else {
  const parts = planParts(files, values)
  if (!isPartial)
    process.stdout.write(`Runs ${files.length} test files in ${parts.length} parts, four at a time.\n\n`)
  await runOnTemporary(parts, env, isPartial)
}
