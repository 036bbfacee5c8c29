/**
 * The worker loop of the queues: email, webhooks, back-channel logout, background jobs. A queue is a database
 * table that any number of processes share: a claim leases a row, and when a process dies another one claims
 * its rows after the lease.
 */
import type { FastifyBaseLogger } from 'fastify'

/** Interval between claims, in ms: doubled while the queue is empty. */
const POLL = { min: 20, max: 1_000 }
/** 5 s, in ms: how long running items may take after `stop`. */
const STOP_MAX = 5_000

export type Worker = {
  /** Polls at the shortest interval again: a row was inserted. */
  wake(): void
  /** Waits for running items and claims no more. Pending rows stay in the table. */
  stop(): Promise<void>
}

export type Queue<Item> = {
  /** Its name in log messages: `email`. */
  name: string
  /** Items that run at the same time. */
  concurrency: number
  /** Leases up to `limit` items that are due. */
  claim(limit: number): Promise<Item[]>
  /** Makes one attempt and stores its outcome. Must not throw. */
  run(item: Item, ending: AbortSignal): Promise<void>
  log: FastifyBaseLogger
}

export function startWorker<Item>({ name, concurrency, claim, run, log }: Queue<Item>): Worker {
  const running = new Set<Promise<void>>()
  const ending = new AbortController()
  const state = { stopped: false, reachable: true, interval: POLL.min, continue: () => {} }

  async function loop() {
    while (!state.stopped) {
      const items = running.size < concurrency ? await claimUpTo(concurrency - running.size) : []
      for (const item of items) {
        const done = run(item, ending.signal).finally(() => {
          running.delete(done)
          state.continue()
        })
        running.add(done)
      }
      if (items.length > 0) state.interval = POLL.min
      else await pause()
    }
  }

  function pause(): Promise<void> {
    if (state.stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, state.interval)
      state.interval = Math.min(state.interval * 2, POLL.max)
      state.continue = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Empty while the database is unreachable, which is logged once. */
  async function claimUpTo(limit: number): Promise<Item[]> {
    try {
      const items = await claim(limit)
      state.reachable = true
      return items
    } catch (error) {
      if (state.reachable) log.warn({ err: error }, `cannot read the ${name} queue; retrying`)
      state.reachable = false
      return []
    }
  }

  const looping = loop()
  return {
    wake() {
      state.interval = POLL.min
      state.continue()
    },
    async stop() {
      state.stopped = true
      state.continue()
      const late = setTimeout(() => ending.abort(), STOP_MAX)
      await looping
      await Promise.all(running)
      clearTimeout(late)
    },
  }
}
