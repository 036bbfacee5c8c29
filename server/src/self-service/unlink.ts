/** Unlinks another identity provider. Sessions continue, as they do when an administrator unlinks it. */
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { failureOf } from '../errors.ts'
import { identityUnlinked } from '../jobs/email/messages.ts'
import { unlinkIdentity } from '../resources/identities/unlink.ts'
import { lockUser } from '../resources/users/queries.ts'
import type { SignedIn } from './signed-in.ts'

/** The provider's name; its id if it is no longer configured. */
export const nameOf = ({ social }: Config, id: string): string =>
  social.find((each) => each.id === id)?.name ?? id

export async function unlinkProvider(
  db: Db,
  seal: Seal,
  { actor, user }: Pick<SignedIn, 'actor' | 'user'>,
  provider: string,
): Promise<'unlinked' | 'onlyWayIn'> {
  try {
    await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, {}, user.id)
      await unlinkIdentity(tx, seal, actor, before, {
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
