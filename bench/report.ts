import type { Run } from './run.ts'

export const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

const COLUMNS: [string, (run: Run) => number, number][] = [
  ['req/s', (run) => run.perSecond, 0],
  ['p50 ms', (run) => run.p50, 1],
  ['p99 ms', (run) => run.p99, 1],
  ['CPU/1k', (run) => run.serverCpu, 3],
  ['PG/1k', (run) => run.postgresCpu, 3],
  ['SQL/op', (run) => run.statements, 2],
  ['driver', (run) => run.driverCores, 2],
  ['foreign', (run) => run.foreignCores, 2],
  ['calib', (run) => run.calibration, 1],
]

export function printPath(title: string, runs: Record<string, Run[]>): void {
  process.stdout.write(`\n${title.padEnd(28)}${COLUMNS.map(([name]) => name.padStart(9)).join('')}\n`)
  for (const [name, of] of Object.entries(runs)) {
    const cells = COLUMNS.map(([, value, digits]) => median(of.map(value)).toFixed(digits).padStart(9))
    process.stdout.write(`  ${name.padEnd(26)}${cells.join('')}\n`)
  }
}
