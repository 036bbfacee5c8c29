import { type AnyPgColumn, type SQL, sql } from '../../database/drizzle.ts'

/**
 * Whether a system was not deleted. A job deletes the rows of a large one after the system itself.
 * With an id, PostgreSQL evaluates it once per statement.
 */
export const isPresent = (systemId: string | AnyPgColumn): SQL =>
  sql`exists (select from systems s where s.id = ${systemId})`
