import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { releaseAccounts } from './queries.ts'

/** Turns the shared personal accounts of a user into organizations: rows, audit entries and events. */
export async function releaseSharedAccounts(tx: Db, actor: Actor, userId: string): Promise<void> {
  const released = await releaseAccounts(tx, userId)
  const entries = released.map(({ id, systemId }) => ({
    action: 'account.updated',
    target: { type: 'account', id },
    systemId,
    accountId: id,
    changes: { kind: ['personal', 'organization'] as [unknown, unknown] },
  }))
  const events = released.map(({ id: accountId, systemId, name, kind }) => ({
    type: 'account.updated' as const,
    systemId,
    accountId,
    data: {
      account: { id: accountId, name, kind },
      accountId,
      systemId,
      actor: { type: actor.type, id: actor.id },
    },
  }))
  await record(tx, actor, ...entries)
  await enqueue(tx, ...events)
}
