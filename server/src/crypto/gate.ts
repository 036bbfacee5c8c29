import PQueue, { type Queue, type QueueAddOptions } from 'p-queue'
import { Failure } from '../errors.ts'
import { giveBackSlot, startWaiting } from '../request-time.ts'

/** 2 s, in ms: how long a request waits for its turn. */
export const WAIT_MAX = 2_000
/** Requests of one tenant that wait. */
export const WAITING_MAX = 200

type Work = () => Promise<unknown>
type Turn = QueueAddOptions & { tenant: string }
type Waiting = { id: string | undefined; work: Work }

/** Work that waits: taken from one tenant after the other, and in order of arrival within a tenant. */
class Turns implements Queue<Work, Turn> {
  /** Waiting calls, in the order of the tenants' turns. */
  #waiting = new Map<string, Waiting[]>()

  enqueue(work: Work, { tenant = '', id }: Partial<Turn> = {}): void {
    this.#set(tenant, [...(this.#waiting.get(tenant) ?? []), { id, work }])
  }

  dequeue(): Work | undefined {
    const [turn] = this.#waiting
    if (!turn) return undefined
    const [tenant, [first, ...others]] = turn
    this.#waiting.delete(tenant)
    this.#set(tenant, others)
    return first?.work
  }

  filter({ tenant = '' }: Partial<Turn>): Work[] {
    return (this.#waiting.get(tenant) ?? []).map(({ work }) => work)
  }

  remove(id: string): void {
    for (const [tenant, waiting] of this.#waiting)
      this.#set(
        tenant,
        waiting.filter((each) => each.id !== id),
      )
  }

  /** Work has no priority here. */
  setPriority(): void {}

  get size(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0)
  }

  #set(tenant: string, waiting: Waiting[]): void {
    if (waiting.length > 0) this.#waiting.set(tenant, waiting)
    else this.#waiting.delete(tenant)
  }
}

/** Runs `atOnce` pieces of work, of all tenants in turn. */
export const queueInTurns = (atOnce: number): PQueue<Turns, Turn> =>
  new PQueue<Turns, Turn>({ concurrency: atOnce, queueClass: Turns })

/** Runs work of a tenant when it is its turn. Throws `unavailable` if too much waits, or for too long. */
type Gate = {
  <T>(tenant: string, work: () => Promise<T>): Promise<T>
  load(): { running: number; waiting: number }
}

/** Runs `atOnce` at the same time, of all tenants in turn: one with much work delays others by little. */
export function openGate(atOnce: number): Gate {
  const queue = queueInTurns(atOnce)
  const gate = async <T>(tenant: string, work: () => Promise<T>) => {
    giveBackSlot()
    if (queue.sizeBy({ tenant }) >= WAITING_MAX) throw busy()
    return inTurn(queue, work, { tenant })
  }
  return Object.assign(gate, { load: () => ({ running: queue.pending, waiting: queue.size }) })
}

/** Runs `work` once the queue has a free slot. Throws `unavailable` if that takes longer than WAIT_MAX. */
export function inTurn<T, Q extends Queue<Work, O>, O extends QueueAddOptions>(
  queue: PQueue<Q, O>,
  work: () => Promise<T>,
  options: Partial<O> = {},
): Promise<T> {
  const waiting = new AbortController()
  const { ms, end } = startWaiting(WAIT_MAX)
  const timer = setTimeout(() => {
    end()
    waiting.abort(busy())
  }, ms)
  const start = () => {
    clearTimeout(timer)
    end()
    return work()
  }
  return queue.add(start, { ...options, signal: waiting.signal } as Partial<O>)
}

export const busy = () => new Failure('unavailable', { retryAfter: WAIT_MAX / 1_000 })
