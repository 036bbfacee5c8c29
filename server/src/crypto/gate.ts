import type PQueue from 'p-queue'
import { Failure } from '../errors.ts'

/** 2 s, in ms: how long a request waits for its turn. */
const WAIT_MAX = 2_000

/** Runs `work` once the queue has a free slot. Throws `unavailable` if that takes longer than WAIT_MAX. */
export function inTurn<T>(queue: PQueue, work: () => Promise<T>): Promise<T> {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(busy()), WAIT_MAX)
  const start = () => {
    clearTimeout(timer)
    return work()
  }
  return queue.add(start, { signal: waiting.signal })
}

export const busy = () => new Failure('unavailable', { retryAfter: WAIT_MAX / 1_000 })
