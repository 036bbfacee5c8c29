/**
 * Works off a table of things to do. Any number of processes share it: what one takes it has claimed for the length of a
 * lease, so what a dead process held is done by another.
 */
import type { FastifyBaseLogger } from 'fastify'

/** Between two looks into the table, in ms: soon after something was added, then less and less often. */
const REST = { min: 20, max: 1_000 }
/** 5 s, in ms: what is in hand has this long once we are asked to stop. */
const STOP_MAX = 5_000

export type Worker = {
  /** Something was added, or will be once its transaction commits: looking often for a moment finds it at once. */
  wake(): void
  /** Ends what is in hand and takes no more. What waits stays in the table. */
  stop(): Promise<void>
}

export type Task<Item> = {
  /** For the log: `mail`. */
  name: string
  /** At a time. */
  parallel: number
  /** Takes up to `limit` that are due, out of everybody else's sight. */
  claim(limit: number): Promise<Item[]>
  /** One attempt, and a note of what came of it. Never throws. */
  work(item: Item, ending: AbortSignal): Promise<void>
  log: FastifyBaseLogger
}

export function startWorker<Item>({ name, parallel, claim, work, log }: Task<Item>): Worker {
  const inHand = new Set<Promise<void>>()
  const ending = new AbortController()
  const state = { stopped: false, reachable: true, rest: REST.min, rouse: () => {} }

  async function run() {
    while (!state.stopped) {
      const items = inHand.size < parallel ? await take(parallel - inHand.size) : []
      for (const item of items) {
        const done = work(item, ending.signal).finally(() => {
          inHand.delete(done)
          state.rouse()
        })
        inHand.add(done)
      }
      if (items.length > 0) state.rest = REST.min
      else await rest()
    }
  }

  function rest(): Promise<void> {
    if (state.stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, state.rest)
      state.rest = Math.min(state.rest * 2, REST.max)
      state.rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Nothing while the database is away; said once, not every second. */
  async function take(limit: number): Promise<Item[]> {
    try {
      const items = await claim(limit)
      state.reachable = true
      return items
    } catch (error) {
      if (state.reachable) log.warn({ err: error }, `the ${name} queue can not be read; it is tried again`)
      state.reachable = false
      return []
    }
  }

  const running = run()
  return {
    wake() {
      state.rest = REST.min
      state.rouse()
    },
    async stop() {
      state.stopped = true
      state.rouse()
      const late = setTimeout(() => ending.abort(), STOP_MAX)
      await running
      await Promise.all(inHand)
      clearTimeout(late)
    },
  }
}
