/** What is no matter of operations a second: tokens while many sign in, the time to be ready, memory. */
import type { Contender } from './contenders.ts'
import { startDriver } from './drive.ts'
import type { Flood } from './results.ts'
import type { Entrant } from './rounds.ts'

/** How often a server is started. */
const STARTS = 5

/** One client of /token, alone and then beside `workers` clients who sign in with passwords without a pause. */
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

/** ms to the first good answer, on a database that has its tables. */
export async function readyTimesOf(contender: Contender): Promise<number[]> {
  const times = []
  for (let start = 0; start < STARTS; start += 1) times.push(await contender.restart())
  return times
}
