import type { Db } from './database.ts'
import { sql } from './drizzle.ts'

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

/** The names of the tables that are distributed with Citus (ops/citus); none without Citus. */
export async function readDistributed(db: Db): Promise<Set<string>> {
  const asked = await db.execute(sql`select to_regclass('pg_dist_partition') is not null as "isInstalled"`)
  if (!rowsOf<{ isInstalled: boolean }>(asked)[0]!.isInstalled) return new Set()
  const found = await db.execute(sql`select logicalrelid::text as name from pg_dist_partition`)
  return new Set(rowsOf<{ name: string }>(found).map(({ name }) => name))
}
