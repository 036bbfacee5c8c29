import { isIssuerOf, type SocialProvider } from '../../config/identity-providers.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor, Scope } from '../../http/authority.ts'
import { notify } from '../../jobs/email/budget.ts'
import type { EmailMessage } from '../../jobs/email/enqueue.ts'
import { record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import { eventOfUser } from '../users/changes.ts'
import type { Identity } from '../users/queries.ts'
import { type User, updateUser } from '../users/queries.ts'
import { deleteIdentitiesOf } from './queries.ts'

/**
 * Whether an identity is of the provider with this id: by its issuer, or by the id that the provider had at
 * the last sign-in, so that identities of a provider that is no longer configured can be unlinked too.
 */
export const isOfProvider = (
  social: SocialProvider[],
  id: string,
  { provider, issuer }: Pick<Identity, 'provider' | 'issuer'>,
): boolean => provider === id || social.some((each) => each.id === id && isIssuerOf(each, issuer))

/**
 * `social`: the configured providers. `scope`: where the identity is valid. `email` says who unlinked the
 * provider.
 */
type Unlinking = { social: SocialProvider[]; provider: string; scope: Scope; email: EmailMessage }

/**
 * Unlinks a row-locked user, read for this scope, from an identity provider: row, audit entry, event and
 * email. Sessions stay open. Throws `identity_not_found` or `only_way_in`.
 */
export async function unlinkIdentity(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  { social, provider, scope, email }: Unlinking,
): Promise<void> {
  const issuers = before.identities.filter((each) => isOfProvider(social, provider, each))
  await deleteIdentitiesOf(
    tx,
    before.id,
    scope,
    issuers.map(({ issuer }) => issuer),
  )
  const after = await updateUser(tx, before.id, {})
  await record(tx, actor, {
    action: 'user.identity_removed',
    target: { type: 'user', id: before.id },
    systemId: scope,
    changes: { identities: [provider, null] },
  })
  await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: ['identities'] }, scope))
  await notify(tx, seal, email, scope)
}
