/**
 * A notice that a session has ended is a row of the transaction that ends it: no ended session without its notice, no
 * notice without its end, and no request waits for a receiver. deliver.ts sends it after the commit.
 */
import { EventEmitter } from 'node:events'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { insertNotices } from './queries.ts'

/** Tells the worker of this process that a notice was queued. */
export const queued = new EventEmitter<{ notice: [] }>()

/** Puts a notice into the queue for each of these ended sessions whose system asked for them. Before the rows are deleted. */
export async function noticeLogouts(tx: Db, sids: string[]): Promise<void> {
  if (sids.length > 0 && (await insertNotices(tx, sids))) afterCommit(() => queued.emit('notice'))
}
