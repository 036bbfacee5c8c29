/**
 * The event log as server-sent events (WHATWG HTML, section 9.2). On one connection each event is sent at
 * most once and in order. The `id` of an event is its cursor, so a client that reconnects misses nothing.
 *
 * The next events are read only after the client has received the previous ones, so a slow client costs no
 * memory. A client that receives nothing for too long is disconnected and reconnects with its last cursor.
 */
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { queueInTurns } from '../../crypto/gate.ts'
import type { Db } from '../../database/database.ts'
import { isDatabaseFault } from '../../database/faults.ts'
import { Failure } from '../../errors.ts'
import { createFeed, type Feed, type FeedEvent, feedEventOf } from './feed.ts'
import { type EventFilter, matches, readEvents } from './queries.ts'
import { cursorOf } from './schemas.ts'

/** Per process. Each stream costs a connection and some 100 kB. */
const STREAMS_MAX = 1_000
/** Per system, so that one system cannot use up all streams. */
const STREAMS_OF_SYSTEM_MAX = 100
/** 15 s, in ms: proxies close idle connections after 30 to 60 s. */
const HEARTBEAT = 15_000
/** 10 s, in ms: a client that receives nothing for this time, although data is waiting, is disconnected. */
const BEHIND_MAX = 10_000
/**
 * 1 s, in ms: the interval at which streams to close are found, and the time in which a client can receive
 * the last frame.
 */
const SWEEP = 1_000
/** 500 ms: the interval at which the tokens of all streams are checked again, with two statements. */
const RECHECK = 500
/** The maximum number of events in one chunk. */
const CHUNK = 100
/** 1 s, in ms: how long a disconnected client waits before it reconnects. */
const RETRY = `retry: 1000\n`

export type Follower = {
  /** The system of the token; streams are counted per system. */
  caller: string
  filter: EventFilter
  /** The expiry of the token. */
  expiresAt: Date
  request: FastifyRequest
}

/** Returns the requests whose token is no longer accepted. */
export type Recheck = (requests: FastifyRequest[]) => Promise<Set<FastifyRequest>>

type Stream = Follower & {
  ending: AbortController
  body?: Readable
  sentAt: number | undefined
  endedAt: number | undefined
}

export type Streams = {
  /**
   * `after`: the position to continue after; by default the newest. Throws `unavailable` or
   * `too_many_requests` if too many streams are open.
   */
  open(follower: Follower, after: number | undefined): Promise<{ body: Readable; close(): void }>
  /** Ends all streams with a last frame. */
  stop(): Promise<void>
}

type StreamParts = { db: Db; log: FastifyBaseLogger; recheck: Recheck }

export function createStreams({ db, log, recheck }: StreamParts): Streams {
  const feed = createFeed({ db, log })
  const streams = new Set<Stream>()
  // They are read in sequence: many clients that reconnect at once must not use all database connections.
  const reads = queueInTurns(1)
  const readBack = (stream: Stream, position: number) =>
    reads.add(() => readEvents(db, stream.filter, position, feed.newest(), CHUNK), { tenant: stream.caller })
  let stopped = false

  const sweep = setInterval(() => {
    const now = Date.now()
    for (const stream of streams) {
      if (now >= stream.expiresAt.getTime()) end(stream)
      const behind = stream.sentAt !== undefined && now - stream.sentAt > BEHIND_MAX
      const late = stream.endedAt !== undefined && now - stream.endedAt > SWEEP
      if (behind || late) stream.body?.destroy()
    }
  }, SWEEP)
  sweep.unref()

  let checking = false
  const endUnauthorized = async () => {
    if (checking || streams.size === 0) return
    checking = true
    try {
      const refused = await recheck([...streams].map(({ request }) => request))
      for (const stream of streams) if (refused.has(stream.request)) end(stream)
    } catch (error) {
      // An unavailable database does not invalidate a token.
      if (!isDatabaseFault(error)) log.error({ err: error }, 'the tokens of event streams cannot be checked')
    } finally {
      checking = false
    }
  }
  const rechecks = setInterval(() => void endUnauthorized(), RECHECK)
  rechecks.unref()

  function end(stream: Stream): void {
    stream.endedAt ??= Date.now()
    stream.ending.abort()
  }

  function demandCapacity(caller: string): void {
    if (stopped || streams.size >= STREAMS_MAX) throw new Failure('unavailable', { retryAfter: 5 })
    const own = [...streams].filter((stream) => stream.caller === caller).length
    if (own >= STREAMS_OF_SYSTEM_MAX)
      throw new Failure('too_many_requests', {
        detail: `This system has ${own} streams open already.`,
        retryAfter: 60,
      })
  }

  async function open(follower: Follower, after: number | undefined) {
    demandCapacity(follower.caller)
    const stream: Stream = {
      ...follower,
      ending: new AbortController(),
      sentAt: undefined,
      endedAt: undefined,
    }
    streams.add(stream)
    try {
      const newest = await feed.join()
      const body = Readable.from(trackSends(stream, frames(feed, readBack, stream, after ?? newest)), {
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
      clearInterval(rechecks)
      for (const stream of streams) end(stream)
      const late = Date.now() + SWEEP
      while (streams.size > 0 && Date.now() < late) await pause(10)
      for (const stream of streams) stream.body?.destroy()
    },
  }
}

/** Records since when a chunk has been waiting to be received. */
async function* trackSends(stream: Stream, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    stream.sentAt = Date.now()
    yield piece
    stream.sentAt = undefined
  }
}

type ReadBack = (stream: Stream, position: number) => ReturnType<typeof readEvents>

/** The chunks of a stream from a position, until the stream has to end. */
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
      beat = Date.now() + HEARTBEAT
      // The cursor advances, so that a client that reconnects does not scan events of others again.
      yield `: still here\nid: ${cursorOf(position)}\n\n`
    }
    await feed.news(position, beat - Date.now(), signal)
  }
  yield `: goodbye\n${RETRY}\n`
}

/** The next chunk after a position. From the cache: all events; from the database: only those that match. */
async function next(
  feed: Feed,
  readBack: ReadBack,
  stream: Stream,
  position: number,
): Promise<{ events: FeedEvent[]; position: number }> {
  const kept = feed.since(position)
  if (kept) {
    const events = kept.slice(0, CHUNK)
    return { events, position: events.at(-1)?.position ?? position }
  }
  try {
    const page = await readBack(stream, position)
    return { events: page.rows.map(feedEventOf), position: page.next }
  } catch (error) {
    if (!isDatabaseFault(error)) throw error
    await pause(SWEEP, undefined, { signal: stream.ending.signal }).catch(() => {})
    return { events: [], position }
  }
}
