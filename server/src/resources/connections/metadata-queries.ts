/** SQL of the worker of the metadata: the next connections, and what it has read. */
import type { Db } from '../../database/database.ts'
import { and, eq, sql } from '../../database/drizzle.ts'
import { accounts, connections } from '../../database/schema.ts'
import { nextInTurn } from '../../jobs/turns.ts'
import { type Connection, columns, WITHOUT_TEST } from './queries.ts'
import type { StatedSettings } from './saml.ts'

/** 1 minute, in seconds: longer than a call. */
const LEASE = 60
/** Connections that are read at the same time, by all processes. */
const OF_SYSTEM = 5
const OF_ACCOUNT = 2

/** `lease`: when it ends; it identifies the reading. */
export type DueConnection = Pick<Connection, 'id' | 'systemId' | 'accountId' | 'metadataUrl'> & {
  lease: string
}

const isDue = sql`next_attempt_at <= now() and coalesce(leased_until <= now(), true)`

/** Leases up to `limit` connections that are due. Systems take turns, and within one the accounts. */
export async function claimConnections(db: Db, limit: number): Promise<DueConnection[]> {
  // Most polls find none: the statement below reads the index of all systems that have connections.
  const { rows } = (await db.execute(sql`select 1 from ${connections} where ${isDue} limit 1`)) as {
    rows: unknown[]
  }
  if (rows.length === 0) return []
  const next = nextInTurn(
    {
      table: sql`${connections}`,
      tenant: sql`${connections.systemId}`,
      open: sql`next_attempt_at is not null`,
      most: OF_SYSTEM,
      part: { column: sql`${connections.accountId}`, most: OF_ACCOUNT },
    },
    limit,
  )
  const { id, systemId, accountId, metadataUrl } = connections
  return db
    .update(connections)
    .set({ leasedUntil: sql`now() + make_interval(secs => ${LEASE})`, metadataReadAt: sql`now()` })
    .where(sql`${connections.id} = any(array(${next}))`)
    .returning({ id, systemId, accountId, metadataUrl, lease: sql<string>`${connections.leasedUntil}::text` })
}

export type LockedReading = Connection & { certificateNotice: number | null; now: Date }

/**
 * Locks a connection as long as this reading counts: another one has not begun, and what it depends on has
 * not changed. Its account is locked before, as by `lockConnection`.
 */
export async function lockReading(
  tx: Db,
  { id, accountId, lease }: DueConnection,
): Promise<LockedReading | undefined> {
  await tx.execute(sql`select id from ${accounts} where id = ${accountId} for key share`)
  const [found] = await tx
    .select({
      ...columns,
      certificateNotice: connections.certificateNotice,
      now: sql<Date>`now()`.mapWith(connections.createdAt),
    })
    .from(connections)
    .where(and(eq(connections.id, id), sql`${connections.leasedUntil} = ${lease}::timestamptz`))
    .for('update')
  return found
}

export type MetadataCode = 'metadata_invalid' | 'metadata_unavailable'

/** Daily, at a random time: connections that were set up together are not read together. */
const DAILY = sql`now() + interval '23 hours' + random() * interval '2 hours'`
const HOURLY = sql`now() + interval '1 hour'`

type Result = {
  /** What is stored in place of what was there. */
  stated: StatedSettings | undefined
  /** Why nothing is. */
  code: MetadataCode | undefined
  /** The last email about the end of the certificates. */
  certificateNotice: number | null
  /** When the next one is due. */
  nextNoticeAt: Date | undefined
}

/**
 * Stores what was read of a row-locked connection. One that was switched off is not read again until it is
 * set up or switched on.
 */
export async function storeReading(
  tx: Db,
  { id, metadataUrl, enabled, testedAt, lastError }: Connection,
  { stated, code, certificateNotice, nextNoticeAt }: Result,
): Promise<Connection> {
  const isRead = enabled || (testedAt === null && metadataUrl !== null)
  const again = sql`least(${code ? HOURLY : DAILY}, ${nextNoticeAt?.toISOString() ?? null}::timestamptz)`
  const wasRefused = lastError === 'metadata_invalid' || lastError === 'metadata_unavailable'
  const [after] = await tx
    .update(connections)
    .set({
      ...(stated && { ...stated, configuredAt: sql`now()`, ...WITHOUT_TEST, updatedAt: sql`now()` }),
      ...(code ? { lastError: code } : wasRefused && { lastError: null }),
      certificateNotice,
      nextAttemptAt: isRead ? again : null,
      leasedUntil: null,
    })
    .where(eq(connections.id, id))
    .returning(columns)
  return after!
}
