/** Measurements other than throughput: token latency during sign-ins, startup time, memory. */
import type { Contender } from './contenders.ts'
import { startDriver } from './drive.ts'
import type { Flood } from './results.ts'
import type { Entrant } from './rounds.ts'

/** Number of starts per server. */
const STARTS = 5

/**
 * One client of /token, alone and then together with `workers` clients that sign in with passwords
 * continuously.
 */
export async function floodOf(
  { contender, driver }: Entrant,
  seconds: number,
  workers: number,
): Promise<Flood> {
  const crowd = startDriver()
  try {
    await driver.prepare(contender.target, 'cc', 1)
    await driver.run(1)
    const alone = await driver.run(seconds)
    await crowd.prepare(contender.target, 'password', workers)
    const logins = crowd.run(seconds + 1)
    await new Promise((passed) => setTimeout(passed, 500))
    const [flooded, { perSecond, failed }] = await Promise.all([driver.run(seconds), logins.then(rateOf)])
    await driver.end()
    const of = ({ p50, p99 }: { p50: number; p99: number }) => ({ p50, p99 })
    return { alone: of(alone), flooded: of(flooded), loginsPerSecond: perSecond, loginsRefused: failed }
  } finally {
    crowd.stop()
  }
}

const rateOf = ({ count, elapsed, failed }: { count: number; elapsed: number; failed: number }) => ({
  perSecond: count / (elapsed / 1_000),
  failed,
})

/** Time to the first successful response, in ms, on a migrated database. */
export async function readyTimesOf(contender: Contender): Promise<number[]> {
  const times = []
  for (let start = 0; start < STARTS; start += 1) times.push(await contender.restart())
  return times
}
