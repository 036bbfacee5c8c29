/**
 * Measures one path after the other, alternating between the contenders, so that load on the machine affects
 * all of them.
 */
import type pg from 'pg'
import type { Contender } from './contenders.ts'
import type { Driver } from './drive.ts'
import { askedOf, busyTime, calibrate, cpuOf } from './measure.ts'
import { PATHS } from './paths.ts'
import type { Run } from './results.ts'

export type Entrant = { contender: Contender; driver: Driver }
export type Machine = { postgresPid: number; observer: pg.Client }
export type Length = { rounds: number; seconds: number; workers: number }

/**
 * Warm-up operations per path: Node recompiles hot code, and after 2,000 operations ours still took a third
 * more.
 */
const WARM_UP = { operations: 20_000, seconds: 30 }
/** Wait after a run, in ms, so that background work of the server is counted. */
const SETTLING_TIME = 300

const wait = (ms: number) => new Promise((passed) => setTimeout(passed, ms))

/** CPU time in seconds, by process. */
function clocks({ contender, driver }: Entrant, postgresPid: number) {
  const { user, system } = process.cpuUsage()
  return {
    time: performance.now() / 1_000,
    busy: busyTime(),
    server: cpuOf(contender.pid()),
    postgres: cpuOf(postgresPid),
    driver: cpuOf(driver.pid),
    us: (user + system) / 1e6,
  }
}

async function measure(
  entrant: Entrant,
  { postgresPid, observer }: Machine,
  seconds: number,
): Promise<Omit<Run, 'before'>> {
  const { database } = entrant.contender
  const asked = async () => (database ? askedOf(observer, database) : { statements: 0, brackets: 0, wal: 0 })
  const calibration = calibrate()
  const [askedBefore, before] = [await asked(), clocks(entrant, postgresPid)]
  const { count, failed, elapsed, p50, p99 } = await entrant.driver.run(seconds)
  await wait(SETTLING_TIME)
  const [after, askedAfter] = [clocks(entrant, postgresPid), await asked()]

  const used = (what: keyof typeof after) => after[what] - before[what]
  const each = (what: keyof typeof askedAfter) => (askedAfter[what] - askedBefore[what]) / count
  return {
    count,
    failed,
    perSecond: count / (elapsed / 1_000),
    p50,
    p99,
    serverCpu: (used('server') / count) * 1_000,
    postgresCpu: (used('postgres') / count) * 1_000,
    statements: each('statements'),
    brackets: each('brackets'),
    wal: each('wal'),
    driverCores: used('driver') / (elapsed / 1_000),
    foreignCores:
      Math.max(0, used('busy') - used('server') - used('postgres') - used('driver') - used('us')) /
      used('time'),
    calibration,
  }
}

async function warmUp(driver: Driver): Promise<number> {
  let operations = 0
  for (let second = 0; second < WARM_UP.seconds && operations < WARM_UP.operations; second += 1)
    operations += (await driver.run(1)).count
  return operations
}

export async function comparePath(
  path: string,
  entrants: Entrant[],
  machine: Machine,
  { rounds, seconds, workers }: Length,
): Promise<Record<string, Run[]>> {
  const taking = entrants.filter(({ contender }) => PATHS[path]!.of.includes(contender.target.kind))
  const runs = Object.fromEntries(taking.map(({ contender }) => [contender.name, [] as Run[]]))
  const done = new Map<string, number>()
  for (const { contender, driver } of taking) {
    await driver.prepare(contender.target, path, workers)
    done.set(contender.name, await warmUp(driver))
  }
  await machine.observer.query('select pg_stat_statements_reset()')
  for (let round = 0; round < rounds; round += 1) {
    // Every other round in reverse order, so that no contender always follows the same one.
    for (const entrant of round % 2 === 0 ? taking : taking.toReversed()) {
      const { name } = entrant.contender
      const [run, before] = [await measure(entrant, machine, seconds), done.get(name)!]
      runs[name]!.push({ ...run, before })
      done.set(name, before + run.count)
    }
  }
  for (const { driver } of taking) await driver.end()
  return runs
}

/** Duration of the idle measurement, in ms. */
const IDLE = 3_000

/** The idle cost: cores in use without requests. */
export async function measureIdle(entrants: Entrant[], postgresPid: number): Promise<Record<string, number>> {
  const look = () => [...entrants.map(({ contender }) => cpuOf(contender.pid())), cpuOf(postgresPid)]
  const before = look()
  await wait(IDLE)
  const names = [...entrants.map(({ contender }) => contender.name), 'postgres']
  return Object.fromEntries(
    look().map((used, index) => [names[index]!, (used - before[index]!) / (IDLE / 1_000)]),
  )
}
