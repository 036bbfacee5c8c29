/** Events and audit entries of accounts. */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { actorOrigin, type EventType, enqueue } from '../../journal/events/enqueue.ts'
import type { Account, ChangedAccount, PrivateFields } from './queries.ts'

/** Adds an event for each of the accounts, as the account is now, or was before its deletion. */
export async function enqueueAccounts(
  tx: Db,
  actor: Actor,
  type: Extract<EventType, `account.${string}`>,
  ...accounts: ChangedAccount[]
): Promise<void> {
  const events = accounts.map(({ id: accountId, systemId, name, kind }) => ({
    type,
    systemId,
    accountId,
    data: {
      account: { id: accountId, name, kind },
      accountId,
      systemId,
      actor: actorOrigin(actor),
    },
  }))
  await enqueue(tx, ...events)
}

/** The audit entry and the event of a new account. */
export async function recordCreated(tx: Db, actor: Actor, account: ChangedAccount): Promise<void> {
  const { name, kind } = account
  await record(tx, actor, {
    action: 'account.created',
    ...entryOfAccount(account),
    changes: difference({}, { name, kind }),
  })
  await enqueueAccounts(tx, actor, 'account.created', account)
}

/**
 * Notes what the admins of the account do not read. The entry names no account in its place, so that it is
 * beyond their reach (`within`) wherever entries are read or exported.
 */
export async function recordPrivate(
  tx: Db,
  actor: Actor,
  before: PrivateFields,
  after: Account,
): Promise<void> {
  const { metadata, externalId } = after
  const changes = difference(before, { metadata, externalId })
  if (Object.keys(changes).length === 0) return
  await record(tx, actor, { action: 'account.updated', ...entryOfAccount(after), accountId: null, changes })
}

/** Target, system and account of an audit entry about an account. */
export const entryOfAccount = ({ id, systemId }: ChangedAccount) => ({
  target: { type: 'account', id },
  systemId,
  accountId: id,
})
