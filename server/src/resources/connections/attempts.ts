/** The log of a connection: its last sign-ins and tests. */
import type { Db } from '../../database/database.ts'
import { and, desc, eq, isNull, lt, or, sql } from '../../database/drizzle.ts'
import { connectionAttempts, connections } from '../../database/schema.ts'

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

/**
 * The provider may sign with a new key: its metadata is read, at most every 10 minutes. Anybody can cause
 * such a refusal.
 */
const READ_AGAIN = sql`case when ${connections.metadataUrl} is null then ${connections.nextAttemptAt}
  else least(${connections.nextAttemptAt},
    greatest(now(), ${connections.metadataReadAt} + interval '10 minutes')) end`

/**
 * Notes on the connection how its last sign-in has ended: null, or the code of the refusal. The row of one
 * that many members use is written once a minute.
 */
export async function noteOutcome(tx: Db, id: string, code: string | null): Promise<void> {
  const { lastUsedAt, lastError } = connections
  const isDue =
    code === null
      ? or(
          isNull(lastUsedAt),
          lt(lastUsedAt, sql`now() - interval '1 minute'`),
          sql`${lastError} is not null`,
        )
      : undefined
  await tx
    .update(connections)
    .set(
      code === null
        ? { lastUsedAt: sql`now()`, lastError: null }
        : { lastError: code, ...(code === 'saml_signature' && { nextAttemptAt: READ_AGAIN }) },
    )
    .where(and(eq(connections.id, id), isDue))
}
