/** The recorded cost of each path beside oidc-provider, and the comparison of measured rounds with it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doubtsOf, median, type Run, wholeCpu } from './results.ts'

/** CPU time of the server and of PostgreSQL, divided by that of oidc-provider. */
type Entry = { ratio: number; date: string; commit: string }
/** The entries by path. */
export type Ledger = Record<string, Entry>

/** A path is slower when its ratio is beyond this multiple of the recorded one. */
export const BOUND = 1.05
/** Part of the rounds that must be beyond the bound: single rounds differ by a tenth and more. */
const CLEAR = 0.75
/** Part of the rounds of a batch that must be free of doubt: if fewer are, those are disturbed as well. */
const QUIET = 0.75

/** Rounds without a pause. Round n of both servers was measured one after the other. */
export type Batch = { ours: readonly Run[]; provider: readonly Run[] }

export type Comparison = {
  /** The median of the rounds that count; NaN without any. */
  median: number
  least: number
  most: number
  counted: number
  rounds: number
  doubts: string[]
  /** `unclear`: the median is beyond the bound, but too few rounds are. `noisy`: no round counts. */
  verdict: 'within' | 'slower' | 'unclear' | 'noisy'
}

/** Compares a path with its recorded ratio, if any. Doubtful rounds and noisy batches do not count. */
export function compare(recorded: number | undefined, batches: readonly Batch[]): Comparison {
  const rounds = batches.map(({ ours, provider }) =>
    ours.map((run, round) => {
      const other = provider[round]!
      return { ratio: wholeCpu(run) / wholeCpu(other), doubts: [...doubtsOf(run), ...doubtsOf(other)] }
    }),
  )
  const ratios = rounds.flatMap((batch) => {
    const usable = batch.filter(({ doubts }) => doubts.length === 0)
    return usable.length >= batch.length * QUIET ? usable.map(({ ratio }) => ratio) : []
  })
  const all = rounds.flat()
  const middle = ratios.length > 0 ? median(ratios) : Number.NaN
  return {
    median: middle,
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    counted: ratios.length,
    rounds: all.length,
    doubts: [...new Set(all.flatMap(({ doubts }) => doubts))],
    verdict: verdictOf(middle, ratios, (recorded ?? Number.POSITIVE_INFINITY) * BOUND),
  }
}

function verdictOf(middle: number, ratios: readonly number[], bound: number): Comparison['verdict'] {
  if (ratios.length === 0) return 'noisy'
  if (middle <= bound) return 'within'
  return ratios.filter((ratio) => ratio > bound).length >= ratios.length * CLEAR ? 'slower' : 'unclear'
}

const FILE = join(import.meta.dirname, 'ratios.json')

export const readLedger = (): Ledger => JSON.parse(readFileSync(FILE, 'utf8')) as Ledger

/** One line for each path, so that a diff shows what has changed. */
export function writeLedger(ledger: Ledger): void {
  const lines = Object.entries(ledger).map(
    ([path, { ratio, date, commit }]) =>
      `  "${path}": { "ratio": ${ratio}, "date": "${date}", "commit": "${commit}" }`,
  )
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
}
