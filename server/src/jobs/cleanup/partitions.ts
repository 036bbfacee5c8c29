/**
 * Creates the partitions of the audit log for the coming months, and drops those of expired months, if the
 * log is partitioned (ops/partitions/audit.sql).
 */
import type { Db } from '../../database/database.ts'
import { isLockTimeout } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { readBeginning, readTime } from '../../journal/audit/chain/queries.ts'
import {
  createMonth,
  dropMonth,
  type Month,
  monthOf,
  type Partitions,
  readPartitions,
} from '../../journal/audit/partitions/queries.ts'
import { acquireCleanupLock, CHAIN_LAG } from './queries.ts'

/** Months after the present one that have a partition. */
const AHEAD = 3
const DAY = 86_400_000

/**
 * `days`: after which entries expire; 0: never. Returns the names of the partitions that were created and
 * dropped. A partition whose lock is not available is left for the next run.
 */
export async function maintainPartitions(
  db: Db,
  days: number,
): Promise<{ created: string[]; dropped: string[] }> {
  const partitions = await readPartitions(db)
  if (!partitions) return { created: [], dropped: [] }
  const now = await readTime(db)
  const created = await changeEach(db, missingMonths(partitions, now), createMonth)
  const expired = days === 0 ? [] : await expiredMonths(db, partitions, new Date(now.getTime() - days * DAY))
  const dropped = await changeEach(db, expired, async (tx, month) => {
    await dropMonth(tx, month)
    return true
  })
  return { created, dropped }
}

/** The months after the last partition, until `AHEAD` months after the present one. */
function missingMonths({ months }: Partitions, now: Date): Month[] {
  const missing: Month[] = []
  const end = monthOf(now, AHEAD).to
  for (let next = months.at(-1)!.to; next < end; next = monthOf(next).to) missing.push(monthOf(next))
  return missing
}

/**
 * The months of which all entries have expired. An entry in a block remains until the block has expired,
 * unless the chain is no longer extended.
 */
async function expiredMonths(db: Db, { months }: Partitions, limit: Date): Promise<Month[]> {
  const expired = months.filter(({ to }) => to <= limit)
  if (expired.length === 0) return []
  const beginning = await readBeginning(db)
  return expired.filter(
    ({ to }) => (beginning && to <= beginning) || to.getTime() <= limit.getTime() - CHAIN_LAG * 1_000,
  )
}

/** Changes each month in a transaction of its own. Returns the names of those that were changed. */
async function changeEach(
  db: Db,
  months: Month[],
  change: (tx: Db, month: Month) => Promise<boolean>,
): Promise<string[]> {
  const changed: string[] = []
  for (const month of months) {
    const isChanged = await inTransaction(db, async (tx) => {
      return (await acquireCleanupLock(tx)) && change(tx, month)
    }).catch((error) => {
      if (isLockTimeout(error)) return false
      throw error
    })
    if (isChanged) changed.push(month.name)
  }
  return changed
}
