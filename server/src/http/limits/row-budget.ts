/**
 * How much an anonymous sender may have stored, counted in the memory of this process: a count in the
 * database would cost a statement per sign-in. A budget is a bucket that refills at a constant rate.
 */
import { LRUCache } from 'lru-cache'

/** Senders that are counted; the least recently used one is forgotten, which returns its budget. */
const SENDERS_MAX = 50_000
const MINUTE = 60_000

type Bucket = { bytes: number; at: number }

export type RowBudget = {
  /**
   * Counts the bytes of each of these senders if they fit in all of them; otherwise counts nothing and
   * returns the seconds until they do.
   */
  take(senders: readonly string[], bytes: number): number
}

/** `perMinute`: the bytes at once, and those that refill in a minute: at most twice that in any minute. */
export function createRowBudget(perMinute: number): RowBudget {
  const buckets = new LRUCache<string, Bucket>({ max: SENDERS_MAX, ttl: MINUTE })
  const leftOf = (sender: string, at: number) => {
    const before = buckets.get(sender)
    return before ? Math.max(0, before.bytes - ((at - before.at) / MINUTE) * perMinute) : 0
  }
  return {
    take(senders, bytes) {
      const at = performance.now()
      const counts = senders.map((sender) => ({ sender, left: leftOf(sender, at) }))
      // a sender without any count is never refused, however large the rows are
      const excess = Math.max(...counts.map(({ left }) => (left > 0 ? left + bytes - perMinute : 0)))
      if (excess > 0) return Math.ceil((excess / perMinute) * 60)
      for (const { sender, left } of counts) buckets.set(sender, { bytes: left + bytes, at })
      return 0
    },
  }
}
