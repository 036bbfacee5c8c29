/** Events and audit entries of connections. */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { type AuditEntry, record } from '../../journal/audit/record.ts'
import { actorOrigin, type EventType, enqueue } from '../../journal/events/enqueue.ts'
import type { Connection } from './queries.ts'

type Verb =
  | 'created'
  | 'updated'
  | 'metadata_changed'
  | 'enabled'
  | 'disabled'
  | 'deleted'
  | 'test_requested'
  | 'tested'
  | 'linked'
  | 'unlinked'
  | 'sessions_ended'
type Happened = `connection.${Verb}`
type Of = Pick<Connection, 'id' | 'systemId' | 'accountId'>

export async function recordConnection(
  tx: Db,
  actor: Actor,
  action: Happened,
  { id, systemId, accountId }: Of,
  changes: AuditEntry['changes'] = {},
): Promise<void> {
  const target = { type: 'connection', id }
  await record(tx, actor, { action, target, systemId, accountId, changes })
}

export async function enqueueConnection(
  tx: Db,
  actor: Actor,
  type: Extract<EventType, `connection.${string}`>,
  { id, systemId, accountId, name, kind, enabled }: Connection,
): Promise<void> {
  const data = { connection: { id, name, kind, enabled }, accountId, systemId, actor: actorOrigin(actor) }
  await enqueue(tx, { type, systemId, accountId, data })
}
