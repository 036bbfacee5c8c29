/** The change of the address of a user, whoever makes it. */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { renamePersonalAccounts } from '../resources/accounts/personal.ts'
import { lockAccounts } from '../resources/accounts/queries.ts'
import { endMailedTokens } from '../resources/credentials/queries.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { type User, type UserPatch, updateWithAddress } from '../resources/users/queries.ts'
import { applyKept, keepForFormer } from './keep-decisions.ts'
import { mergeUser, releaseAddress } from './merge-user.ts'

/**
 * Gives a row-locked user a new address. `other`: the row-locked user who has it, becomes a part of this one.
 * Links and codes of the former address end. Throws `email_taken`.
 */
export async function changeAddress(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  patch: UserPatch & { email: string },
  other?: User,
): Promise<User> {
  await lockAccounts(tx, { personalOf: before.id })
  if (other) await releaseAddress(tx, actor, other)
  await lockMemberships(tx, { userId: before.id })
  await keepForFormer(tx, seal, before)
  const after = await updateWithAddress(tx, before.id, patch)
  await renamePersonalAccounts(tx, actor, { id: after.id, from: before.email, to: after.email })
  if (other) await mergeUser(tx, actor, { from: other, into: after })
  await applyKept(tx, seal, [after])
  await endMailedTokens(tx, before.id)
  return after
}
