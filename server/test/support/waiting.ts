import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The limit of `t.waitFor` for what a server does soon: 2 minutes, in ms. A busy machine may delay
 * everything; a test that passes waits no longer than it must.
 */
export const SOON = { timeout: 120_000 }

/**
 * Whether `work` ends before a timer that starts now. `ms`: a time by which `work` has not ended if it waits
 * for what it must not wait for, not a time that an idle machine needs.
 */
export async function endsBefore(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController()
  const timer = sleep(ms, false, { signal: late.signal })
  timer.catch(() => {}) // aborted
  return Promise.race([work.then(() => true), timer]).finally(() => late.abort())
}

/**
 * Sends `count` requests at once and returns their answers. One that has waited too long for a row that the
 * others lock (503) has changed nothing, and is repeated, as a client does.
 */
export const concurrently = <T extends { status: number }>(count: number, ask: (nth: number) => Promise<T>) =>
  Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      let answer = await ask(nth)
      while (answer.status === 503) answer = await ask(nth)
      return answer
    }),
  )
