/** `--check` and `--record`: measures the paths beside oidc-provider, for the ledger. */
import { BOUND, type Comparison, compare, readLedger, writeLedger } from './ledger.ts'
import { PATHS } from './paths.ts'
import { printChecked, printCheckHeading } from './report.ts'
import type { Run } from './results.ts'
import { comparePath, type Entrant, type Length, type Machine } from './rounds.ts'

/** The paths that oidc-provider has as well. */
export const CHECKED = Object.keys(PATHS).filter((path) => PATHS[path]!.of.includes('provider'))
/** How often a path is measured at most, each time on restarted servers: compiled code differs by start. */
const BATCHES = 3

type Given = {
  paths: string[]
  entrants: Entrant[]
  machine: Machine
  length: Length
  commit: string
  isRecord: boolean
}

/** Measures a path again while it is not within the bound; for a record in any case. */
async function measurePath(path: string, recorded: number | undefined, given: Given): Promise<Comparison> {
  const { entrants, machine, length, isRecord } = given
  const [ours, provider]: [Run[], Run[]] = [[], []]
  for (let batch = 1; ; batch += 1) {
    const runs = await comparePath(path, entrants, machine, length)
    ours.push(...runs.ours!)
    provider.push(...runs.provider!)
    const comparison = compare(isRecord ? undefined : recorded, ours, provider)
    if (batch === BATCHES || (comparison.verdict === 'within' && !isRecord)) return comparison
    for (const { contender } of entrants) await contender.restart()
  }
}

/** Returns the exit code: 1 if a path is slower, 2 if there is no verdict on one. */
export async function checkPaths(given: Given): Promise<number> {
  const ledger = readLedger()
  const by: Record<Comparison['verdict'], string[]> = { within: [], slower: [], unclear: [] }
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  printCheckHeading()
  for (const path of given.paths) {
    const recorded = ledger[path]?.ratio
    const comparison = await measurePath(path, recorded, given)
    const { verdict, median } = comparison
    by[verdict].push(path)
    printChecked(path, recorded, comparison)
    if (!given.isRecord || verdict === 'unclear') continue
    const date = new Date().toISOString().slice(0, 10)
    ledger[path] = { ratio: Number(median.toFixed(2)), date, commit: given.commit }
  }
  if (given.isRecord) writeLedger(ledger)
  if (given.isRecord) say(`\nRecorded: ${by.within.join(', ') || 'none'}.`)
  if (by.slower.length > 0) say(`\nBeyond ${BOUND} times the recorded ratio: ${by.slower.join(', ')}.`)
  if (by.unclear.length > 0)
    say(`\nThe machine was too noisy for ${by.unclear.join(', ')}. Repeat it while nothing else runs.`)
  return by.slower.length > 0 ? 1 : by.unclear.length > 0 ? 2 : 0
}
