import { EventEmitter } from 'node:events'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { insertCopies, insertEvents } from './queries.ts'

/** Every kind. A system that follows all of them gets what is added here as well. */
export const EVENT_TYPES = [
  'user.access_requested',
  'user.access_granted',
  'user.access_updated',
  'user.access_blocked',
  'user.access_restored',
  'user.access_revoked',
  'user.created',
  'user.updated',
  'user.deleted',
  'account.created',
  'account.updated',
  'session.ended',
  'system.secret_rotated',
  'security.refresh_reuse',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type Event = {
  type: EventType
  /**
   * Whose event it is. Without one it is the platform's, and with a user a copy goes to each
   * system the user is a member of.
   */
  systemId?: string | null
  accountId?: string | null
  userId?: string | null
  membershipId?: string | null
  /** What a reader needs to act without asking back; secrets never. */
  data: Record<string, unknown>
}

/** Tells the readers of the log in this process that events were added. */
export const written = new EventEmitter<{ event: [] }>()

/**
 * Adds events to the log. Pass the transaction of the change: an event is there if and only if the change is.
 * Call it after the rows that change are locked, which is what keeps the events of one row in order, and
 * before memberships are deleted that say whom an event of a user concerns.
 */
export async function enqueue(tx: Db, ...happened: Event[]): Promise<void> {
  if (happened.length === 0) return
  await insertEvents(tx, happened)
  const shared = happened.filter(({ systemId, userId }) => !systemId && userId)
  if (shared.length > 0) await insertCopies(tx, shared)
  afterCommit(() => written.emit('event'))
}
