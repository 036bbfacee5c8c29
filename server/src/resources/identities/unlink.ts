import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor, Scope } from '../../http/authority.ts'
import { type EmailMessage, enqueueEmail } from '../../jobs/email/enqueue.ts'
import { record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { eventOf } from '../users/changes.ts'
import { type User, updateUser } from '../users/queries.ts'
import { deleteIdentity } from './queries.ts'

/** `scope`: where the identity is valid. `email` says who unlinked the provider. */
type Unlinking = { provider: string; scope: Scope; email: EmailMessage }

/**
 * Unlinks a row-locked user from an identity provider: row, audit entry, event and email. Sessions stay open.
 * Throws `identity_not_found` or `only_way_in`.
 */
export async function unlinkIdentity(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  { provider, scope, email }: Unlinking,
): Promise<void> {
  await deleteIdentity(tx, before.id, scope, provider)
  const after = await updateUser(tx, before.id, {})
  await record(tx, actor, {
    action: 'user.identity_removed',
    target: { type: 'user', id: before.id },
    systemId: scope,
    changes: { identities: [provider, null] },
  })
  await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['identities'] }, scope))
  await enqueueEmail(tx, seal, email)
}
