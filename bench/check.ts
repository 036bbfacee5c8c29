/** `--check` and `--record`: measures the paths beside oidc-provider, for the ledger. */
import { type Batch, BOUND, type Comparison, compare, readLedger, writeLedger } from './ledger.ts'
import { PATHS } from './paths.ts'
import { printChecked, printCheckHeading } from './report.ts'
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
  const batches: Batch[] = []
  for (;;) {
    const { ours = [], provider = [] } = await comparePath(path, entrants, machine, length)
    batches.push({ ours, provider })
    const comparison = compare(isRecord ? undefined : recorded, batches)
    if (batches.length === BATCHES || (comparison.verdict === 'within' && !isRecord)) return comparison
    for (const { contender } of entrants) await contender.restart()
  }
}

/** Returns the exit code: 1 if a path is slower, 2 without a verdict on each path. Ends at a noisy one. */
export async function checkPaths(given: Given): Promise<number> {
  const ledger = readLedger()
  const by: Record<Comparison['verdict'], string[]> = { within: [], slower: [], unclear: [], noisy: [] }
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  printCheckHeading()
  for (const path of given.paths) {
    const recorded = ledger[path]?.ratio
    const comparison = await measurePath(path, recorded, given)
    const { verdict, median } = comparison
    by[verdict].push(path)
    printChecked(path, recorded, comparison)
    if (verdict === 'noisy') break
    const date = new Date().toISOString().slice(0, 10)
    if (given.isRecord) ledger[path] = { ratio: Number(median.toFixed(2)), date, commit: given.commit }
  }
  if (given.isRecord) {
    writeLedger(ledger)
    say(`\nRecorded: ${by.within.join(', ') || 'none'}.`)
  }
  if (by.slower.length > 0) say(`\nBeyond ${BOUND} times the recorded ratio: ${by.slower.join(', ')}.`)
  if (by.unclear.length > 0) say(`\nNo verdict, the rounds differ too much: ${by.unclear.join(', ')}.`)
  if (by.noisy.length > 0)
    say('\nEnded without a verdict: the machine is too noisy. Repeat it while nothing else runs.')
  return by.slower.length > 0 ? 1 : by.unclear.length + by.noisy.length > 0 ? 2 : 0
}
