/**
 * A change of a user by the platform, or by a system of what it states about its user: with a new address the
 * links, codes and personal accounts that depend on it, and with `disabled` the end of the access.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { StatedProfile } from '../database/schema.ts'
import { Failure } from '../errors.ts'
import { type Actor, type Caller, ofSystem, scopeOf } from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { endMailedTokens } from '../resources/credentials/queries.ts'
import { unconfirmCredentials } from '../resources/credentials/unconfirmed.ts'
import { revokeInvitationsOf, revokeLost } from '../resources/invitations/changes.ts'
import { entryOfUser, eventOfUser, notifyAddressChange } from '../resources/users/changes.ts'
import { withPhone } from '../resources/users/profile.ts'
import { findUser, type User, type UserPatch, updateUser } from '../resources/users/queries.ts'
import { hasStated, statementOf, updateSystemUser } from '../resources/users/system-users.ts'
import { changeAddress } from './change-address.ts'
import { endSessions } from './end-sessions.ts'

/** Changes a row-locked user. Throws `email_taken`, and `user_shared` if a system changes the address. */
export async function changeUser(
  tx: Db,
  seal: Seal,
  caller: Caller,
  before: User,
  body: StatedProfile & Omit<UserPatch, keyof StatedProfile>,
): Promise<User> {
  const { email } = body
  const moved = email !== undefined && email !== before.email
  const patch = withPhone({ ...(moved && { emailVerified: false }), ...body }, before)
  const changes = difference(before, { ...before, ...patch })
  const changed = Object.keys(changes)
  const scope = scopeOf(caller)
  const isKnown = scope === null || (await hasStated(tx, { userId: before.id, systemId: scope }, patch))
  if (changed.length === 0 && isKnown) return before
  const after =
    scope === null
      ? await changeEverywhere(tx, seal, caller.actor, before, patch)
      : await changeInSystem(tx, caller.actor, before, scope, patch)
  await record(tx, caller.actor, {
    action: 'user.updated',
    ...entryOfUser(caller, before.id),
    changes: changed.length > 0 ? changes : difference({}, statementOf(patch)),
  })
  if (changed.length > 0)
    await enqueue(tx, eventOfUser('user.updated', caller.actor, after, { changed }, scope))
  return after
}

async function changeEverywhere(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  patch: UserPatch,
): Promise<User> {
  const { email = before.email, ...others } = patch
  const moved = email !== before.email
  const after = moved
    ? await changeAddress(tx, seal, actor, before, { ...others, email })
    : await updateUser(tx, before.id, others)
  if (moved) {
    await unconfirmCredentials(tx, before, after.email)
    await notifyAddressChange(tx, seal, before, after, undefined)
  }
  if (after.disabled && !before.disabled) {
    await endMailedTokens(tx, before.id)
    await endAccess(tx, actor, { userId: before.id })
  }
  return after
}

/** Changes what a system states about its user. Throws `user_shared` for the address. */
async function changeInSystem(
  tx: Db,
  actor: Actor,
  before: User,
  systemId: string,
  patch: UserPatch,
): Promise<User> {
  if (patch.email !== undefined && patch.email !== before.email) throw new Failure('user_shared')
  await updateSystemUser(tx, { userId: before.id, systemId }, patch)
  const after = await findUser(tx, ofSystem(systemId), before.id)
  if (after.disabled && !before.disabled) await endAccess(tx, actor, { userId: before.id, systemId })
  return after
}

/** Ends the access of a user who is disabled, in one system or everywhere. */
async function endAccess(tx: Db, actor: Actor, of: { userId: string; systemId?: string }): Promise<void> {
  await endSessions(tx, actor, of, 'user_disabled')
  await revokeInvitationsOf(tx, actor, of)
  await revokeLost(tx, actor, { invitedBy: of.userId })
}
