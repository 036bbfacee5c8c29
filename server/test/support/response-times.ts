/** Response times that must not differ: an attacker would learn from them which of several cases applies. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** Makes one request of a kind ready, and returns what sends it; only that is measured. */
type Prepare = () => Promise<() => Promise<unknown>>

/** 5 ms: less than half of a password hash, which is the smallest work that a response could reveal. */
const APART_MAX = 5
/** The greatest part of the time of the first kind, on a machine that is busy with other work. */
const SHARE_MAX = 0.2

const median = (samples: number[]) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)]!

async function timeOf(prepare: Prepare): Promise<number> {
  const send = await prepare()
  const begun = performance.now()
  await send()
  return performance.now() - begun
}

/** In ms. Each round measures every kind once; every second round has the opposite order. */
async function samplesOf(kinds: [string, Prepare][], rounds: number): Promise<Record<string, number>[]> {
  const samples: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const times: Record<string, number> = {}
    for (const [kind, prepare] of round % 2 ? kinds : kinds.toReversed()) times[kind] = await timeOf(prepare)
    samples.push(times)
  }
  return samples
}

/**
 * The time of the first kind, and by how much each other kind differs from it, in ms. The differences are
 * those within a round: other work of the machine lasts longer than a round, and affects all of its requests.
 */
async function measure(kinds: [string, Prepare][], rounds: number) {
  const samples = await samplesOf(kinds, rounds)
  const [[first], ...others] = kinds as [[string, Prepare], ...[string, Prepare][]]
  return {
    first: median(samples.map((times) => times[first]!)),
    apart: others.map(([kind]): [string, number] => [
      kind,
      median(samples.map((times) => times[kind]! - times[first]!)),
    ]),
  }
}

/**
 * Asserts that all kinds of requests take the same time. If they do not, they are measured once more with
 * three times as many rounds, and that result counts.
 */
export async function assertSameTime(
  t: TestContext,
  given: Record<string, Prepare>,
  { rounds, apartMax = APART_MAX }: { rounds: number; apartMax?: number },
): Promise<void> {
  const kinds = Object.entries(given)
  const isSame = ({ first, apart }: Awaited<ReturnType<typeof measure>>) =>
    apart.every(([, difference]) => Math.abs(difference) <= Math.max(apartMax, SHARE_MAX * first))
  let result = await measure(kinds, rounds)
  t.diagnostic(JSON.stringify(result))
  if (!isSame(result)) {
    result = await measure(kinds, 3 * rounds)
    t.diagnostic(JSON.stringify(result))
  }
  assert.ok(isSame(result), `in ms: ${JSON.stringify(result)}`)
}

/** The part of a time that no attacker can measure through a network and this machine. */
const TIE = 0.05
/** How often a time of one kind may be the longer one of a pair: half of the pairs if they are alike. */
const RANK = { min: 0.25, max: 0.75 }

/** The share of all pairs in which `one` is longer. Two times that are almost equal count as half. */
function rankOf(one: number[], other: number[]): number {
  const wins = one.flatMap((mine) =>
    other.map((theirs) =>
      Math.abs(mine - theirs) <= TIE * Math.min(mine, theirs) ? 0.5 : mine > theirs ? 1 : 0,
    ),
  )
  return wins.reduce<number>((sum, win) => sum + win, 0) / wins.length
}

/**
 * Asserts that the times of all kinds have the same distribution as those of the first, by their ranks
 * (Mann and Whitney). If they do not, they are measured once more with twice as many rounds.
 */
export async function assertSameDistribution(
  t: TestContext,
  given: Record<string, Prepare>,
  { rounds }: { rounds: number },
): Promise<void> {
  const ranks = async (times: number) => {
    const samples = await samplesOf(Object.entries(given), times)
    const [first, ...others] = Object.keys(given) as [string, ...string[]]
    const of = (kind: string) => samples.map((sample) => sample[kind]!)
    const found = others.map((kind): [string, number] => [kind, rankOf(of(kind), of(first))])
    t.diagnostic(JSON.stringify({ median: median(of(first)), longer: Object.fromEntries(found) }))
    return found.filter(([, rank]) => rank < RANK.min || rank > RANK.max)
  }
  if ((await ranks(rounds)).length > 0) assert.deepEqual(await ranks(2 * rounds), [])
}

/** The delay of requests of one kind by the machine: their median, in relation to the quickest. */
export const slowdownOf = (times: number[]): number => median(times) / Math.min(...times)
