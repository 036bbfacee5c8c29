/** The log of a connection: its last sign-ins and tests. */
import type { Db } from '../../database/database.ts'
import { desc, eq, sql } from '../../database/drizzle.ts'
import { connectionAttempts } from '../../database/schema.ts'

/** The attempts of a connection that are kept. */
export const ATTEMPTS_MAX = 200

type Row = typeof connectionAttempts.$inferSelect
export type Attempt = Omit<Row, 'connectionId'>

/** The newest first. */
export const listAttempts = (db: Db, connectionId: string): Promise<Attempt[]> => {
  const { id, time, outcome, code, subject, email, requestId } = connectionAttempts
  return db
    .select({ id, time, outcome, code, subject, email, requestId })
    .from(connectionAttempts)
    .where(eq(connectionAttempts.connectionId, connectionId))
    .orderBy(desc(time), desc(id))
    .limit(ATTEMPTS_MAX)
}

/** Adds an attempt, and deletes those that are too many: visitors cause them. */
export async function insertAttempt(
  tx: Db,
  row: Pick<Row, 'connectionId' | 'outcome' | 'code' | 'subject' | 'email' | 'requestId'>,
): Promise<void> {
  await tx.insert(connectionAttempts).values(row)
  await tx.execute(sql`delete from connection_attempts where id in (
    select id from connection_attempts where connection_id = ${row.connectionId}
    order by time desc, id desc offset ${ATTEMPTS_MAX})`)
}
