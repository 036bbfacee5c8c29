/** `npm run bench`: what an operation costs us, beside what it costs others that do the same. README.md says how to read it. */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../server/test/postgres.ts'
import { type Contender, ROOT, startBaseline, startOurs } from './contenders.ts'
import { type Driver, startDriver } from './drive.ts'
import { busyTime, calibrate, countStatements, cpuOf } from './measure.ts'
import { PATHS } from './paths.ts'
import { printPath } from './report.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    users: { type: 'string', default: '10000' },
    ours: { type: 'boolean', default: false },
    tree: { type: 'string' },
  },
})
const [rounds, seconds, users] = [Number(options.rounds), Number(options.seconds), Number(options.users)]
const only = options.only?.split(',')
const names = Object.keys(PATHS).filter((name) => !only || only.includes(name))
const WORKERS = 16
/** Seconds before the first round of a path, for the compilers of Node and the caches of PostgreSQL. */
const WARM_UP = Math.min(2, seconds)
/** ms after a run: what the server still does for it is counted too. */
const AFTERMATH = 300
/** Cores. What others use beyond it makes a run doubtful. */
export const FOREIGN_MAX = 0.2

/** Times in ms; processor seconds, statements for 1,000 operations; cores in use. */
export type Run = {
  failed: number
  perSecond: number
  p50: number
  p99: number
  serverCpu: number
  postgresCpu: number
  statements: number
  driverCores: number
  foreignCores: number
  calibration: number
}

type Machine = { postgresPid: number; observer: pg.Client }

async function measure(driver: Driver, { pid, database }: Contender, { postgresPid, observer }: Machine): Promise<Run> {
  const calibration = calibrate()
  const look = async () => ({
    statements: database ? await countStatements(observer, database) : 0,
    time: performance.now(),
    busy: busyTime(),
    server: cpuOf(pid),
    postgres: cpuOf(postgresPid),
    driver: cpuOf(driver.pid),
    us: process.cpuUsage(),
  })
  const before = await look()
  const { count, failed, elapsed, p50, p99 } = await driver.run(seconds)
  await new Promise((passed) => setTimeout(passed, AFTERMATH))
  const after = await look()
  const used = (what: 'busy' | 'server' | 'postgres' | 'driver') => after[what] - before[what]
  const us = (after.us.user + after.us.system - before.us.user - before.us.system) / 1e6
  const whole = (after.time - before.time) / 1_000
  return {
    failed,
    perSecond: count / (elapsed / 1_000),
    p50,
    p99,
    serverCpu: (used('server') / count) * 1_000,
    postgresCpu: (used('postgres') / count) * 1_000,
    statements: (after.statements - before.statements) / count,
    driverCores: used('driver') / (elapsed / 1_000),
    foreignCores: Math.max(0, used('busy') - used('server') - used('postgres') - used('driver') - us) / whole,
    calibration,
  }
}

type Entrant = { contender: Contender; driver: Driver }

/** Rounds of one path, the contenders in turn: what the machine does meanwhile it does to all of them. */
async function comparePath(name: string, entrants: Entrant[], machine: Machine): Promise<Record<string, Run[]>> {
  const taking = entrants.filter(({ contender }) => PATHS[name]!.of.includes(contender.target.kind))
  const runs: Record<string, Run[]> = {}
  for (const { contender, driver } of taking) {
    await driver.prepare(contender.target, name, WORKERS)
    await driver.run(WARM_UP)
    runs[contender.name] = []
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, driver } of taking) runs[contender.name]!.push(await measure(driver, contender, machine))
  }
  for (const { driver } of taking) await driver.end()
  return runs
}

const SETTINGS = ['shared_buffers=512MB', 'shared_preload_libraries=pg_stat_statements']
const postgres = await startPostgres({ durable: true, settings: SETTINGS })
const entrants: Entrant[] = []
const observer = new pg.Client({ connectionString: postgres.url })
try {
  await observer.connect()
  await observer.query('create extension pg_stat_statements')
  const given = { postgresUrl: postgres.url, workers: WORKERS, users }
  const contenders = [startOurs('ours', ROOT, given)]
  if (options.tree) contenders.push(startOurs('other', options.tree, given))
  if (!options.ours) contenders.push(startBaseline('provider', given), startBaseline('bare', given))
  for (const contender of await Promise.all(contenders)) entrants.push({ contender, driver: startDriver() })
  for (const name of names) {
    const runs = await comparePath(name, entrants, { postgresPid: postgres.pid(), observer })
    printPath(PATHS[name]!.title, runs)
  }
} finally {
  for (const { contender, driver } of entrants) {
    driver.stop()
    await contender.stop()
  }
  await observer.end()
  await postgres.close()
}
