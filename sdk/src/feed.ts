/**
 * The events that end access, followed by catching up page by page and then by stream, and what is known by them.
 *
 * | event                                        | what is refused from then on                      |
 * |----------------------------------------------|---------------------------------------------------|
 * | session.ended                                | tokens of the session                             |
 * | user.access_blocked, user.access_revoked     | tokens of the person in the account               |
 * | user.access_restored, user.access_granted    | no longer those; the ended sessions stay ended    |
 * | user.deleted                                 | tokens of the person                              |
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Connection } from './admin.ts'

/** What was written before a moment may be read so much later, in s: the longest transaction, and two clocks. */
const LATE_EVENTS = 60
/** 40 s, in ms: the stream says something every 15 s; one that is silent for so long is dead. */
const SILENCE_MAX = 40_000
/** Between two streams, in ms. */
const REST = 50
/** Between two tries to follow, in ms: doubled up to the highest, and some way below it by chance. */
const BACK_OFF = { min: 250, max: 10_000 }

/** A change in Tenantry, the same in the log, on the stream and in a webhook; docs/events.md has `data` of each kind. */
export type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

export type FollowOptions = {
  /**
   * What a valid token is worth while the stream is down for longer than `downAfter`: it is accepted until it expires,
   * as without a stream (the default), or refused with `feed_down` (503).
   */
  onFeedDown?: 'accept' | 'refuse'
  /** In s; at least 20, since a stream at rest says something every 15 s. 30 by default. */
  downAfter?: number
  /** `TTL_ACCESS_TOKEN` of the server, in s; 600 by default. So long what was ended is remembered, and older tokens are refused. */
  accessTokenLife?: number
  /** Is told of every event that ends or restores access, once or more: to close what a person has open. */
  onEvent?: (event: Event) => void
  /** Is told why a stream ended before its time; it is tried again. By default a warning of the process. */
  onError?: (error: unknown) => void
}

const FOLLOWED = [
  'session.ended',
  'user.access_blocked',
  'user.access_revoked',
  'user.access_restored',
  'user.access_granted',
  'user.deleted',
] as const

type EventPage = { data: Event[]; next: string; more: boolean }

export type Feed = ReturnType<typeof createFeed>

/** Begins to follow. */
export function createFeed({ request, serviceToken, authorized }: Connection, given: FollowOptions) {
  const { onFeedDown = 'accept', downAfter = 30, accessTokenLife = 600, onEvent, onError = warn } = given
  const closing = new AbortController()
  /** What has ended, and until when it has to be remembered, in ms; oldest first. */
  const ended = new Map<string, number>()
  const state = { cursor: undefined as string | undefined, heardAt: Number.NEGATIVE_INFINITY, failures: 0 }

  function apply(event: Event): void {
    const { sid, accountId, user } = event.data as { sid?: string; accountId?: string; user?: { id: string } }
    const key =
      event.type === 'session.ended'
        ? sid
        : event.type === 'user.deleted'
          ? user?.id
          : `${accountId}/${user?.id}`
    const now = performance.now()
    if (key === undefined) return
    ended.delete(key)
    if (!/restored$|granted$/.test(event.type)) ended.set(key, now + (accessTokenLife + LATE_EVENTS) * 1_000)
    for (const [oldest, until] of ended) {
      if (until > now) break
      ended.delete(oldest)
    }
    try {
      onEvent?.(event)
    } catch (error) {
      onError(error)
    }
  }

  /** Everything up to now, from the cursor or from as long ago as a living token may be. */
  async function catchUp(): Promise<void> {
    const longAgo = new Date(Date.now() - (accessTokenLife + LATE_EVENTS) * 1_000).toISOString()
    const query = { type: [...FOLLOWED], limit: 1_000, after: state.cursor ?? longAgo }
    const page = (await request('get', '/admin/events', { query, signal: closing.signal })) as EventPage
    page.data.forEach(apply)
    state.cursor = page.next
    return page.more ? catchUp() : undefined
  }

  /** Reads one stream until it has to be opened anew. */
  async function read(): Promise<void> {
    const service = await serviceToken()
    const leaving = new AbortController()
    const silence = setTimeout(() => leaving.abort(), SILENCE_MAX)
    const renewal = setTimeout(() => leaving.abort(), service.staleAt - Date.now())
    try {
      const search = new URLSearchParams(FOLLOWED.map((type): [string, string] => ['type', type]))
      search.set('after', state.cursor ?? '')
      const signal = AbortSignal.any([closing.signal, leaving.signal])
      const response = await authorized(`/admin/events/stream?${search}`, { signal }, service)
      let rest = ''
      for await (const chunk of textOf(response)) {
        Object.assign(state, { heardAt: performance.now(), failures: 0 })
        silence.refresh()
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) {
          const data = /^data: (.+)$/m.exec(block)?.[1]
          if (data) apply(JSON.parse(data))
          state.cursor = /^id: (.+)$/m.exec(block)?.[1] ?? state.cursor
        }
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error
    } finally {
      clearTimeout(silence)
      clearTimeout(renewal)
    }
  }

  async function follow(caughtUp: () => void, refused: (error: unknown) => void): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await catchUp()
        state.heardAt = performance.now()
        caughtUp()
        await read()
        await pause(REST)
      } catch (error) {
        if (closing.signal.aborted) return
        if (!isPassing(error)) refused(error)
        if (error instanceof ApiError && error.code === 'cursor_expired') state.cursor = undefined
        onError(error)
        const longest = Math.min(BACK_OFF.min * 2 ** state.failures++, BACK_OFF.max)
        await pause(longest * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(
          () => {},
        )
      }
    }
  }

  const late = pause(downAfter * 1_000, undefined, { ref: false, signal: closing.signal }).catch(() => {})
  const ready = Promise.race([new Promise<void>((resolve, reject) => void follow(resolve, reject)), late])

  /** What is known of a token that is valid by itself. Waits for the first news when there is none yet. */
  async function judge({
    sid,
    sub,
    accountId,
  }: Record<'sid' | 'sub' | 'accountId', string>): Promise<'alive' | 'revoked' | 'unknown'> {
    await ready.catch(() => {})
    if ([sid, sub, `${accountId}/${sub}`].some((key) => ended.has(key))) return 'revoked'
    const down = performance.now() - state.heardAt > downAfter * 1_000
    return down && onFeedDown === 'refuse' ? 'unknown' : 'alive'
  }

  return { ready, judge, accessTokenLife, close: () => closing.abort() }
}

/** The types of the two web streams don't know each other, nor that they can be iterated. */
const textOf = ({ body }: Response) =>
  body!.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>

const warn = (error: unknown) =>
  process.emitWarning(`Tenantry's events can not be followed; it is tried again: ${error}`)

/** Whether it may be otherwise at the next try, without anybody doing something about it. */
const isPassing = (error: unknown) =>
  error instanceof ApiError && (error.httpStatus === 0 || error.httpStatus === 429 || error.httpStatus >= 500)
