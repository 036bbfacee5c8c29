/** Shared by the operations of the admin API that change a user: authority, audit target and event. */

import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { type Actor, type Caller, EVERYTHING, reachOf, type Scope, scopeOf } from '../../http/authority.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../../jobs/email/enqueue.ts'
import { emailChanged } from '../../jobs/email/messages.ts'
import type { AuditEntry } from '../../journal/audit/record.ts'
import type { Event, EventType } from '../../journal/events/enqueue.ts'
import type { BrandedSystem } from '../../texts/brand.ts'
import { findSystem } from '../systems/queries.ts'
import type { User } from './queries.ts'

/** The system whose token acts; undefined for the platform. */
export async function actingSystem(tx: Db, caller: Caller): Promise<BrandedSystem | undefined> {
  const { systemId } = reachOf(caller)
  return systemId === undefined ? undefined : findSystem(tx, EVERYTHING, systemId)
}

/**
 * Target and system of an audit entry about a user. The system is the one whose token acts, so that it can
 * read the entry.
 */
export const entryOfUser = (caller: Caller, id: string): Pick<AuditEntry, 'target' | 'systemId'> => ({
  target: { type: 'user', id },
  systemId: scopeOf(caller),
})

/** An event about a user: of one system only, or of the platform with copies for the systems of the user. */
export const eventOfUser = (
  type: EventType,
  actor: Actor,
  { id, email }: Pick<User, 'id' | 'email'>,
  more: Record<string, unknown> = {},
  scope: Scope = null,
): Event => ({
  type,
  userId: id,
  systemId: scope,
  data: { user: { id, email }, ...more, actor: { type: actor.type, id: actor.id } },
})

/** Notifies both addresses of a user after an administrator has changed the address. */
export async function notifyAddressChange(
  tx: Db,
  seal: Seal,
  before: User,
  after: User,
  system: BrandedSystem | undefined,
): Promise<void> {
  for (const message of emailChanged(before, after, 'ByAdministrator', system))
    await enqueueEmail(tx, seal, message, OF_NO_SYSTEM)
}
