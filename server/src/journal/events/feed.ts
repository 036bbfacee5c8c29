/**
 * The newest events, read by one polling loop for all streams of this process; without streams nothing is
 * polled. LISTEN/NOTIFY would be some 100 ms faster, but every NOTIFY takes a lock that serializes the
 * commits of all writers (decision 0024).
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../database/database.ts'
import { written } from './enqueue.ts'
import { type LoggedEvent, numberEvents, selectEvents } from './queries.ts'
import { answerOf, cursorOf } from './schemas.ts'

/**
 * Interval between polls, in ms: short after this process has written an event, which may not be committed
 * yet, then increasing.
 */
const PAUSE = { min: 25, max: 200 }
/** Number of newest events that are cached. A stream that is further behind reads from the database. */
const KEPT = 1_000

/** An event of the log with its frame of the stream. */
export type FeedEvent = Pick<LoggedEvent, 'position' | 'systemId' | 'copy' | 'type'> & { frame: string }

export const feedEventOf = ({ position, systemId, copy, ...event }: LoggedEvent): FeedEvent => ({
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
  since(position: number): FeedEvent[] | undefined
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
    kept: [] as FeedEvent[],
    pause: PAUSE.min,
    reachable: true,
  }
  const waiting = new Set<() => void>()
  let wake = () => {}
  let starting: Promise<void> = Promise.resolve()

  /**
   * Discards the events cached for earlier streams: events may be missing between them and the newest
   * position.
   */
  async function start(): Promise<void> {
    const { turn } = state
    const newest = await numberEvents(db)
    if (turn !== state.turn) return
    Object.assign(state, { from: newest, newest, kept: [], pause: PAUSE.min })
    void run(turn)
  }

  async function run(turn: number): Promise<void> {
    const soon = () => wake()
    written.on('event', soon)
    while (turn === state.turn) {
      if (await poll(turn)) state.pause = PAUSE.min
      else await pause()
    }
    written.off('event', soon)
  }

  /** Returns whether there were new events. */
  async function poll(turn: number): Promise<boolean> {
    try {
      const newest = await numberEvents(db)
      state.reachable = true
      if (newest === state.newest) return false
      const found = await selectEvents(db, state.newest, newest, KEPT)
      if (turn !== state.turn) return false
      state.kept.push(...found.map(feedEventOf))
      state.newest = found.length === KEPT ? found[KEPT - 1]!.position : newest
      if (state.kept.length > 2 * KEPT) {
        state.from = state.kept[state.kept.length - KEPT - 1]!.position
        state.kept = state.kept.slice(-KEPT)
      }
      for (const notify of waiting) notify()
      return true
    } catch (error) {
      if (state.reachable) log.warn({ err: error }, 'could not read the event log; retrying')
      state.reachable = false
      return false
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, state.pause)
      state.pause = Math.min(state.pause * 2, PAUSE.max)
      wake = () => {
        state.pause = PAUSE.min
        clearTimeout(timer)
        setTimeout(resolve, PAUSE.min)
      }
    })
  }

  function leave(): void {
    state.followers -= 1
    if (state.followers > 0) return
    state.turn += 1
    state.kept = []
    wake()
  }

  return {
    async join() {
      state.followers += 1
      if (state.followers === 1) starting = start()
      try {
        await starting
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
        const notify = () => {
          clearTimeout(timer)
          waiting.delete(notify)
          signal.removeEventListener('abort', notify)
          resolve()
        }
        const timer = setTimeout(notify, ms)
        waiting.add(notify)
        signal.addEventListener('abort', notify)
      })
    },
  }
}
