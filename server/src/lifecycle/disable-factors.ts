import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { type Actor, EVERYTHING, ofScope, type Scope } from '../http/authority.ts'
import { notify } from '../jobs/email/budget.ts'
import { mfaRemoved } from '../jobs/email/messages.ts'
import { record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { deleteFactors, findFactors } from '../resources/factors/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { findUser, type User, updateUser } from '../resources/users/queries.ts'
import { refuseEarlier } from '../resources/users/system-users.ts'
import type { BrandedSystem } from '../texts/brand.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Removes the second factors that a row-locked user has for a scope and ends their sessions, since a lost
 * factor may be in use by another person: rows, audit entry, event and email. For one system, also refuses
 * there the factors that are valid everywhere. Does nothing when no factor is valid.
 */
export async function disableFactors(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  { scope, system }: { scope: Scope; system: BrandedSystem | undefined },
): Promise<User> {
  const { valid } = await findFactors(tx, before.id, scope, scope)
  const deleted = await deleteFactors(tx, before.id, scope)
  if (!valid && !deleted) return { ...before, mfaEnabled: false }
  if (scope === null) await updateUser(tx, before.id, {})
  else await refuseEarlier(tx, { userId: before.id, systemId: scope }, { factors: true })
  const after = await findUser(tx, ofScope(scope), before.id)
  await endSessions(
    tx,
    actor,
    { userId: before.id, ...(scope !== null && { systemId: scope }) },
    'mfa_disabled',
  )
  await record(tx, actor, {
    action: 'user.mfa_disabled',
    target: { type: 'user', id: before.id },
    systemId: scope,
    changes: { mfaEnabled: [true, after.mfaEnabled] },
  })
  await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: ['mfa'] }, scope))
  await notify(tx, seal, mfaRemoved(await findUser(tx, EVERYTHING, before.id), system), scope)
  return after
}
