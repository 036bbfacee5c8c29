/**
 * How much a system may write by the admin API. What is written stays: metadata in the rows, and what it was
 * in the audit log and in the events. The limits of numbers bound the rows, not how often they are changed.
 */
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { isRead } from '../methods.ts'
import { daily, limitOf } from './guard.ts'
import { reserve, secondsToWait } from './queries.ts'

/** A process takes so many bytes at a time from the budget in the database: most writes need no statement. */
const PIECE = 1_000_000
/** 2 GB at once, then as many spread over 24 hours: a change of 1 kB of each of a million users fits. */
const PIECES_OF_DAY = daily(2_000)
/** What a write stores besides its body: an audit entry, an event and its deliveries. */
const BESIDE = 1_000
/** Systems of which a process has a piece; the least recently used one is forgotten, and its piece lost. */
const SYSTEMS_MAX = 10_000

/**
 * The hook of /admin, once the body has arrived: counts the writes of services and users of a system, except
 * imports, which have limits of their own. Throws `too_many_requests` when the budget is used up.
 */
export function limitWrites({ db, seal }: { db: Db; seal: Seal }) {
  const pieces = new LRUCache<string, number>({ max: SYSTEMS_MAX })
  return async (request: FastifyRequest): Promise<void> => {
    const { caller, routeOptions } = request
    const { authority, systemId } = caller
    if (isRead(request) || authority === 'platform' || routeOptions.config.share === 'long') return
    const bytes = sizeOf(request) + BESIDE
    if ((pieces.get(systemId) ?? 0) < bytes) {
      const limit = limitOf(seal, 'writes', PIECES_OF_DAY, systemId)
      if (!(await reserve(db, limit)))
        throw new Failure('too_many_requests', {
          detail: 'The system has written as much as it may for now.',
          retryAfter: Math.max(1, await secondsToWait(db, [limit])),
        })
      pieces.set(systemId, (pieces.get(systemId) ?? 0) + PIECE)
    }
    pieces.set(systemId, (pieces.get(systemId) ?? 0) - bytes)
  }
}

function sizeOf({ headers, body }: FastifyRequest): number {
  const { 'content-length': length } = headers
  if (length !== undefined) return Number(length)
  return body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body))
}
