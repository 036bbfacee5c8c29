import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { prepared } from '../../database/prepared.ts'
import { audit } from '../../database/schema.ts'
import { afterCommit, currentTransaction } from '../../database/transaction.ts'
import type { NewAuditRow } from '../../database/write-batch.ts'
import type { Actor } from '../../http/authority.ts'
import { noteWritten } from '../../request-time.ts'
import { countLogin, isLogin } from '../stats/logins.ts'
import { boundedChanges } from './bounded.ts'
import { stamp } from './stamp.ts'

export type AuditEntry = {
  /** Resource and past participle: `membership.blocked`. */
  action: string
  outcome?: 'success' | 'failure'
  target?: { type: string; id: string }
  systemId?: string | null
  accountId?: string | null
  /** field -> [old, new]. Never a password, secret, token or code. */
  changes?: Record<string, [unknown, unknown]>
  /** The changes are read again (chain/verify.ts): a large value is stored whole. */
  isRead?: boolean
}

function rowOf(
  actor: Actor,
  { action, outcome = 'success', target, changes = {}, isRead, ...at }: AuditEntry,
): NewAuditRow {
  const stamped = {
    id: randomUUID(),
    action,
    outcome,
    actorType: actor.type,
    actorId: actor.id,
    actorVia: actor.via ?? null,
    actorAuthority: actor.authority ?? null,
    requestId: actor.requestId,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    systemId: at.systemId ?? null,
    accountId: at.accountId ?? null,
  }
  return {
    ...stamped,
    actorIp: actor.ip,
    actorUserAgent: actor.userAgent,
    changes: isRead ? changes : boundedChanges(changes),
    stamp: stamp(stamped, Object.keys(changes)),
  }
}

const one = prepared((db) =>
  db
    .insert(audit)
    .values({
      id: sql.placeholder('id'),
      action: sql.placeholder('action'),
      outcome: sql.placeholder('outcome'),
      actorType: sql.placeholder('actorType'),
      actorId: sql.placeholder('actorId'),
      actorIp: sql.placeholder('actorIp'),
      actorUserAgent: sql.placeholder('actorUserAgent'),
      actorVia: sql.placeholder('actorVia'),
      actorAuthority: sql.placeholder('actorAuthority'),
      requestId: sql.placeholder('requestId'),
      targetType: sql.placeholder('targetType'),
      targetId: sql.placeholder('targetId'),
      systemId: sql.placeholder('systemId'),
      accountId: sql.placeholder('accountId'),
      changes: sql.placeholder('changes'),
      stamp: sql.placeholder('stamp'),
    })
    .prepare('insert_audit_entry'),
)

/** Counts sign-ins and refused ones, if the transaction of their entry commits. */
function noteLogins(entries: AuditEntry[]): void {
  for (const entry of entries) if (isLogin(entry)) afterCommit(() => countLogin(entry))
}

/**
 * Adds audit entries in one statement. Pass the transaction of the change, so that
 * neither is kept without the other.
 */
export async function record(tx: Db, actor: Actor, ...entries: AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => rowOf(actor, entry))
  noteLogins(entries)
  const [first] = rows
  if (!first) return
  noteWritten('entries', rows.length)
  await (rows.length === 1 ? one(tx).execute(first) : tx.insert(audit).values(rows))
}

/**
 * Adds an audit entry in the statement that stores the artifacts of the request (resources/artifacts), or at
 * once if there is none.
 */
export async function recordWithArtifacts(tx: Db, actor: Actor, entry: AuditEntry): Promise<void> {
  const batch = currentTransaction()?.artifacts
  if (!batch) return record(tx, actor, entry)
  batch.audit.push(rowOf(actor, entry))
  noteLogins([entry])
}

/** The columns of `auditInsert` and `auditValues`, with their types. */
const COLUMNS = {
  id: 'uuid',
  action: 'text',
  outcome: 'text',
  actorType: 'text',
  actorId: 'text',
  actorIp: 'text',
  actorUserAgent: 'text',
  actorVia: 'text',
  actorAuthority: 'text',
  requestId: 'text',
  targetType: 'text',
  targetId: 'text',
  systemId: 'uuid',
  accountId: 'uuid',
  changes: 'jsonb',
  stamp: 'bytea',
} satisfies Record<keyof NewAuditRow, string>

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** An INSERT of audit entries as a part of another statement. In the order of `auditValues`. */
export function auditInsert(count: number, value: (type: string) => SQL, condition: SQL): SQL {
  const row = () => sql`(${sql.join(Object.values(COLUMNS).map(value), sql`, `)})`
  const columns = sql.raw(Object.keys(COLUMNS).map(snakeCase).join(', '))
  return sql`insert into audit (${columns})
    select * from (values ${sql.join(Array.from({ length: count }, row), sql`, `)}) as entry where ${condition} returning 1`
}

export const auditValues = ({ changes, ...row }: NewAuditRow): unknown[] =>
  Object.keys(COLUMNS).map((name) =>
    name === 'changes' ? JSON.stringify(changes) : row[name as keyof typeof row],
  )

/**
 * The fields that differ between two states of a row, for `changes`. The order of an object's keys is
 * ignored, because jsonb does not keep it.
 */
export function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, [unknown, unknown]> {
  const changed = Object.keys(after).filter((field) => !isDeepStrictEqual(before[field], after[field]))
  return Object.fromEntries(
    changed.filter((field) => field !== 'updatedAt').map((field) => [field, [before[field], after[field]]]),
  )
}
