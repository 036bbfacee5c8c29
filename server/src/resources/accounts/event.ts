import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueue } from '../events/enqueue.ts'
import type { ChangedAccount } from './queries.ts'

/** Adds an event for each of the accounts, as the account is now. */
export async function enqueueAccounts(
  tx: Db,
  actor: Actor,
  type: 'account.created' | 'account.updated',
  ...accounts: ChangedAccount[]
): Promise<void> {
  const events = accounts.map(({ id: accountId, systemId, name, kind }) => ({
    type,
    systemId,
    accountId,
    data: {
      account: { id: accountId, name, kind },
      accountId,
      systemId,
      actor: { type: actor.type, id: actor.id },
    },
  }))
  await enqueue(tx, ...events)
}
