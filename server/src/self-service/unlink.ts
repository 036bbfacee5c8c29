/**
 * The linked identity providers of a user, and unlinking one. Sessions continue, as they do when an
 * administrator unlinks it.
 */

import type { Config } from '../config/config.ts'
import { isIssuerOf } from '../config/identity-providers.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import { EVERYTHING } from '../http/authority.ts'
import { identityUnlinked } from '../jobs/email/messages.ts'
import { unlinkIdentity } from '../resources/identities/unlink.ts'
import type { Identity } from '../resources/users/queries.ts'
import { lockUser, type User } from '../resources/users/queries.ts'
import type { SignedIn } from './signed-in.ts'

/** The provider's name; the id that it had if it is no longer configured. */
export const providerNameOf = ({ social }: Config, { provider, issuer }: Identity): string =>
  social.find((each) => isIssuerOf(each, issuer))?.name ?? provider

/** The configured providers at which the user has no identity. */
export const offeredTo = ({ social }: Config, { identities }: Pick<User, 'identities'>) =>
  social.filter((provider) => !identities.some(({ issuer }) => isIssuerOf(provider, issuer)))

export async function unlinkProvider(
  { db, seal, config: { social } }: { db: Db; seal: Seal; config: Config },
  { actor, user }: Pick<SignedIn, 'actor' | 'user'>,
  provider: string,
): Promise<'unlinked' | 'onlyWayIn'> {
  try {
    await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, EVERYTHING, user.id)
      await unlinkIdentity(tx, seal, actor, before, {
        social,
        provider,
        scope: null,
        email: identityUnlinked(before, provider),
      })
    })
  } catch (error) {
    const code = failureOf(error)?.code
    if (code === 'only_way_in') return 'onlyWayIn'
    if (code !== 'identity_not_found') throw error
  }
  return 'unlinked'
}
