import { EventEmitter } from 'node:events'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import type { Actor } from '../../http/authority.ts'
import { noteWritten } from '../../request-time.ts'
import { insertCopies, insertEvents } from './queries.ts'

/** All event types. A webhook or reader without a filter receives later additions as well. */
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
  'user.merged',
  'account.created',
  'account.updated',
  'account.deleted',
  'account.suspended',
  'account.resumed',
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'invitation.revoked',
  'invitation.expired',
  'service_account.created',
  'service_account.updated',
  'service_account.enabled',
  'service_account.disabled',
  'service_account.deleted',
  'service_account.key_created',
  'service_account.key_revoked',
  'service_account.token_revoked',
  'connection.enabled',
  'connection.disabled',
  'domain.verified',
  'domain.lapsed',
  'domain.removed',
  'session.acting_started',
  'session.ended',
  'system.secret_rotated',
  'security.refresh_reuse',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type Event = {
  type: EventType
  /**
   * The system that receives the event. Without a system only the platform receives it; if it has a user,
   * each system of which the user is a member receives a copy.
   */
  systemId?: string | null
  accountId?: string | null
  userId?: string | null
  membershipId?: string | null
  /** The data that a receiver needs to act without another request. Never secrets. */
  data: Record<string, unknown>
}

/** The actor of an event. A system does not learn which user of the platform it was. */
export const actorOrigin = ({ type, id, authority }: Actor) => ({
  type,
  id: type === 'user' && authority === 'platform' ? null : id,
})

/** Notifies the readers of the log in this process that events were added. */
export const written = new EventEmitter<{ event: [] }>()

/**
 * Adds events to the log. Pass the transaction of the change: either both are committed or neither. Call it
 * after locking the rows that change, which keeps the events of a row in order, and before deleting
 * memberships, which determine the systems that receive a copy of a user's event.
 */
export async function enqueue(tx: Db, ...happened: Event[]): Promise<void> {
  if (happened.length === 0) return
  await insertEvents(tx, happened)
  noteWritten('events', happened.length)
  const shared = happened.filter(({ systemId, userId }) => !systemId && userId)
  if (shared.length > 0) await insertCopies(tx, shared)
  afterCommit(() => written.emit('event'))
}
