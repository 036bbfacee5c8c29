/** What a run of the bench has found, as it is kept in `results/`. */

/** One contender on one path for some seconds. Times in ms, processor seconds for 1,000 operations, use in cores. */
export type Run = {
  /** Operations that were answered as they should be, and those that were not. */
  count: number
  failed: number
  perSecond: number
  p50: number
  p99: number
  serverCpu: number
  postgresCpu: number
  /** Of one operation: SQL statements, those that open and close transactions, and bytes of WAL. */
  statements: number
  brackets: number
  wal: number
  driverCores: number
  foreignCores: number
  /** How many operations of the path the server had done before: it is compiled as it runs. */
  before: number
  /** Microseconds for a P-256 signature just before. */
  calibration: number
}

/** By path, then by contender. */
export type Runs = Record<string, Record<string, Run[]>>

/** Times in ms of one client of /token, alone and while others sign in with passwords. */
export type Flood = { alone: Latency; flooded: Latency; loginsPerSecond: number; loginsRefused: number }
export type Latency = { p50: number; p99: number }

/** By contender. */
export type Extras = {
  flood: Record<string, Flood>
  /** ms from the start to the first good answer, each of some starts. */
  ready: Record<string, number[]>
  /** Resident memory in MB: just started, and after everything else. */
  memory: Record<string, { idle: number; loaded: number }>
}

export type Results = {
  date: string
  commit: string
  machine: Record<string, string | number>
  settings: Record<string, string | number | string[]>
  /** Cores in use by all contenders, and by PostgreSQL, while nobody asks anything. */
  idle: Record<string, number>
  paths: Runs
  extras: Extras
}

/** Cores. What others use beyond it makes a run doubtful. */
const FOREIGN_MAX = 0.2
/** Cores. A driver that uses more measures itself. */
const DRIVER_MAX = 0.9

/** Operations. Node still interprets what was done less often. */
const WARM = 500

/** Why a run says little, if it does. */
export function doubtsOf({ foreignCores, driverCores, failed, before }: Run): string[] {
  return [
    ...(foreignCores > FOREIGN_MAX ? ['foreign'] : []),
    ...(driverCores > DRIVER_MAX ? ['driver'] : []),
    ...(before < WARM ? ['cold'] : []),
    ...(failed > 0 ? ['failed'] : []),
  ]
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

export const wholeCpu = ({ serverCpu, postgresCpu }: Run): number => serverCpu + postgresCpu

/** How a value of one contender stands to that of another, round by round: the median, the least, the most. */
export function ratio(of: readonly Run[], to: readonly Run[], value: (run: Run) => number) {
  const each = of.map((run, round) => value(run) / value(to[round]!))
  return { median: median(each), least: Math.min(...each), most: Math.max(...each) }
}
