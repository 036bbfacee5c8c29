/**
 * How much a system may write by the admin API and the pages of its organizations. What is written stays:
 * metadata in the rows, and what it was in the audit log and in the events. The limits of numbers bound the
 * rows, not how often they are changed.
 */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import type { Caller } from '../authority.ts'
import { isRead } from '../methods.ts'
import { dailyRule, limitOf } from './guard.ts'
import { reserve, secondsToWait } from './queries.ts'

/** A process takes so many bytes at a time from the budget in the database: most writes need no statement. */
const PIECE = 1_000_000
/** 2 GB at once, then as many spread over 24 hours: a change of 1 kB of each of a million users fits. */
const PIECES_OF_DAY = dailyRule(2_000)
/** What each thing that is written stores besides its values: an audit entry, an event and its deliveries. */
const BESIDE = 1_000
/** Systems of which a process has a piece; the least recently used one is forgotten, and its piece lost. */
const SYSTEMS_MAX = 10_000

/** `bytes`: of the values. `things`: how many are created or changed, each with an audit entry. */
type Written = { bytes: number; things: number }

export type WriteBudget = {
  /**
   * Counts what a service or a user of a system is about to write; the platform has no budget. Throws
   * `too_many_requests` when it is used up. Call it outside of a transaction.
   */
  take(caller: Pick<Caller, 'authority' | 'systemId'>, written: Written): Promise<void>
  /**
   * Counts what it has written beyond that, which is known only now: a role that changes writes an event for
   * each of its members. Refuses nothing; what the budget does not have is owed by the next writes.
   */
  charge(caller: Pick<Caller, 'authority' | 'systemId'>, things: number): Promise<void>
}

export function createWriteBudget({ db, seal }: { db: Db; seal: Seal }): WriteBudget {
  const pieces = new LRUCache<string, number>({ max: SYSTEMS_MAX })
  const add = (systemId: string, bytes: number) => {
    const left = (pieces.get(systemId) ?? 0) + bytes
    pieces.set(systemId, left)
    return left
  }
  return {
    async take({ authority, systemId }, { bytes, things }) {
      if (authority === 'platform') return
      const size = bytes + things * BESIDE
      const limit = limitOf(seal, 'writes', PIECES_OF_DAY, systemId)
      while ((pieces.get(systemId) ?? 0) < size) {
        if (!(await reserve(db, limit)))
          throw new Failure('too_many_requests', {
            detail: 'The system has written as much as it may for now.',
            retryAfter: Math.max(1, await secondsToWait(db, [limit])),
          })
        add(systemId, PIECE)
      }
      add(systemId, -size)
    },
    async charge({ authority, systemId }, things) {
      if (authority === 'platform' || things <= 0) return
      const limit = limitOf(seal, 'writes', PIECES_OF_DAY, systemId)
      let left = add(systemId, -things * BESIDE)
      while (left < 0 && (await reserve(db, limit))) left = add(systemId, PIECE)
    },
  }
}

/** What a request writes. Each object in a list of its body is a thing of its own. */
export function writtenBy({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): Written {
  const { 'content-length': length } = headers
  const bytes = Number(length ?? (body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body))))
  const items = Object.values(Buffer.isBuffer(body) ? {} : (body ?? {})).flatMap((value) =>
    Array.isArray(value) ? value : [],
  )
  return { bytes, things: Math.max(1, items.filter((item) => typeof item === 'object').length) }
}

const isCounted = (request: FastifyRequest): boolean =>
  !isRead(request) || request.routeOptions.config.writes === true

/** The hook of /admin, once the body has arrived. A stream is counted when it has been read. */
export const limitWrites =
  (budget: WriteBudget) =>
  async (request: FastifyRequest): Promise<void> => {
    if (isCounted(request) && !(request.body instanceof Readable))
      await budget.take(request.caller, writtenBy(request))
  }

/** The hook of /admin when a request has been answered. */
export const chargeWrites =
  (budget: WriteBudget) =>
  async (request: FastifyRequest): Promise<void> => {
    const { caller, waitingTime, log } = request
    if (!caller || !waitingTime || !isCounted(request)) return
    const { entries, events } = waitingTime.written
    await budget
      .charge(caller, Math.max(entries, events) - writtenBy(request).things)
      .catch((error: unknown) => log.error({ err: error }, 'what a system has written is not counted'))
  }
