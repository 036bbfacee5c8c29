/** Users delete their own profile, with the organizations that have no other member. */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { lockAccount, lockAccounts } from '../resources/accounts/queries.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { listOwnAccounts, type OwnAccount, platformRightOf } from '../resources/memberships/own-accounts.ts'
import { demandAdmin } from '../resources/memberships/queries.ts'
import { lockContents, lockPlatformSystems } from '../resources/systems/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { keepForNext } from './keep-decisions.ts'
import { endAccount } from './remove-account.ts'
import { erase } from './remove-user.ts'

const changedMeanwhile = () =>
  new Failure('unavailable', { detail: 'The user was changed by another request.', retryAfter: 1 })

/**
 * Deletes a user, with the organizations in which there is no other member. Throws `last_admin` if an
 * organization with other members, or the platform, would have no administrator.
 *
 * Systems are locked before users, users before accounts, accounts before memberships: in the order of the
 * other operations. While its system is locked, an organization gets no member.
 */
export async function deleteOwnProfile(tx: Db, seal: Seal, actor: Actor, userId: string): Promise<void> {
  const locked = await lockSystems(tx, userId)
  const gone = await lockUser(tx, EVERYTHING, userId)
  if (gone.disabled) throw changedMeanwhile()
  const concerned = concernedBy(await listOwnAccounts(tx, userId))
  await lockAccounts(tx, { personalOf: userId, ids: concerned })
  await lockMemberships(tx, { userId })
  const platform = await platformRightOf(tx, userId)
  const accounts = await listOwnAccounts(tx, userId)
  if (platform.isLast || accounts.some(({ fate }) => fate === 'lastAdmin')) throw new Failure('last_admin')
  const ending = accounts.filter(({ fate }) => fate === 'deleted')
  if (platform.isAdmin !== locked.isPlatformAdmin || ending.some(({ systemId }) => !locked.ids.has(systemId)))
    throw changedMeanwhile()
  if (concernedBy(accounts).some((id) => !concerned.includes(id))) throw changedMeanwhile()
  await keepForNext(tx, seal, gone)
  for (const { id } of ending) await endAccount(tx, actor, await lockAccount(tx, EVERYTHING, id))
  const changes = await erase(tx, actor, gone)
  const target = { type: 'user', id: userId }
  await record(tx, actor, { action: 'user.deleted', target, systemId: null, changes, isRead: true })
  const administered = accounts.filter(({ fate, isAdmin }) => fate === 'left' && isAdmin)
  for (const { id } of administered.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await demandAdmin(tx, id)
}

/** The accounts that end with the user, and those that must have another admin. */
const concernedBy = (own: OwnAccount[]): string[] =>
  own.flatMap(({ fate, isAdmin, id }) => (fate === 'deleted' || isAdmin ? [id] : []))

/** The systems of the organizations that end, and those of the platform for one of its administrators. */
async function lockSystems(tx: Db, userId: string): Promise<{ ids: Set<string>; isPlatformAdmin: boolean }> {
  const { isAdmin: isPlatformAdmin } = await platformRightOf(tx, userId)
  const own = await listOwnAccounts(tx, userId)
  const ids = new Set(own.flatMap(({ fate, systemId }) => (fate === 'deleted' ? [systemId] : [])))
  if (isPlatformAdmin) await lockPlatformSystems(tx)
  for (const id of [...ids].sort()) await lockContents(tx, EVERYTHING, id)
  return { ids, isPlatformAdmin }
}
