/**
 * The log as server-sent events (WHATWG HTML, section 9.2): at most once for each event on one connection, in
 * order, and without a gap from one connection to the next, since each has its cursor as its `id`.
 *
 * A reader pulls: what it has not taken yet is not read for it, so that one that is slow costs no memory, and
 * one that takes nothing for long is sent away. It comes back with its last cursor.
 */
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import type { Db } from '../../database/database.ts'
import { Failure, isDatabaseFault } from '../../errors.ts'
import { createFeed, type Fed, type Feed, fedOf } from './feed.ts'
import { cursorOf } from './log.ts'
import { type EventFilter, matches, readEvents } from './queries.ts'

/** At a process; each costs a connection and some 100 kB. */
const STREAMS_MAX = 1_000
/** Of these to one system, so that none keeps the others out. */
const STREAMS_OF_SYSTEM_MAX = 100
/**
 * 15 s, in ms: a proxy takes a connection for dead after 30 to 60 s. What the reader
 * may do is asked again as often.
 */
const HEARTBEAT = 15_000
/** 10 s, in ms: who takes nothing for so long while there is something is sent away. */
const BEHIND_MAX = 10_000
/** 1 s, in ms: how soon we notice that a reader has to go, and how long it has to take the last words. */
const SWEEP = 1_000
/** Events in one piece of what is sent. */
const PIECE = 100
/** 1 s, in ms: a reader whose connection ended should wait so long before it comes back. */
const RETRY = `retry: 1000\n`

export type Follower = {
  /** The system whose token reads; its streams are counted together. */
  caller: string
  filter: EventFilter
  /** Of the token. */
  expiresAt: Date
  /** Throws a Failure when the token would not be taken any more. */
  check(): Promise<void>
}

type Stream = Follower & {
  ending: AbortController
  body?: Readable
  handedOver: number | undefined
  endedAt: number | undefined
}

export type Streams = {
  /**
   * `after`: a position, or the newest. Refused as unavailable or too_many_requests when there are too many.
   */
  open(follower: Follower, after: number | undefined): Promise<{ body: Readable; close(): void }>
  /** Says goodbye to everybody. */
  stop(): Promise<void>
}

export function createStreams({ db, log }: { db: Db; log: FastifyBaseLogger }): Streams {
  const feed = createFeed({ db, log })
  const streams = new Set<Stream>()
  // In sequence: many clients that reconnect at once must not take all connections to the database.
  const readings = new PQueue({ concurrency: 1 })
  const readBack = (stream: Stream, position: number) =>
    readings.add(() => readEvents(db, stream.filter, position, feed.newest(), PIECE))
  let stopped = false

  const sweep = setInterval(() => {
    const now = Date.now()
    for (const stream of streams) {
      if (now >= stream.expiresAt.getTime()) end(stream)
      const behind = stream.handedOver !== undefined && now - stream.handedOver > BEHIND_MAX
      const late = stream.endedAt !== undefined && now - stream.endedAt > SWEEP
      if (behind || late) stream.body?.destroy()
    }
  }, SWEEP)
  sweep.unref()

  function end(stream: Stream): void {
    stream.endedAt ??= Date.now()
    stream.ending.abort()
  }

  function demandPlace(caller: string): void {
    if (stopped || streams.size >= STREAMS_MAX) throw new Failure('unavailable', { retryAfter: 5 })
    const own = [...streams].filter((stream) => stream.caller === caller).length
    if (own >= STREAMS_OF_SYSTEM_MAX)
      throw new Failure('too_many_requests', {
        detail: `This system has ${own} streams open already.`,
        retryAfter: 60,
      })
  }

  async function open(follower: Follower, after: number | undefined) {
    demandPlace(follower.caller)
    const stream: Stream = {
      ...follower,
      ending: new AbortController(),
      handedOver: undefined,
      endedAt: undefined,
    }
    streams.add(stream)
    try {
      const newest = await feed.join()
      const body = Readable.from(handOver(stream, frames(feed, readBack, stream, after ?? newest)), {
        objectMode: false,
      })
      stream.body = body
      body.once('close', () => {
        streams.delete(stream)
        feed.leave()
      })
      return { body, close: () => end(stream) }
    } catch (error) {
      streams.delete(stream)
      throw error
    }
  }

  return {
    open,
    async stop() {
      stopped = true
      clearInterval(sweep)
      for (const stream of streams) end(stream)
      const late = Date.now() + SWEEP
      while (streams.size > 0 && Date.now() < late) await pause(10)
      for (const stream of streams) stream.body?.destroy()
    },
  }
}

/** Notes since when what was handed over has not been taken. */
async function* handOver(stream: Stream, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    stream.handedOver = Date.now()
    yield piece
    stream.handedOver = undefined
  }
}

type ReadBack = (stream: Stream, position: number) => ReturnType<typeof readEvents>

/** What is sent, piece by piece, from a position on until the stream has to end. */
async function* frames(
  feed: Feed,
  readBack: ReadBack,
  stream: Stream,
  after: number,
): AsyncGenerator<string> {
  const { signal } = stream.ending
  let position = after
  let beat = Date.now() + HEARTBEAT
  yield `${RETRY}id: ${cursorOf(position)}\n\n`
  while (!signal.aborted) {
    const found = await next(feed, readBack, stream, position)
    position = found.position
    const due = found.events.filter((event) => matches(stream.filter, event))
    if (due.length > 0) yield due.map(({ frame }) => frame).join('')
    if (Date.now() >= beat) {
      if (!(await mayGoOn(stream))) break
      beat = Date.now() + HEARTBEAT
      // The cursor moves on, so that who comes back need not be led past what is not for it.
      yield `: still here\nid: ${cursorOf(position)}\n\n`
    }
    await feed.news(position, beat - Date.now(), signal)
  }
  yield `: goodbye\n${RETRY}\n`
}

/**
 * What comes after a position, as much as goes in one piece; of what the feed has not kept only what matches.
 */
async function next(
  feed: Feed,
  readBack: ReadBack,
  stream: Stream,
  position: number,
): Promise<{ events: Fed[]; position: number }> {
  const kept = feed.since(position)
  if (kept) {
    const events = kept.slice(0, PIECE)
    return { events, position: events.at(-1)?.position ?? position }
  }
  try {
    const page = await readBack(stream, position)
    return { events: page.rows.map(fedOf), position: page.next }
  } catch (error) {
    if (!isDatabaseFault(error)) throw error
    await pause(SWEEP, undefined, { signal: stream.ending.signal }).catch(() => {})
    return { events: [], position }
  }
}

/** A database that is away says nothing about the reader. */
async function mayGoOn({ check }: Stream): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    return isDatabaseFault(error) || (error instanceof Failure && error.code === 'unavailable')
  }
}
