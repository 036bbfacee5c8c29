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

/**
 * The time of the first kind, and by how much each other kind differs from it, in ms. Each round measures
 * every kind once, and the differences are those within a round: other work of the machine lasts longer than
 * a round, and affects all of its requests. Every second round has the opposite order.
 */
async function measure(kinds: [string, Prepare][], rounds: number) {
  const samples: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const times: Record<string, number> = {}
    for (const [kind, prepare] of round % 2 ? kinds : kinds.toReversed()) times[kind] = await timeOf(prepare)
    samples.push(times)
  }
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

/** By how much the machine delays requests of one kind: their median, in relation to the quickest. */
export const slowdownOf = (times: number[]): number => median(times) / Math.min(...times)
