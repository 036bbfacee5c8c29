/** SQL statements about how many rows a system owns. */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'

/** More rows of a kind than one transaction deletes, with their audit entries and events. */
const MOST = 1_000
/** More rows than one transaction deletes of a kind without audit entries and events. */
const MOST_SILENT = 10_000

const moreThan = (most: number, from: SQL) => sql`exists (select from ${from} offset ${most})`

/** Whether a system owns more than one transaction deletes. Reads no more rows than it takes to decide. */
export async function ownsMany(db: Db, systemId: string): Promise<boolean> {
  const of = (table: string) => sql`${sql.raw(table)} where system_id = ${systemId}`
  const found = await db.execute(sql`select (${moreThan(MOST, of('memberships'))}
    or ${moreThan(MOST, of('accounts'))} or ${moreThan(MOST, of('system_users'))}
    or ${moreThan(MOST, sql`${of('sessions')} and ended_at is null and expires_at > now()`)}
    or ${moreThan(MOST_SILENT, of('sessions'))} or ${moreThan(MOST_SILENT, of('registrations'))}
    or ${moreThan(MOST_SILENT, sql`deliveries where webhook_id in (select id from ${of('webhooks')})`)}) as many`)
  return (found as unknown as { rows: { many: boolean }[] }).rows[0]!.many
}

/** Rows of a kind that are counted, in the transaction of the request. */
const OWNED_COUNTED_MAX = 100_000

/**
 * The number of rows that the deletion of a system reports as its progress, at most COUNTED_MAX of each kind.
 * Active sessions count twice.
 */
export async function countOwned(db: Db, systemId: string): Promise<number> {
  const of = (table: string, and = sql`true`) =>
    sql`(select count(*) from (select from ${sql.raw(table)}
      where system_id = ${systemId} and ${and} limit ${OWNED_COUNTED_MAX}) as counted)`
  const found = await db.execute(sql`select (${of('memberships')} + ${of('accounts')} + ${of('system_users')}
    + ${of('sessions')} + ${of('sessions', sql`ended_at is null and expires_at > now()`)})::int as count`)
  return (found as unknown as { rows: { count: number }[] }).rows[0]!.count
}
