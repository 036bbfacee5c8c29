/** Verifies a database that was restored from a backup. Reads only. */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { and, getTableConfig, gt, is, type PgColumn, PgTable, sql } from '../database/drizzle.ts'
import * as schema from '../database/schema.ts'
import { emailContextOf } from '../jobs/email/enqueue.ts'
import { webhookContextOf } from '../jobs/webhooks/secrets.ts'
import { openCheckpointKey } from '../journal/audit/chain/checkpoint.ts'
import { verifyAudit } from '../journal/audit/chain/verify.ts'
import { signingKeyContextOf } from '../oidc/keys/signing-keys.ts'
import { totpContextOf } from '../resources/factors/totp-secret.ts'

export type Report = {
  /** What the database contains, by name. */
  facts: [string, string][]
  /** Each a sentence. Empty: the backup can be used. */
  faults: string[]
}

type Table = InstanceType<typeof PgTable>
type Sealed = {
  name: string
  table: Table
  id: PgColumn
  owner?: PgColumn
  value: PgColumn
  context(id: string): string
}

/** Everything that is encrypted under SECRET_KEY for longer than a day. */
const SEALED: Sealed[] = [
  {
    name: 'signing keys',
    table: schema.signingKeys,
    id: schema.signingKeys.kid,
    value: schema.signingKeys.sealedPrivateJwk,
    context: signingKeyContextOf,
  },
  {
    name: 'secrets of webhooks',
    table: schema.webhooks,
    id: schema.webhooks.id,
    value: schema.webhooks.sealedSecret,
    context: webhookContextOf,
  },
  {
    name: 'secrets of authenticator apps',
    table: schema.totpFactors,
    id: schema.totpFactors.id,
    owner: schema.totpFactors.userId,
    value: schema.totpFactors.sealedSecret,
    context: totpContextOf,
  },
  {
    name: 'queued emails',
    table: schema.mail,
    id: schema.mail.id,
    value: schema.mail.sealedMessage,
    context: emailContextOf,
  },
]

/** Rows that are read at once. */
const BATCH = 1_000

/** `checkpoint`: the text of one of the audit log that was kept elsewhere. */
export async function verifyBackup(db: Db, seal: Seal, checkpoint?: string): Promise<Report> {
  const report: Report = { facts: [], faults: [] }
  await verifyCatalog(db, report)
  await countRows(db, report)
  for (const sealed of SEALED) await verifySealed(db, seal, sealed, report)
  await verifyEventLog(db, report)
  const audit = await verifyAudit(db, await openCheckpointKey(seal), checkpoint)
  report.facts.push(['audit entries in signed blocks', String(audit.entries)])
  report.faults.push(...audit.faults)
  return report
}

const rowsOf = async <Row>(db: Db, statement: ReturnType<typeof sql>): Promise<Row[]> =>
  ((await db.execute(statement)) as unknown as { rows: Row[] }).rows

const tables: Table[] = Object.values(schema).flatMap((each) => (is(each, PgTable) ? [each] : []))

/** All tables, constraints and indexes exist and are valid: a restore can continue after an error. */
async function verifyCatalog(db: Db, { faults }: Report): Promise<void> {
  const expected = tables.flatMap((table) => {
    const { name, indexes, uniqueConstraints, foreignKeys, checks } = getTableConfig(table)
    const constraints = [...uniqueConstraints, ...foreignKeys].map((each) => each.getName())
    return [
      name,
      ...indexes.map(({ config }) => config.name),
      ...constraints,
      ...checks.map((check) => check.name),
    ]
  })
  const found = await rowsOf<{ name: string; valid: boolean }>(
    db,
    sql`select relname as name, coalesce(indisvalid, true) as valid from pg_class
        left join pg_index on indexrelid = pg_class.oid
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'i', 'I')
      union all select conname, convalidated from pg_constraint
        where connamespace = current_schema()::regnamespace`,
  )
  const names = new Set(found.map(({ name }) => name))
  const missing = expected.filter((name) => name !== undefined && !names.has(name))
  const invalid = found.filter(({ valid }) => !valid).map(({ name }) => name)
  if (missing.length > 0) faults.push(`Missing tables, indexes or constraints: ${missing.join(', ')}.`)
  if (invalid.length > 0) faults.push(`Invalid indexes or constraints: ${invalid.join(', ')}.`)
}

async function countRows(db: Db, { facts, faults }: Report): Promise<void> {
  for (const [name, table] of [
    ['users', schema.users],
    ['systems', schema.systems],
    ['accounts', schema.accounts],
    ['memberships', schema.memberships],
    ['sessions', schema.sessions],
  ] as const)
    facts.push([name, String(await db.$count(table))])
  const [newest] = await rowsOf<{ time: string | null }>(
    db,
    sql`select to_char(max(time) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as time from ${schema.audit}`,
  )
  if (newest?.time) facts.push(['newest audit entry', newest.time])
  else faults.push('The audit log is empty: the database was never used, or its rows were not restored.')
}

async function verifySealed(db: Db, seal: Seal, sealed: Sealed, { facts, faults }: Report): Promise<void> {
  const { name, table, id, owner = id, value, context } = sealed
  let [count, unreadable] = [0, 0]
  for (let last: string | undefined; ; ) {
    const rows = await db
      .select({ id, owner, value })
      .from(table)
      .where(and(sql`${value} is not null`, last === undefined ? undefined : gt(id, last)))
      .orderBy(id)
      .limit(BATCH)
    for (const row of rows) if (!opens(seal, row.value as Buffer, context(String(row.owner)))) unreadable += 1
    count += rows.length
    if (rows.length < BATCH) break
    last = String(rows.at(-1)!.id)
  }
  facts.push([name, String(count)])
  if (unreadable > 0) faults.push(`${unreadable} of ${count} ${name} cannot be decrypted with SECRET_KEY.`)
  if (table === schema.signingKeys && count === 0) faults.push('There are no signing keys.')
}

function opens(seal: Seal, value: Buffer, context: string): boolean {
  try {
    seal.open(value, context)
    return true
  } catch {
    return false
  }
}

/** The positions of events have no gaps (decision 0024). */
async function verifyEventLog(db: Db, { facts, faults }: Report): Promise<void> {
  const [log] = await rowsOf<{ count: number; gaps: boolean; behind: boolean }>(
    db,
    sql`select count(*)::int as count,
        coalesce(max(position) - min(position) + 1 <> count(position), false) as gaps,
        coalesce(max(position) > (select newest from ${schema.eventLog}), max(position) is not null) as behind
      from ${schema.events}`,
  )
  facts.push(['events', String(log!.count)])
  if (log!.gaps) faults.push('Events are missing: the positions of the event log have gaps.')
  if (log!.behind) faults.push('The event log has positions that were not assigned by it.')
}
