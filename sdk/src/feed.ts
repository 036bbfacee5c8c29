/**
 * Follows the events that end access, first by page and then by stream, and stores what they revoke.
 *
 * | Event                                        | Effect on tokens                                  |
 * |----------------------------------------------|---------------------------------------------------|
 * | session.ended                                | rejects tokens of the session                     |
 * | user.access_blocked, user.access_revoked     | rejects tokens of the user in the account         |
 * | user.access_restored, user.access_granted    | accepts them again, except of ended sessions      |
 * | user.deleted                                 | rejects tokens of the user                        |
 * | account.suspended                            | rejects tokens of the account                     |
 * | account.resumed                              | accepts them again, except of ended sessions      |
 * | service_account.key_revoked                  | rejects tokens of the key                         |
 * | service_account.token_revoked                | rejects the token                                 |
 * | service_account.disabled,                    | rejects tokens of the service account             |
 * |   service_account.deleted                    |                                                   |
 * | service_account.enabled                      | accepts them again, except of revoked keys        |
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { ApiError, type Connection } from './admin.ts'

/**
 * Maximum delay between the time of an event and its visibility, in seconds: the longest transaction plus the
 * difference between two clocks.
 */
const LATE_EVENTS = 60
/**
 * Time without data after which a stream is considered broken, in ms. The server sends a comment every 15 s.
 */
const SILENCE_MAX = 40_000
/** Pause between two streams, in ms. */
const REST = 50
/** Delay between attempts to reconnect, in ms: doubles up to the maximum, with jitter. */
const BACK_OFF = { min: 250, max: 10_000 }

/** An event of the log, the stream or a webhook. docs/events.md describes `data` of each type. */
export type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

export type FollowOptions = {
  /**
   * Handling of valid tokens while the stream is disconnected for longer than `downAfter`: `accept` them
   * until they expire, as without a stream (default), or `refuse` them with `feed_down` (503).
   */
  onFeedDown?: 'accept' | 'refuse'
  /** In seconds, at least 20, because an idle stream sends a comment every 15 s. Default: 30. */
  downAfter?: number
  /**
   * `TTL_ACCESS_TOKEN` of the server, in seconds. Revocations are stored for this time, and older tokens are
   * rejected. Default: 600.
   */
  accessTokenLifetime?: number
  /**
   * Called for every event that ends or restores access, at least once, for example to close a user's
   * connections.
   */
  onEvent?: (event: Event) => void
  /** Called with the reason of each disconnect, before reconnecting. Default: emits a process warning. */
  onError?: (error: unknown) => void
}

const FOLLOWED = [
  'session.ended',
  'user.access_blocked',
  'user.access_revoked',
  'user.access_restored',
  'user.access_granted',
  'user.deleted',
  'account.suspended',
  'account.resumed',
  'service_account.disabled',
  'service_account.enabled',
  'service_account.deleted',
  'service_account.key_revoked',
  'service_account.token_revoked',
] as const

type EventData = {
  sid?: string
  accountId?: string
  user?: { id: string }
  keyId?: string
  jti?: string
  serviceAccount?: { clientId: string }
}

/** The session, key, token, user, account, or user in an account whose tokens an event concerns. */
function keyOf({ type, data }: Event): string | undefined {
  const { sid, accountId, user, keyId, jti, serviceAccount } = data as EventData
  if (type === 'session.ended') return sid
  if (type === 'user.deleted') return user?.id
  if (type.startsWith('account.')) return accountId
  if (type === 'service_account.key_revoked') return keyId
  if (type === 'service_account.token_revoked') return jti
  if (type.startsWith('service_account.')) return serviceAccount?.clientId
  return `${accountId}/${user?.id}`
}

/** Whether tokens that were rejected are accepted again. */
const restores = ({ type }: Event): boolean => /restored$|granted$|resumed$|\.enabled$/.test(type)

type EventPage = { data: Event[]; next: string; more: boolean }

export type Feed = ReturnType<typeof createFeed>

