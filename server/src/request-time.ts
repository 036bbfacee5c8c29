/**
 * The time that one request may wait for PostgreSQL and for its turn, whatever the number of its statements,
 * connections and turns. Without a limit for all of them, each could use up its own timeout.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseUnavailable } from './errors.ts'

/** 4.5 s, in ms: a request is answered within 5 s. */
export const TIME_OF_REQUEST = 4_500
/**
 * 100 ms: a request that has waited less needs no timer of its own, because a connection and a statement have
 * their own timeouts of at most `TIME_OF_REQUEST`.
 */
const NEGLIGIBLE = 100

/** Counts the time in which a request waits, once where it waits for several things at the same time. */
export class RequestTime {
  #waiting = 0
  #since = 0
  #spent = 0
  #ended = false
  /** The span of OpenTelemetry, if the request is traced. */
  span: unknown
  /** Gives the slot of the request back (http/limits/shares.ts), which it does not need any more. */
  giveBackSlot: (() => void) | undefined
  /** Counts the bytes that a statement is about to write, while the sender is unknown. May refuse. */
  beforeWrite: ((bytes: number) => void) | undefined
  /** The audit entries and events that the request has written: it may have changed more than it names. */
  readonly written = { entries: 0, events: 0 }
  /** In ms: of the whole request. */
  readonly limit: number
  /** How many times as long as usual the request may wait. */
  readonly patience: number

  constructor(patience = 1) {
    this.patience = patience
    this.limit = patience * TIME_OF_REQUEST
  }

  /** In ms; undefined if there is no limit. */
  get left(): number | undefined {
    if (this.#ended) return undefined
    return this.limit - this.#spent - (this.#waiting > 0 ? performance.now() - this.#since : 0)
  }

  enter(): void {
    if (this.#waiting++ === 0) this.#since = performance.now()
  }

  leave(): void {
    if (--this.#waiting === 0) this.#spent += performance.now() - this.#since
  }

  /** The request is answered. Work that it has started, and that continues, has no limit. */
  end(): void {
    this.#ended = true
  }
}

const requests = new AsyncLocalStorage<RequestTime>()

export const currentRequestTime = () => requests.getStore()

/** Runs `work`, and what it starts, within the time of a request. */
export const withRequestTime = <T>(time: RequestTime, work: () => T): T => requests.run(time, work)

/** Waits for the database, at most for the time that the request has left. */
export async function inRequestTime<T>(wait: () => Promise<T>): Promise<T> {
  const time = requests.getStore()
  const left = time?.left
  if (!time || left === undefined) return wait()
  if (left <= 0) throw new DatabaseUnavailable({ cause: new Error('The time of the request is used up') })
  time.enter()
  try {
    return await (left > time.limit - NEGLIGIBLE ? wait() : within(left, wait()))
  } finally {
    time.leave()
  }
}

function within<T>(ms: number, waiting: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new DatabaseUnavailable({ cause: new Error(`No answer in the ${Math.round(ms)} ms left`) })),
    ms,
  )
  return Promise.race([waiting, late]).finally(() => clearTimeout(timer))
}

/**
 * Call it before what takes long and is limited otherwise, as a password hash or a call to another server:
 * the request continues without its slot, which others need.
 */
export const giveBackSlot = (): void => requests.getStore()?.giveBackSlot?.()

export function noteWritten(kind: keyof RequestTime['written'], rows: number): void {
  const time = requests.getStore()
  if (time) time.written[kind] += rows
}

/**
 * Starts to wait for a turn: for `ms`, which is `max` (times the patience of the request) or what the request
 * has left. Call `end` once.
 */
export function startWaiting(max: number): { ms: number; end(): void } {
  const time = requests.getStore()
  time?.enter()
  return { ms: Math.min(max * (time?.patience ?? 1), time?.left ?? max), end: () => time?.leave() }
}
