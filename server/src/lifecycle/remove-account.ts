/** The deletion of an account, with its memberships, sessions and service accounts. */
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { type Actor, type Caller, reachOf } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { enqueueAccounts, entryOfAccount } from '../resources/accounts/event.ts'
import {
  type Account,
  deleteAccount,
  findAccount,
  hasPlatformBlock,
  lockAgainstSignIns,
} from '../resources/accounts/queries.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { recordDeletedWith } from '../resources/service-accounts/changes.ts'
import { lockContents } from '../resources/systems/queries.ts'
import { endEverySession } from './end-sessions.ts'

/**
 * Deletes an account in reach. Throws `account_not_found`, `platform_system`, or `insufficient_authority` if
 * the platform has blocked a user in it or suspended it.
 */
export async function removeAccount(tx: Db, caller: Caller, id: string): Promise<void> {
  const { actor, authority } = caller
  const reach = reachOf(caller)
  const { systemId } = await findAccount(tx, reach, id)
  // While the system is row-locked, no member is added. Accounts are locked before memberships.
  const system = await lockContents(tx, reach, systemId)
  if (system.platform) throw new Failure('platform_system')
  const account = await lockAgainstSignIns(tx, reach, id)
  await lockMemberships(tx, { accountId: id })
  if (authority !== 'platform' && (await hasPlatformBlock(tx, account.id)))
    throw new Failure('insufficient_authority', {
      detail: 'The platform has blocked a user in the account. Only the platform can delete it.',
    })
  if (authority !== 'platform' && account.suspendedBy.includes('platform'))
    throw new Failure('insufficient_authority', {
      detail: 'The platform has suspended the account. Only the platform can delete it.',
    })
  await endAccount(tx, actor, account)
}

/**
 * Deletes an account that is locked against sign-ins. Its memberships are locked, and its system is, so that
 * no member is added.
 */
export async function endAccount(tx: Db, actor: Actor, account: Account): Promise<void> {
  await endEverySession(tx, actor, { accountId: account.id }, 'account_removed')
  await enqueueAccess(tx, actor, 'user.access_revoked', { accountId: account.id })
  await recordDeletedWith(tx, actor, account)
  await enqueueAccounts(tx, actor, 'account.deleted', account)
  await deleteAccount(tx, account.id)
  await record(tx, actor, {
    action: 'account.deleted',
    ...entryOfAccount(account),
    changes: { name: [account.name, null], kind: [account.kind, null] },
  })
}
