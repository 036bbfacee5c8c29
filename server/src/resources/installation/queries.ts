/** SQL statements about the installation: signing keys, queued email, sizes of the tables. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { mail, signingKeys } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'

const keyColumns = {
  kid: signingKeys.kid,
  alg: signingKeys.alg,
  state: sql<
    'next' | 'active' | 'retired'
  >`case when ${signingKeys.retiredFrom} <= now() then 'retired' when ${signingKeys.activeFrom} > now() then 'next' else 'active' end`,
  createdAt: signingKeys.createdAt,
  activeFrom: signingKeys.activeFrom,
  retiredFrom: signingKeys.retiredFrom,
  removeFrom: signingKeys.removeFrom,
}
export type SigningKeyRow = Omit<typeof signingKeys.$inferSelect, 'publicJwk' | 'sealedPrivateJwk'> & {
  state: 'next' | 'active' | 'retired'
}

/** The published keys, the newest first. */
export const listSigningKeys = (db: Db): Promise<SigningKeyRow[]> =>
  db
    .select(keyColumns)
    .from(signingKeys)
    .where(sql`coalesce(${signingKeys.removeFrom} > now(), true)`)
    .orderBy(sql`${signingKeys.activeFrom} desc`, signingKeys.kid)

/** All columns but the message. */
const mailColumns = {
  id: mail.id,
  kind: mail.kind,
  recipient: mail.recipient,
  userId: mail.userId,
  status: mail.status,
  attempts: mail.attempts,
  lastError: mail.lastError,
  nextAttemptAt: mail.nextAttemptAt,
  expiresAt: mail.expiresAt,
  createdAt: mail.createdAt,
  sentAt: mail.sentAt,
}
export type QueuedEmail = Pick<typeof mail.$inferSelect, keyof typeof mailColumns>
type MailFilter = {
  status?: QueuedEmail['status'] | undefined
  kind?: string | undefined
  userId?: string | undefined
}

/** A page of the emails that match, newest first, and their number. */
export function listMail(
  db: Db,
  { status, kind, userId, ...page }: PageRequest & MailFilter,
): Promise<Listed<QueuedEmail>> {
  const found = and(
    // The value is text, not a parameter: the planner must see that the index of this status fits.
    status && sql`${mail.status} = ${sql.raw(`'${status}'`)}`,
    kind === undefined ? undefined : eq(mail.kind, kind),
    userId === undefined ? undefined : eq(mail.userId, userId),
  )
  const matching = {
    all: sql`select ${mail.id} as id, ${mail.createdAt} as time from ${mail} where ${found ?? sql`true`}`,
  }
  return listPage(db, page, matching, (ids) => db.select(mailColumns).from(mail).where(inArray(mail.id, ids)))
}

/** Throws `email_not_found`. */
export async function findMail(db: Db, id: string): Promise<QueuedEmail> {
  const [found] = await db.select(mailColumns).from(mail).where(eq(mail.id, id))
  if (!found) throw new Failure('email_not_found')
  return found
}

export type TableSize = { name: string; bytes: number; rows: number }

/** The size of each table with its indexes, the largest first. `rows` is an estimate. */
export async function readTableSizes(db: Db): Promise<TableSize[]> {
  const found = await db.execute(sql`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes, greatest(c.reltuples, 0)::float8 as rows
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    order by pg_total_relation_size(c.oid) desc, c.relname`)
  return (found as unknown as { rows: TableSize[] }).rows
}

type MailNumbers = { pending: number; failed: number; oldestPendingAt: string | null }

/** Emails that wait, and those of the last seven days that could not be sent; counted up to 10,000 each. */
export async function countMail(db: Db): Promise<MailNumbers> {
  const found = await db.execute(sql`select
    (select count(*)::int from (select from ${mail} where status = 'pending' limit 10000) m) as pending,
    (select count(*)::int from (select from ${mail} where status = 'failed' and created_at > now() - interval '7 days' limit 10000) m) as failed,
    (select (extract(epoch from min(created_at)) * 1000)::float8 from ${mail} where status = 'pending') as oldest`)
  const { oldest, ...numbers } = (
    found as unknown as { rows: (Omit<MailNumbers, 'oldestPendingAt'> & { oldest: number | null })[] }
  ).rows[0]!
  return { ...numbers, oldestPendingAt: oldest === null ? null : new Date(oldest).toISOString() }
}
