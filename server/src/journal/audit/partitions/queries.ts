/**
 * The partitions of the audit log, if it was converted by ops/partitions/audit.sql: one for each month, and
 * two without a month, `audit_before` for the time before the conversion and `audit_default`.
 */
import type { Db } from '../../../database/database.ts'
import { sql } from '../../../database/drizzle.ts'

/** A month in UTC: its partition, its first moment, and that of the following month. */
export type Month = { name: string; from: Date; to: Date }

/** `months`: in their order, at least one. */
export type Partitions = { months: [Month, ...Month[]]; others: string[] }

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

/** The month that begins `later` months after that of a time. */
export function monthOf(time: Date, later = 0): Month {
  const first = (month: number) => new Date(Date.UTC(time.getUTCFullYear(), month))
  const from = first(time.getUTCMonth() + later)
  return {
    name: `audit_${from.toISOString().slice(0, 7).replace('-', '_')}`,
    from,
    to: first(time.getUTCMonth() + later + 1),
  }
}

/** Undefined if the audit log is one table. */
export async function readPartitions(db: Db): Promise<Partitions | undefined> {
  const found = await db.execute(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('audit') order by c.relname`)
  const names = rowsOf<{ name: string }>(found).map(({ name }) => name)
  const monthly = names.filter((name) => /^audit_\d{4}_\d{2}$/.test(name))
  const [first, ...rest] = monthly.map((name) =>
    monthOf(new Date(`${name.slice('audit_'.length).replace('_', '-')}-01T00:00:00Z`)),
  )
  if (!first) return undefined
  return { months: [first, ...rest], others: names.filter((name) => !monthly.includes(name)) }
}

/**
 * In ms. As long as a change of the partitions waits for the lock of the log, requests that write an entry
 * wait behind it.
 */
const LOCK_TIMEOUT = sql.raw('200')
const limitWaiting = (tx: Db) => tx.execute(sql`set local lock_timeout = ${LOCK_TIMEOUT}`)

/**
 * Creates the partition of a month. False, without a change, if an entry of that month is in the default
 * partition, where it stays until it expires.
 */
export async function createMonth(tx: Db, { name, from, to }: Month): Promise<boolean> {
  const bounds = sql.raw(`from ('${from.toISOString()}') to ('${to.toISOString()}')`)
  const table = sql.identifier(name)
  await limitWaiting(tx)
  // Locked first: otherwise an entry could be added after the look-up.
  await tx.execute(sql`lock table audit_default in access exclusive mode`)
  const late = await tx.execute(sql`select from audit_default
    where time >= ${from.toISOString()} and time < ${to.toISOString()} limit 1`)
  if (rowsOf(late).length > 0) return false
  // Not `partition of`, which would lock the whole log.
  await tx.execute(sql`create table ${table} (like audit including defaults including constraints)`)
  await tx.execute(sql`alter table audit attach partition ${table} for values ${bounds}`)
  return true
}

/** Drops the partition of a month, while the whole log is locked: a few milliseconds. */
export async function dropMonth(tx: Db, { name }: Month): Promise<void> {
  await limitWaiting(tx)
  await tx.execute(sql`drop table ${sql.identifier(name)}`)
}
