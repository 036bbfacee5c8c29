/** The results of a benchmark run, as stored in `results/`. */

/**
 * One contender on one path for some seconds. Times in ms, CPU seconds per 1,000 operations, utilization in
 * cores.
 */
export type Run = {
  /** Number of successful and failed operations. */
  count: number
  failed: number
  perSecond: number
  p50: number
  p99: number
  serverCpu: number
  postgresCpu: number
  /** Per operation: SQL statements, statements that begin and end transactions, bytes of WAL. */
  statements: number
  brackets: number
  wal: number
  driverCores: number
  foreignCores: number
  /** Number of earlier operations of the path, which indicates whether the code has been compiled. */
  before: number
  /** Microseconds per P-256 signature, measured before the run. */
  calibration: number
}

/** The runs by path, then by contender. */
export type Runs = Record<string, Record<string, Run[]>>

/** Latency of one client of /token in ms, alone and during password sign-ins. */
export type Flood = { alone: Latency; flooded: Latency; loginsPerSecond: number; loginsRefused: number }
export type Latency = { p50: number; p99: number }

/** More results, by contender. */
export type Extras = {
  flood: Record<string, Flood>
  /** Time from each start to the first successful response, in ms. */
  ready: Record<string, number[]>
  /** Resident memory in MB: after the start, and after all other measurements. */
  memory: Record<string, { idle: number; loaded: number }>
}

export type Results = {
  date: string
  commit: string
  machine: Record<string, string | number>
  settings: Record<string, string | number | string[]>
  /** Cores in use by all contenders and by PostgreSQL without requests. */
  idle: Record<string, number>
  paths: Runs
  extras: Extras
}

/** Maximum use of other processes, in cores; above it a run is doubtful. */
const FOREIGN_MAX = 0.2
/** Maximum use of the driver, in cores; above it the driver is the bottleneck. */
const DRIVER_MAX = 0.9

/** Minimum number of earlier operations; below it Node has not compiled the code. */
const WARM = 500

/** The reasons why a run is doubtful. */
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

/** Ratio of a value of two contenders per round: median, minimum, maximum. */
export function ratio(of: readonly Run[], to: readonly Run[], value: (run: Run) => number) {
  const each = of.map((run, round) => value(run) / value(to[round]!))
  return { median: median(each), least: Math.min(...each), most: Math.max(...each) }
}
