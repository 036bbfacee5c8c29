/** What every change of a user by the admin API has in common: whom it may change, and how it is written down. */

import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { type Actor, type Caller, reachOf } from '../../http/authority.ts'
import { sendMail } from '../../jobs/email/enqueue.ts'
import { emailChanged } from '../../jobs/email/messages.ts'
import type { Brand } from '../../ui/brand.ts'
import type { AuditEntry } from '../audit/record.ts'
import type { Event, EventType } from '../events/enqueue.ts'
import { findSystem } from '../systems/queries.ts'
import { demandManaged, lockUser, type User } from './queries.ts'

/** Of which users a system's token reaches what it may not do to every member; said in docs/authority.md. */
export const MANAGED = 'those it manages: members of it and of nothing else'

/** The user, held for a change that this caller may make. */
export async function lockManaged(tx: Db, caller: Caller, id: string): Promise<User> {
  const reach = reachOf(caller)
  const user = await lockUser(tx, reach, id)
  if (reach.systemId !== undefined) await demandManaged(tx, id, reach.systemId)
  return user
}

/** The system whose token acts; none when the platform does. */
export async function actingSystem(tx: Db, caller: Caller): Promise<Brand | undefined> {
  const { systemId } = reachOf(caller)
  return systemId === undefined ? undefined : findSystem(tx, {}, systemId)
}

/** What the audit says of a user: which, and the system whose token acted, so that the system finds its own deeds. */
export const entryOf = (caller: Caller, id: string): Pick<AuditEntry, 'target' | 'systemId'> => ({
  target: { type: 'user', id },
  systemId: reachOf(caller).systemId ?? null,
})

export const eventOf = (
  type: EventType,
  actor: Actor,
  { id, email }: Pick<User, 'id' | 'email'>,
  more: Record<string, unknown> = {},
): Event => ({
  type,
  userId: id,
  data: { user: { id, email }, ...more, actor: { type: actor.type, id: actor.id } },
})

/** Tells both addresses of a user that an administrator has put the one in the place of the other. */
export async function tellMoved(
  tx: Db,
  seal: Seal,
  before: User,
  after: User,
  system: Brand | undefined,
): Promise<void> {
  for (const message of emailChanged(before, after, 'ByAdministrator', system))
    await sendMail(tx, seal, message)
}
