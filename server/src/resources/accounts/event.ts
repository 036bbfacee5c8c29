import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueue } from '../events/enqueue.ts'
import type { Account } from './queries.ts'

/** Adds the event of an account, as the account is now. */
export async function enqueueAccount(
  tx: Db,
  actor: Actor,
  type: 'account.created' | 'account.updated',
  { id: accountId, systemId, name, kind }: Account,
): Promise<void> {
  await enqueue(tx, {
    type,
    systemId,
    accountId,
    data: {
      account: { id: accountId, name, kind },
      accountId,
      systemId,
      actor: { type: actor.type, id: actor.id },
    },
  })
}
