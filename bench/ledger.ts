/** The recorded cost of each path beside oidc-provider, and the comparison of measured rounds with it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doubtsOf, median, type Run, wholeCpu } from './results.ts'

/** CPU time of the server and of PostgreSQL, divided by that of oidc-provider. */
type Entry = { ratio: number; date: string; commit: string }
/** By path. */
export type Ledger = Record<string, Entry>

/** A path is slower when its ratio is beyond this multiple of the recorded one. */
export const BOUND = 1.05
/** Part of the rounds that must be beyond the bound: single rounds differ by a tenth and more. */
const CLEAR = 0.75
/** Minimum number of rounds without a doubt. */
const USABLE_MIN = 3

export type Comparison = {
  /** Of the rounds that are not doubtful; NaN without any. */
  median: number
  least: number
  most: number
  usable: number
  rounds: number
  doubts: string[]
  verdict: 'within' | 'slower' | 'unclear'
}

/**
 * Compares the rounds of a path with its recorded ratio, if any. Round n of `ours` and round n of `provider`
 * were measured one after the other. `unclear`: more rounds, or a quieter machine, could decide.
 */
export function compare(
  recorded: number | undefined,
  ours: readonly Run[],
  provider: readonly Run[],
): Comparison {
  const rounds = ours.map((run, round) => {
    const other = provider[round]!
    return { ratio: wholeCpu(run) / wholeCpu(other), doubts: [...doubtsOf(run), ...doubtsOf(other)] }
  })
  const ratios = rounds.filter(({ doubts }) => doubts.length === 0).map(({ ratio }) => ratio)
  const middle = ratios.length > 0 ? median(ratios) : Number.NaN
  const isBeyond = (ratio: number) => recorded !== undefined && ratio > recorded * BOUND
  const isClear = ratios.filter(isBeyond).length >= ratios.length * CLEAR
  const beyond = isClear ? 'slower' : 'unclear'
  return {
    median: middle,
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    usable: ratios.length,
    rounds: rounds.length,
    doubts: [...new Set(rounds.flatMap(({ doubts }) => doubts))],
    verdict: ratios.length < USABLE_MIN ? 'unclear' : isBeyond(middle) ? beyond : 'within',
  }
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
