/** Rows with times in the past and future, for tests of cleanup. */
import { type SQL, sql } from '../../src/database/drizzle.ts'

export const unique = () => crypto.randomUUID()
export const bytes = () => Buffer.from(unique())
export const ago = (time: string): SQL => sql`now() - ${time}::interval`
export const ahead = (time: string): SQL => sql`now() + ${time}::interval`

/** Names of the rows that still exist. */
export const remaining = async (rows: { name: string; there: Promise<unknown[]> }[]): Promise<string[]> => {
  const found = await Promise.all(
    rows.map(async ({ name, there }) => ((await there).length > 0 ? [name] : [])),
  )
  return found.flat()
}

/** Inserts named rows. `kept` returns the names of those that still exist. */
export async function insertRows<Row>(
  rows: Record<string, Row>,
  insert: (row: Row) => Promise<unknown>,
  find: (row: Row) => Promise<unknown[]>,
) {
  for (const row of Object.values(rows)) await insert(row)
  return { kept: () => remaining(Object.entries(rows).map(([name, row]) => ({ name, there: find(row) }))) }
}
