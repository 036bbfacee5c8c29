/** Reads what a server has recorded in its database: emails, audit entries and events. */
import type { Seal } from '../../src/crypto/seal.ts'
import type { Db } from '../../src/database/database.ts'
import { and, asc, eq } from '../../src/database/drizzle.ts'
import { audit, events, mail } from '../../src/database/schema.ts'
import { drawEmail } from '../../src/jobs/email/compose.ts'
import { openEmail } from '../../src/jobs/email/enqueue.ts'

export type Sent = { kind: string; subject: string; text: string; html: string; sender?: string }
export type AuditFilter = { targetId?: string; action?: string; systemId?: string; actorId?: string }
export type EventFilter = {
  systemId?: string
  userId?: string
  accountId?: string
  membershipId?: string
  type?: string
}

/** What a mailer adds to what an email says. */
const INSTALLATION = { name: 'Northsea ID', baseUrl: 'https://id.example.com' }

/** The queued emails to an address, oldest first. */
export async function queuedEmails(db: Db, seal: Seal, recipient: string): Promise<Sent[]> {
  const rows = await db.select().from(mail).where(eq(mail.recipient, recipient)).orderBy(asc(mail.createdAt))
  return rows.map((row) => {
    const content = openEmail(seal, row)
    return { kind: row.kind, ...content, ...drawEmail(content, INSTALLATION) }
  })
}

function conditions<Table extends typeof audit | typeof events>(
  table: Table,
  by: Partial<Record<string, string>>,
) {
  const columns = table as unknown as Record<string, typeof audit.action>
  return Object.entries(by).flatMap(([field, value]) =>
    value === undefined ? [] : [eq(columns[field]!, value)],
  )
}

/** Audit entries, oldest first. */
export const findAuditEntries = (db: Db, by: AuditFilter) =>
  db
    .select()
    .from(audit)
    .where(and(...conditions(audit, by)))
    .orderBy(asc(audit.time))

/** Events in order, without copies for other systems. */
export const findEvents = (db: Db, by: EventFilter) =>
  db
    .select()
    .from(events)
    .where(and(eq(events.copy, false), ...conditions(events, by)))
    .orderBy(asc(events.seq))