/** Starts to follow the events. */
export function createFeed({ request, serviceToken, authorized }: Connection, given: FollowOptions) {
  const { onFeedDown = 'accept', downAfter = 30, accessTokenLifetime = 600, onEvent, onError = warn } = given
  const closing = new AbortController()
  /**
   * Revoked sessions, keys, tokens, users in accounts, users, and accounts, each with the time until which it
   * is stored, in ms; oldest first.
   */
  const revoked = new Map<string, number>()
  const state = { cursor: undefined as string | undefined, receivedAt: Number.NEGATIVE_INFINITY, failures: 0 }

  function apply(event: Event): void {
    const key = keyOf(event)
    const now = performance.now()
    if (key === undefined) return
    revoked.delete(key)
    if (!restores(event)) revoked.set(key, now + (accessTokenLifetime + LATE_EVENTS) * 1_000)
    for (const [oldest, until] of revoked) {
      if (until > now) break
      revoked.delete(oldest)
    }
    try {
      onEvent?.(event)
    } catch (error) {
      onError(error)
    }
  }

  /**
   * Reads all events up to now, from the cursor or from the issue time of the oldest token that is still
   * valid.
   */
  async function catchUp(): Promise<void> {
    const earliest = new Date(Date.now() - (accessTokenLifetime + LATE_EVENTS) * 1_000).toISOString()
    const query = { type: [...FOLLOWED], limit: 1_000, after: state.cursor ?? earliest }
    const page = (await request('get', '/admin/events', { query, signal: closing.signal })) as EventPage
    page.data.forEach(apply)
    state.cursor = page.next
    return page.more ? catchUp() : undefined
  }

  /** Reads one stream until it must be reopened: the service token expires, or no data arrives. */
  async function read(): Promise<void> {
    const service = await serviceToken()
    const ending = new AbortController()
    let reader: ReadableStreamDefaultReader<string> | undefined
    // The reader is canceled as well: the fetch of Node 20 forgets its signal when garbage is collected.
    const end = () => {
      ending.abort()
      reader?.cancel().catch(() => {})
    }
    const silence = setTimeout(end, SILENCE_MAX)
    const renewal = setTimeout(end, service.staleAt - Date.now())
    closing.signal.addEventListener('abort', end)
    try {
      if (closing.signal.aborted) return
      const search = new URLSearchParams(FOLLOWED.map((type): [string, string] => ['type', type]))
      search.set('after', state.cursor ?? '')
      const { signal } = ending
      const response = await authorized(`/admin/events/stream?${search}`, { signal }, service)
      const parser = createParser({
        onEvent({ id, data }) {
          apply(JSON.parse(data))
          state.cursor = id ?? state.cursor
        },
      })
      reader = textOf(response).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        Object.assign(state, { receivedAt: performance.now(), failures: 0 })
        silence.refresh()
        parser.feed(value)
      }
    } catch (error) {
      if (!ending.signal.aborted) throw error
    } finally {
      closing.signal.removeEventListener('abort', end)
      clearTimeout(silence)
      clearTimeout(renewal)
    }
  }

  async function follow(caughtUp: () => void, refused: (error: unknown) => void): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await catchUp()
        state.receivedAt = performance.now()
        caughtUp()
        await read()
        await pause(REST)
      } catch (error) {
        if (closing.signal.aborted) return
        if (!isTransient(error)) refused(error)
        if (error instanceof ApiError && error.code === 'cursor_expired') state.cursor = undefined
        onError(error)
        const delay = Math.min(BACK_OFF.min * 2 ** state.failures++, BACK_OFF.max)
        await pause(delay * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  const timeout = pause(downAfter * 1_000, undefined, { ref: false, signal: closing.signal }).catch(() => {})
  const ready = Promise.race([new Promise<void>((resolve, reject) => void follow(resolve, reject)), timeout])

  /** The revocation status of a verified token. Waits for the first page of events. */
  async function statusOf({
    sid,
    jti,
    sub,
    accountId,
  }: Record<'sid' | 'jti' | 'sub' | 'accountId', string>): Promise<'active' | 'revoked' | 'unknown'> {
    await ready.catch(() => {})
    if ([sid, jti, sub, accountId, `${accountId}/${sub}`].some((key) => revoked.has(key))) return 'revoked'
    const down = performance.now() - state.receivedAt > downAfter * 1_000
    return down && onFeedDown === 'refuse' ? 'unknown' : 'active'
  }

  return { ready, statusOf, accessTokenLifetime, close: () => closing.abort() }
}

/** The types of Node and of the DOM disagree about web streams. */
const textOf = ({ body }: Response) =>
  body!.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>

const warn = (error: unknown) =>
  process.emitWarning(`Tenantry event stream disconnected, reconnecting: ${error}`)

/** Whether a retry can succeed without a change of configuration. */
const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.httpStatus === 0 || error.httpStatus === 429 || error.httpStatus >= 500)
