/**
 * What unknown senders store in the database: at most 1 MB in any minute from one network, by all processes
 * that one start creates (docs/limits.md). Counted in memory, since a count in the database would cost each
 * sign-in a statement. The networks of an IPv6 address are its /64, /56 and /48, each of which one subscriber
 * can have, and each has the whole budget.
 */
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import { Failure } from '../errors.ts'
import { networksOf } from '../http/ip-address.ts'
import { createRowBudget } from '../http/limits/row-budget.ts'
import { currentRequestTime, type RequestTime } from '../request-time.ts'
import { knownBrowser } from './known-devices.ts'

/**
 * Bytes per minute. A bucket may be emptied and refilled within one minute, so a network stores at most 1 MB
 * in any minute.
 */
const OF_NETWORK = 500_000
/** The limit of a browser in which a user has signed in before. */
const OF_KNOWN_BROWSER = 250_000

type Parts = { config: Config; seal: Seal }
/** `cookieOf`: a cookie of the request by its name. */
export type UnknownSender = { ip: string | null; cookieOf(name: string): string | undefined }

export type AnonymousWrites = {
  /** Counts what a request is about to store. Returns 0, or the seconds until that is allowed. */
  take(sender: UnknownSender, bytes: number): number
  /** Counts every later write of a request, until its sender is proven. It throws `too_many_requests`. */
  count(time: RequestTime | undefined, sender: UnknownSender): void
}

export function limitAnonymousWrites(parts: Parts): AnonymousWrites {
  const networks = createRowBudget(OF_NETWORK / parts.config.WORKERS)
  const browsers = createRowBudget(OF_KNOWN_BROWSER / parts.config.WORKERS)
  const take = ({ ip, cookieOf }: UnknownSender, bytes: number) => {
    const from = networksOf(ip)
    if (from.length === 0) return 0
    const browser = knownBrowser(parts, cookieOf)
    return browser === undefined ? networks.take(from, bytes) : browsers.take([browser], bytes)
  }
  return {
    take,
    count(time, sender) {
      if (!time) return
      time.beforeWrite = (bytes) => {
        const retryAfter = take(sender, bytes)
        if (retryAfter > 0)
          throw new Failure('too_many_requests', {
            detail: 'This network has stored as much as it may for now.',
            retryAfter,
          })
      }
    },
  }
}

/** The sender of the present request is a user, or its writes are counted elsewhere. */
export function endCountOfWrites(): void {
  const time = currentRequestTime()
  if (time) time.beforeWrite = undefined
}
