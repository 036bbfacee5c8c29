/**
 * The newest events, looked for once for everybody who follows them at this process. While nobody does,
 * nothing is asked. Looking is enough: told by NOTIFY we would know some 100 ms earlier, and every writer
 * would wait for every other at its commit (decision 0024).
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../database/database.ts'
import { written } from './enqueue.ts'
import { answerOf, cursorOf } from './log.ts'
import { type LoggedEvent, numberEvents, selectEvents } from './queries.ts'

/**
 * Between two looks, in ms: soon after this process wrote an event, which may not be
 * committed yet, then less often.
 */
const REST = { min: 25, max: 200 }
/** Newest events that are kept here; who has fallen further behind reads from the database. */
const KEPT = 1_000

/** An event of the log, and how the stream sends it. */
export type Fed = Pick<LoggedEvent, 'position' | 'systemId' | 'copy' | 'type'> & { frame: string }

export const fedOf = ({ position, systemId, copy, ...event }: LoggedEvent): Fed => ({
  position,
  systemId,
  copy,
  type: event.type,
  frame: `id: ${cursorOf(position)}\ndata: ${JSON.stringify(answerOf(event))}\n\n`,
})

export type Feed = {
  /** Begins to look; answers the newest position. Everyone who has joined leaves once. */
  join(): Promise<number>
  leave(): void
  /** The newest position that was seen. */
  newest(): number
  /** All events after a position, or undefined when some of them are not kept here any more. */
  since(position: number): Fed[] | undefined
  /**
   * Resolves when there is something after a position, after `ms`, or when the signal says so; never rejects.
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

  /** What was kept for earlier followers may have a gap behind it. */
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
      if (state.reachable) log.warn({ err: error }, 'the log of events can not be read; it is tried again')
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
