/** The results as a table. */
import type { Comparison } from './ledger.ts'
import type { Stated } from './measure.ts'
import { PATHS } from './paths.ts'
import { doubtsOf, type Extras, median, type Results, type Run, ratio, wholeCpu } from './results.ts'

const CALLED: Record<string, string> = {
  filled: 'ours, filled',
  provider: 'oidc-provider',
  bare: 'bare node:http',
  postgres: 'PostgreSQL',
}
const print = (line: string) => void process.stdout.write(`${line}\n`)
const called = (name: string) => CALLED[name] ?? name

/** Heading, value, decimal places. */
const COLUMNS: [string, (run: Run) => number, number][] = [
  ['ops/s', (run) => run.perSecond, 0],
  ['p50 ms', (run) => run.p50, 1],
  ['p99 ms', (run) => run.p99, 1],
  ['CPU/1k', (run) => run.serverCpu, 3],
  ['PG/1k', (run) => run.postgresCpu, 3],
  ['SQL/op', (run) => run.statements, 1],
  ['tx/op', (run) => run.brackets, 1],
  ['WAL/op', (run) => run.wal, 0],
  ['driver', (run) => run.driverCores, 2],
  ['foreign', (run) => run.foreignCores, 2],
  ['sign us', (run) => run.calibration, 0],
]

export function printHeading({
  machine,
  settings,
  commit,
}: Pick<Results, 'machine' | 'settings' | 'commit'>): void {
  print(`${commit} on ${Object.values(machine).join(', ')}`)
  print(
    `${settings.rounds} rounds of ${settings.seconds} s, ${settings.workers} connections; medians; CPU in seconds for 1,000 operations`,
  )
}

/** `runs`: the runs of one path. The last column names doubtful runs and the reasons. */
export function printPath(path: string, runs: Record<string, Run[]>): void {
  print(`\n${PATHS[path]!.title.padEnd(28)}${COLUMNS.map(([name]) => name.padStart(9)).join('')}  doubtful`)
  for (const [name, of] of Object.entries(runs)) {
    const cells = COLUMNS.map(([, value, digits]) => median(of.map(value)).toFixed(digits).padStart(9))
    const doubts = of.map(doubtsOf)
    const doubtful = doubts.filter((each) => each.length > 0).length
    const why =
      doubtful === 0 ? '' : `  ${doubtful} of ${of.length}: ${[...new Set(doubts.flat())].join(', ')}`
    print(`  ${called(name).padEnd(26)}${cells.join('')}${why}`)
  }
  const { ours } = runs
  for (const other of ['filled', 'other', 'provider'])
    if (ours && runs[other]) printRatios(ours, runs[other], other)
}

const RATIOS: [string, (run: Run) => number][] = [
  ['CPU and PG', wholeCpu],
  ['CPU', (run) => run.serverCpu],
  ['PG', (run) => run.postgresCpu],
  ['p50', (run) => run.p50],
]

/** Ratios per round, which cancel out the load of the machine. */
function printRatios(ours: Run[], others: Run[], other: string): void {
  const cells = RATIOS.filter(([, value]) => others.every((run) => value(run) > 0)).map(([name, value]) => {
    const { median, least, most } = ratio(ours, others, value)
    return `${name} ${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`
  })
  print(`  ours / ${called(other)}: ${cells.join(', ')}`)
}

/** The most expensive statements, per operation. */
export function printStatements(statements: Stated[], operations: number): void {
  const shown = statements.filter(({ calls }) => calls >= operations / 20)
  for (const { query, calls, ms, wal } of shown) {
    const [time, bytes] = [((ms / calls) * 1_000).toFixed(0), (wal / calls).toFixed(0)]
    print(
      `    ${(calls / operations).toFixed(2)} x ${time.padStart(5)} us ${bytes.padStart(5)} bytes of WAL  ${query.slice(0, 160)}`,
    )
  }
}

/** `idle`: cores in use without requests. */
export function printExtras({ flood, ready, memory }: Extras, idle: Record<string, number>): void {
  const shares = Object.entries(idle).map(([name, cores]) => `${called(name)} ${(cores * 100).toFixed(1)} %`)
  print(`\ncores in use without requests: ${shares.join(', ')}`)
  const latency = ({ p50, p99 }: { p50: number; p99: number }) =>
    `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`
  for (const [name, { alone, flooded, loginsPerSecond, loginsRefused }] of Object.entries(flood)) {
    const logins = `${loginsPerSecond.toFixed(0)} logins/s${loginsRefused > 0 ? `, ${loginsRefused} refused` : ''}`
    print(
      `\nclient credentials, ${called(name)}: alone ${latency(alone)}; while 16 sign in ${latency(flooded)} (${logins})`,
    )
  }
  for (const [name, times] of Object.entries(ready))
    print(`\nready, ${called(name)}: ${median(times).toFixed(0)} ms, of ${times.length}`)
  for (const [name, { idle, loaded }] of Object.entries(memory))
    print(`\nmemory, ${called(name)}: ${idle.toFixed(0)} MB idle, ${loaded.toFixed(0)} MB after load`)
}

const CHECK_COLUMNS = ['recorded', 'measured', 'least', 'most', 'rounds']

export function printCheckHeading(): void {
  const columns = CHECK_COLUMNS.map((name) => name.padStart(9)).join('')
  print(`\n${'ours / oidc-provider, CPU'.padEnd(28)}${columns}  verdict`)
}

/** `recorded`: the ratio, if there is one. */
export function printChecked(path: string, recorded: number | undefined, found: Comparison): void {
  const { median, least, most, counted, rounds, doubts, verdict } = found
  const ratios = [recorded, ...(counted > 0 ? [median, least, most] : [undefined, undefined, undefined])]
  const cells = [...ratios.map((ratio) => ratio?.toFixed(2) ?? '-'), String(counted)]
  const left = rounds - counted
  const why = left > 0 ? `; ${left} of ${rounds} rounds do not count: ${doubts.join(', ')}` : ''
  print(
    `  ${PATHS[path]!.title.padEnd(26)}${cells.map((cell) => cell.padStart(9)).join('')}  ${verdict}${why}`,
  )
}
