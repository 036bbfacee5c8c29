import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor, Scope } from '../../http/authority.ts'
import { notify } from '../../jobs/email/budget.ts'
import { identityAdded } from '../../jobs/email/messages.ts'
import { record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import type { Brand } from '../../texts/brand.ts'
import { eventOfUser } from '../users/changes.ts'
import type { Identity } from '../users/queries.ts'
import { type User, updateUser } from '../users/queries.ts'
import { insertIdentity } from './queries.ts'

type Linking = {
  identity: Identity
  /** Where the identity is valid. */
  scope: Scope
  /** The name of the provider, for the email. */
  providerName: string
  /** The system of the sign-in, if there is one. */
  system?: (Brand & { id: string }) | undefined
}

/**
 * Links an identity to a row-locked user: row, audit entry, event and an email to the user. Returns its id.
 * Throws `identity_taken` or `identity_linked`.
 */
export async function linkIdentity(
  tx: Db,
  seal: Seal,
  actor: Actor,
  user: User,
  { identity, scope, providerName, system }: Linking,
): Promise<string> {
  const id = await insertIdentity(tx, user.id, identity, scope)
  await updateUser(tx, user.id, {})
  await record(tx, actor, {
    action: 'user.identity_linked',
    target: { type: 'user', id: user.id },
    systemId: system?.id ?? null,
    changes: { provider: [null, identity.provider] },
  })
  await enqueue(tx, eventOfUser('user.updated', actor, user, { changed: ['identities'] }, scope))
  await notify(tx, seal, identityAdded(user, system, providerName), scope)
  return id
}
