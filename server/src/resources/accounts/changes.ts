/** A change of an account: the row, the audit entry and the event. */
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import type { Caller } from '../../http/authority.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { enqueueAccounts, entryOf } from './event.ts'
import { type Account, type AccountPatch, updateAccount } from './queries.ts'

/**
 * Changes a row-locked account. The admin of an account changes an organization only, since the name of a
 * personal account follows the address of its user; otherwise throws `not_organization`.
 */
export async function changeAccount(
  tx: Db,
  { actor, authority }: Caller,
  before: Account,
  patch: AccountPatch,
): Promise<Account> {
  if (authority === 'account' && before.kind !== 'organization') throw new Failure('not_organization')
  const changes = difference(before, { ...before, ...patch })
  if (Object.keys(changes).length === 0) return before
  const after = await updateAccount(tx, before.id, patch)
  await enqueueAccounts(tx, actor, 'account.updated', after)
  await record(tx, actor, { action: 'account.updated', ...entryOf(after), changes })
  return after
}
