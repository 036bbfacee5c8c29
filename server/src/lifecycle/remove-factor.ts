import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { notify } from '../jobs/email/budget.ts'
import { factorRemovedByAdministrator } from '../jobs/email/messages.ts'
import { record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import {
  deleteFactor,
  deleteRecoveryCodes,
  type FoundFactor,
  findFactors,
} from '../resources/factors/queries.ts'
import { findSystem } from '../resources/systems/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { findUser, updateUser } from '../resources/users/queries.ts'
import { refuseEarlier } from '../resources/users/system-users.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Removes one factor of a row-locked user, also the only way to sign in: a lost factor may be in use by
 * another person. Therefore the sessions end where the factor was valid, whether or not they were opened with
 * it. Rows, audit entry, event and email.
 */
export async function removeByAdministrator(
  tx: Db,
  seal: Seal,
  actor: Actor,
  userId: string,
  { id, kind, name, systemId: scope }: FoundFactor,
): Promise<void> {
  await deleteFactor(tx, { id, kind })
  const { ofScope } = await findFactors(tx, userId, scope, scope)
  if (!ofScope) await deleteRecoveryCodes(tx, userId, scope)
  // The version of the user, for ETag; and no proof by a recovery code is left.
  if (scope === null) await updateUser(tx, userId, {})
  else await refuseEarlier(tx, { userId, systemId: scope })
  const sessions = { userId, ...(scope !== null && { systemId: scope }) }
  await endSessions(tx, actor, sessions, 'factor_removed')
  await record(tx, actor, {
    action: 'user.factor_removed',
    target: { type: 'user', id: userId },
    systemId: scope,
    changes: { [kind]: [name ?? true, null] },
  })
  const user = await findUser(tx, EVERYTHING, userId)
  await enqueue(tx, eventOfUser('user.updated', actor, user, { changed: ['mfa'] }, scope))
  const system = scope === null ? undefined : await findSystem(tx, EVERYTHING, scope)
  await notify(tx, seal, factorRemovedByAdministrator(user, kind, system), scope)
}
