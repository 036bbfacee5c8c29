import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The limit of `t.waitFor` for what a server does soon: 60 s, in ms. A busy machine may delay everything; a
 * test that passes waits no longer than it must.
 */
export const SOON = { timeout: 60_000 }

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
