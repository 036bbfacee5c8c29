import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { mfaRemoved } from '../../jobs/email/messages.ts'
import type { Brand } from '../../ui/brand.ts'
import { record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { endSessions } from '../sessions/end.ts'
import { eventOf } from '../users/changes.ts'
import { type User, updateUser } from '../users/queries.ts'
import { deleteFactors } from './queries.ts'

/**
 * Removes every second factor of a row-locked user and ends their sessions, since a lost factor may be in use
 * by another person: rows, audit entry, event and email. Does nothing when no factor is enrolled.
 */
export async function disableFactors(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  { systemId, system }: { systemId: string | null; system: Brand | undefined },
): Promise<User> {
  if (!(await deleteFactors(tx, before.id))) return { ...before, mfaEnabled: false }
  const after = await updateUser(tx, before.id, {})
  await endSessions(tx, actor, { userId: before.id }, 'mfa_disabled')
  await record(tx, actor, {
    action: 'user.mfa_disabled',
    target: { type: 'user', id: before.id },
    systemId,
    changes: { mfaEnabled: [true, after.mfaEnabled] },
  })
  await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['mfa'] }))
  await enqueueEmail(tx, seal, mfaRemoved(after, system))
  return after
}
