/**
 * `npm run bench`: the cost per operation, compared with other servers. README.md explains the results.
 *
 *   --only LIST    of cc, refresh, sso, password, me, jwks, list, create, flood, ready, memory
 *   --check        compares with the ratios of ratios.json; exits with 1 if a path is slower, with 2 without
 *                  a verdict
 *   --record       measures as --check does, and writes ratios.json
 *   --rounds N     rounds per path (3; of --check 4)
 *   --seconds N    seconds per round (3)
 *   --users N      users in our database (10,000)
 *   --ours         no baselines
 *   --tree FOLDER  also measures the server of another checkout, as `other`
 *   --filled FOLDER  also measures ours on the database of `bench:fill --keep FOLDER`, on the same PostgreSQL
 *   --statements   prints the SQL of each path
 *   --metrics      ours measures for /metrics, other does not
 *   --nice=-N      raises the process priority (root only)
 *   --save         stores the results and draws the chart, as a complete run does
 */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../server/test/support/postgres.ts'
import { CHECKED, checkPaths } from './check.ts'
import { type Contender, ROOT, startBaseline, startOnFilled, startOurs } from './contenders.ts'
import { startDriver } from './drive.ts'
import { floodOf, readyTimesOf } from './extras.ts'
import { save } from './keep.ts'
import { changePriority, memoryOf, statementsOf } from './measure.ts'
import { PATHS } from './paths.ts'
import { printExtras, printHeading, printPath, printStatements } from './report.ts'
import type { Extras, Results, Runs } from './results.ts'
import { comparePath, type Entrant, type Machine, measureIdle } from './rounds.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    users: { type: 'string', default: '10000' },
    ours: { type: 'boolean', default: false },
    tree: { type: 'string' },
    filled: { type: 'string' },
    statements: { type: 'boolean', default: false },
    /** Measures our server only. */
    metrics: { type: 'boolean', default: false },
    nice: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
})
const isCheck = options.check || options.record
if (isCheck && (options.ours || options.tree || options.filled || options.save))
  throw new Error('--check and --record do not combine with --ours, --tree, --filled and --save')
const ALL = isCheck ? CHECKED : [...Object.keys(PATHS), 'flood', 'ready', 'memory']
const chosen = options.only?.split(',') ?? ALL
const unknown = chosen.filter((name) => !ALL.includes(name))
if (unknown.length > 0) throw new Error(`--only: unknown ${unknown.join(', ')}; allowed: ${ALL.join(', ')}`)
const whole = chosen.length === ALL.length && !options.ours && !options.tree && !options.filled
// An even number for the check: each server is the first one as often as the other.
const rounds = Number(options.rounds ?? (isCheck ? 4 : 3))
const length = { rounds, seconds: Number(options.seconds), workers: 16 }
const users = Number(options.users)
const POSTGRES = ['shared_buffers=512MB', 'shared_preload_libraries=pg_stat_statements']

async function startAll(postgresUrl: string): Promise<Entrant[]> {
  const given = { postgresUrl, workers: length.workers, users }
  const contenders: Contender[] = [await startOurs('ours', ROOT, { ...given, metrics: options.metrics })]
  if (options.filled) contenders.push(await startOnFilled(postgresUrl, given))
  if (options.tree) contenders.push(await startOurs('other', options.tree, given))
  if (!options.ours) contenders.push(await startBaseline('provider', given))
  if (!options.ours && !isCheck) contenders.push(await startBaseline('bare', given))
  return contenders.map((contender) => ({ contender, driver: startDriver() }))
}

async function runPaths(entrants: Entrant[], machine: Machine): Promise<Runs> {
  const paths: Runs = {}
  for (const path of Object.keys(PATHS).filter((name) => chosen.includes(name))) {
    if (options.nice) changePriority(machine.postgresPid, Number(options.nice))
    const runs = await comparePath(path, entrants, machine, length)
    paths[path] = runs
    printPath(path, runs)
    for (const { contender } of options.statements ? entrants : []) {
      const of = runs[contender.name]
      if (!of || !contender.database) continue
      process.stdout.write(`  SQL of ${contender.name}\n`)
      const operations = of.reduce((sum, { count }) => sum + count, 0)
      printStatements(await statementsOf(machine.observer, contender.database), operations)
    }
  }
  return paths
}

async function factsOf({ observer }: Machine) {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim()
  const { rows } = await observer.query<{ server_version: string }>('show server_version')
  return {
    date: new Date().toISOString(),
    commit,
    machine: {
      cpu: cpus()[0]!.model,
      cores: `${cpus().length} cores`,
      memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
      node: `Node ${process.versions.node}`,
      postgres: `PostgreSQL ${rows[0]!.server_version}`,
    },
    settings: { ...length, users, postgres: ['fsync=on', 'synchronous_commit=on', ...POSTGRES] },
  }
}
type Facts = Awaited<ReturnType<typeof factsOf>>

async function runAll(entrants: Entrant[], machine: Machine, facts: Facts): Promise<Results> {
  const extras: Extras = { flood: {}, ready: {}, memory: {} }
  if (chosen.includes('ready'))
    for (const { contender } of entrants) extras.ready[contender.name] = await readyTimesOf(contender)
  const idle = await measureIdle(entrants, machine.postgresPid)
  const memory = () =>
    Object.fromEntries(entrants.map(({ contender }) => [contender.name, memoryOf(contender.pid())]))
  const atFirst = memory()
  const paths = await runPaths(entrants, machine)
  if (chosen.includes('flood'))
    for (const entrant of entrants.filter(({ contender }) => contender.target.kind !== 'bare'))
      extras.flood[entrant.contender.name] = await floodOf(entrant, length.seconds, length.workers)
  if (chosen.includes('memory'))
    for (const [name, loaded] of Object.entries(memory()))
      extras.memory[name] = { idle: atFirst[name]!, loaded }
  printExtras(extras, idle)
  return { ...facts, idle, paths, extras }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const postgres = await startPostgres({
  durable: true,
  settings: POSTGRES,
  ...(options.filled && { keep: options.filled }),
})
const observer = new pg.Client({ connectionString: postgres.url })
let entrants: Entrant[] = []
try {
  if (options.nice) {
    changePriority(process.pid, Number(options.nice)) // processes started later inherit it
    process.once('exit', () => changePriority(process.pid, 0))
  }
  await observer.connect()
  await observer.query('create extension if not exists pg_stat_statements')
  entrants = await startAll(postgres.url)
  const machine = { postgresPid: postgres.pid(), observer }
  const facts = await factsOf(machine)
  printHeading(facts)
  if (isCheck) {
    if (options.nice) changePriority(machine.postgresPid, Number(options.nice))
    const { commit } = facts
    const given = { paths: chosen, entrants, machine, length, commit, isRecord: options.record }
    process.exitCode = await checkPaths(given)
  } else {
    const results = await runAll(entrants, machine, facts)
    if (whole || options.save) save(results)
  }
} finally {
  for (const { contender, driver } of entrants) {
    driver.stop()
    await contender.stop()
  }
  await observer.end()
  await postgres.close()
}
