/**
 * The newest events, read by one polling loop for all streams of this process; without streams nothing is
 * polled. LISTEN/NOTIFY would be some 100 ms faster, but every NOTIFY takes a lock that serializes the
 * commits of all writers (decision 0024).
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../database/database.ts'
import { written } from './enqueue.ts'
import { answerOf, cursorOf } from './log.ts'
import { type LoggedEvent, numberEvents, selectEvents } from './queries.ts'

/**
 * Interval between polls, in ms: short after this process has written an event, which may not be committed
 * yet, then increasing.
 */
const REST = { min: 25, max: 200 }
/** Number of newest events that are cached. A stream that is further behind reads from the database. */
const KEPT = 1_000

/** An event of the log with its frame of the stream. */
export type Fed = Pick<LoggedEvent, 'position' | 'systemId' | 'copy' | 'type'> & { frame: string }

export const fedOf = ({ position, systemId, copy, ...event }: LoggedEvent): Fed => ({
  position,
  systemId,
  copy,
  type: event.type,
  frame: `id: ${cursorOf(position)}\ndata: ${JSON.stringify(answerOf(event))}\n\n`,
})

export type Feed = {
  /** Starts polling and returns the newest position. Call `leave` once for each `join`. */
  join(): Promise<number>
  leave(): void
  /** The newest position that was read. */
  newest(): number
  /** All events after a position; undefined if some of them are no longer cached. */
  since(position: number): Fed[] | undefined
  /**
   * Resolves when there is an event after a position, after `ms`, or when the signal aborts. Never rejects.
   */
  news(position: number, ms: number, signal: AbortSignal): Promise<void>
}

export function createFeed({ db, log }: { db: Db; log: FastifyBaseLogger }): Feed {
  const state = {
    followers: 0,
    turn: 0,
    from: 0,
    newest: 0,
    kept: [] as Fed[],
    rest: REST.min,
    reachable: true,
  }
  const waiting = new Set<() => void>()
  let rouse = () => {}
  let beginning: Promise<void> = Promise.resolve()

  /**
   * Discards the events cached for earlier streams: events may be missing between them and the newest
   * position.
   */
  async function begin(): Promise<void> {
    const { turn } = state
    const newest = await numberEvents(db)
    if (turn !== state.turn) return
    Object.assign(state, { from: newest, newest, kept: [], rest: REST.min })
    void run(turn)
  }

  async function run(turn: number): Promise<void> {
    const soon = () => rouse()
    written.on('event', soon)
    while (turn === state.turn) {
      if (await look(turn)) state.rest = REST.min
      else await rest()
    }
    written.off('event', soon)
  }

  /** Whether there was something new. */
  async function look(turn: number): Promise<boolean> {
    try {
      const newest = await numberEvents(db)
      state.reachable = true
      if (newest === state.newest) return false
      const found = await selectEvents(db, state.newest, newest, KEPT)
      if (turn !== state.turn) return false
      state.kept.push(...found.map(fedOf))
      state.newest = found.length === KEPT ? found[KEPT - 1]!.position : newest
      if (state.kept.length > 2 * KEPT) {
        state.from = state.kept[state.kept.length - KEPT - 1]!.position
        state.kept = state.kept.slice(-KEPT)
      }
      for (const tell of waiting) tell()
      return true
    } catch (error) {
      if (state.reachable) log.warn({ err: error }, 'could not read the event log; retrying')
      state.reachable = false
      return false
    }
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, state.rest)
      state.rest = Math.min(state.rest * 2, REST.max)
      rouse = () => {
        state.rest = REST.min
        clearTimeout(timer)
        setTimeout(resolve, REST.min)
      }
    })
  }

  function leave(): void {
    state.followers -= 1
    if (state.followers > 0) return
    state.turn += 1
    state.kept = []
    rouse()
  }

  return {
    async join() {
      state.followers += 1
      if (state.followers === 1) beginning = begin()
      try {
        await beginning
      } catch (error) {
        leave()
        throw error
      }
      return state.newest
    },
    leave,
    newest: () => state.newest,
    since(position) {
      if (position < state.from) return undefined
      return state.kept.slice(state.kept.findLastIndex((event) => event.position <= position) + 1)
    },
    news(position, ms, signal) {
      if (position < state.newest || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const tell = () => {
          clearTimeout(timer)
          waiting.delete(tell)
          signal.removeEventListener('abort', tell)
          resolve()
        }
        const timer = setTimeout(tell, ms)
        waiting.add(tell)
        signal.addEventListener('abort', tell)
      })
    },
  }
}
