/** Inserts more rows than a test can create by requests. */
import type { Db } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'

/** Rows per statement: each takes less than a second, the limit is four. */
const PART = 1_000

/**
 * Calls `insert` with parts of the numbers from 1 to `count`. A connection keeps its plan of a foreign key's
 * check; one that was made for a table of few rows reads the whole table, until the table is analyzed.
 */
export async function insertInParts(
  db: Db,
  count: number,
  insert: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 1; from <= count; from += PART) {
    await insert(from, Math.min(from + PART - 1, count))
    if (from === 1) await db.execute(sql`analyze users, system_users, accounts, memberships`)
  }
}
