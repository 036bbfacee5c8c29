import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../authority.ts'
import type { Db } from '../db.ts'
import { audit } from '../schema.ts'

export type AuditEntry = {
  /** noun.verb in the past: `membership.blocked`. */
  action: string
  outcome?: 'success' | 'failure'
  target?: { type: string; id: string }
  systemId?: string | null
  accountId?: string | null
  /** field -> [old, new]. Never a password, secret, token or code. */
  changes?: Record<string, [unknown, unknown]>
}

/** Adds audit entries in one statement. Pass the transaction of the change, so that neither is kept without the other. */
export async function record(tx: Db, actor: Actor, ...entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await tx.insert(audit).values(
    entries.map((entry) => ({
      action: entry.action,
      outcome: entry.outcome ?? ('success' as const),
      actorType: actor.type,
      actorId: actor.id,
      actorIp: actor.ip,
      actorUserAgent: actor.userAgent,
      requestId: actor.requestId,
      targetType: entry.target?.type ?? null,
      targetId: entry.target?.id ?? null,
      systemId: entry.systemId ?? null,
      accountId: entry.accountId ?? null,
      changes: entry.changes ?? {},
    })),
  )
}

/** What differs between two states of a row, for `changes`; the order of an object's keys is no difference (jsonb has its own). */
export function difference(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, [unknown, unknown]> {
  const changed = Object.keys(after).filter((field) => !isDeepStrictEqual(before[field], after[field]))
  return Object.fromEntries(
    changed.filter((field) => field !== 'updatedAt').map((field) => [field, [before[field], after[field]]]),
  )
}
