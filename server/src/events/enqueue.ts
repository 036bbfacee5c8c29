import type { Db } from '../db.ts'
import { events } from '../schema.ts'

export type EventType =
  | 'user.access_requested'
  | 'user.access_granted'
  | 'user.access_updated'
  | 'user.access_blocked'
  | 'user.access_restored'
  | 'user.access_revoked'
  | 'user.created'
  | 'user.updated'
  | 'user.deleted'
  | 'account.created'
  | 'account.updated'
  | 'session.ended'
  | 'system.secret_rotated'
  | 'security.refresh_reuse'

export type Event = {
  type: EventType
  systemId?: string | null
  accountId?: string | null
  userId?: string | null
  membershipId?: string | null
  /** What a reader needs to act without asking back; secrets never. */
  data: Record<string, unknown>
}

/** Adds events to the log in one statement. Pass the transaction of the change: an event is there if and only if the change is. */
export async function enqueue(tx: Db, ...happened: Event[]): Promise<void> {
  if (happened.length === 0) return
  await tx.insert(events).values(happened)
}
