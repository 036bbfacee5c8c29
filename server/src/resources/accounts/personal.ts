/** The personal accounts of a user when the user changes: rows, audit entries and events. */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { type AuditEntry, record } from '../../journal/audit/record.ts'
import { enqueueAccounts } from './event.ts'
import { type ChangedAccount, releaseAccounts, renamePersonal } from './queries.ts'

/** Turns the shared personal accounts of a user into organizations. */
export async function releaseSharedAccounts(tx: Db, actor: Actor, userId: string): Promise<void> {
  await noteChange(tx, shownTo(actor, userId), await releaseAccounts(tx, userId), {
    kind: ['personal', 'organization'],
  })
}

/**
 * A personal account has the address of its user as name, unless it was given another one. Only systems of
 * the user learn the new address.
 */
export async function renamePersonalAccounts(
  tx: Db,
  actor: Actor,
  user: { id: string; from: string; to: string },
): Promise<void> {
  if (user.from === user.to) return
  const changes: Changes = { name: [user.from, user.to] }
  await noteChange(tx, shownTo(actor, user.id), await renamePersonal(tx, user), changes)
}

/** What systems learn about who has changed a user of theirs: whether it was the user, and nothing else. */
const shownTo = ({ type, id }: Actor, userId: string): Actor => ({
  type,
  id: id === userId ? id : null,
  ip: null,
  userAgent: null,
  requestId: null,
})

type Changes = NonNullable<AuditEntry['changes']>

async function noteChange(tx: Db, actor: Actor, changed: ChangedAccount[], changes: Changes): Promise<void> {
  const entries = changed.map(({ id, systemId }) => ({
    action: 'account.updated',
    target: { type: 'account', id },
    systemId,
    accountId: id,
    changes,
  }))
  await record(tx, actor, ...entries)
  await enqueueAccounts(tx, actor, 'account.updated', ...changed)
}
