/** Events and audit entries of domains. */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { type AuditEntry, record } from '../../journal/audit/record.ts'
import { actorOrigin, type EventType, enqueue } from '../../journal/events/enqueue.ts'
import type { Domain } from './queries.ts'

type Happened = `domain.${'added' | 'updated' | 'removed' | 'check_requested' | 'verified' | 'lapsed'}`

export async function recordDomain(
  tx: Db,
  actor: Actor,
  action: Happened,
  { id, systemId, accountId }: Domain,
  changes: AuditEntry['changes'] = {},
): Promise<void> {
  const target = { type: 'domain', id }
  await record(tx, actor, { action, target, systemId, accountId, changes })
}

export async function enqueueDomain(
  tx: Db,
  actor: Actor,
  type: Extract<EventType, `domain.${string}`>,
  { id, systemId, accountId, name, subdomains, status }: Domain,
): Promise<void> {
  const data = {
    domain: { id, name, subdomains, status },
    accountId,
    systemId,
    actor: actorOrigin(actor),
  }
  await enqueue(tx, { type, systemId, accountId, data })
}
