/** The personal accounts of a user when the user changes: rows, audit entries and events. */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { type AuditEntry, record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { type ChangedAccount, releaseAccounts, renamePersonal } from './queries.ts'

/** Turns the shared personal accounts of a user into organizations. */
export async function releaseSharedAccounts(tx: Db, actor: Actor, userId: string): Promise<void> {
  await noteChange(tx, actor, await releaseAccounts(tx, userId), { kind: ['personal', 'organization'] })
}

/** A personal account has the address of its user as name, unless it was given another one. */
export async function renamePersonalAccounts(
  tx: Db,
  actor: Actor,
  user: { id: string; from: string; to: string },
): Promise<void> {
  if (user.from === user.to) return
  await noteChange(tx, actor, await renamePersonal(tx, user), { name: [user.from, user.to] })
}

async function noteChange(
  tx: Db,
  actor: Actor,
  changed: ChangedAccount[],
  changes: NonNullable<AuditEntry['changes']>,
): Promise<void> {
  const entries = changed.map(({ id, systemId }) => ({
    action: 'account.updated',
    target: { type: 'account', id },
    systemId,
    accountId: id,
    changes,
  }))
  const events = changed.map(({ id: accountId, systemId, name, kind }) => ({
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
