/**
 * Back-channel logouts are inserted in the transaction that ends the session, so that both commit or neither
 * does, and no request waits for a receiver. deliver.ts sends them after the commit.
 */
import { EventEmitter } from 'node:events'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { insertLogouts, type LogoutReceiver } from './queries.ts'

/** Wakes the worker of this process: a logout was inserted. */
export const queuedLogouts = new EventEmitter<{ logout: [] }>()

/**
 * Queues a logout for each of these sessions whose system has a `backchannelLogoutUri`. Call it before
 * deleting the rows. `receiver`: of a system that was deleted.
 */
export async function enqueueLogouts(tx: Db, sids: string[], receiver?: LogoutReceiver): Promise<void> {
  if (sids.length > 0 && (await insertLogouts(tx, sids, receiver)))
    afterCommit(() => queuedLogouts.emit('logout'))
}
