/** A person parts with another identity provider. Sessions stay, as they do when an administrator unlinks it. */

import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { failureOf } from '../errors.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { identityUnlinked } from '../jobs/email/messages.ts'
import { record } from '../resources/audit/record.ts'
import { deleteIdentity } from '../resources/credentials/queries.ts'
import { enqueue } from '../resources/events/enqueue.ts'
import { eventOf } from '../resources/users/changes.ts'
import { lockUser, updateUser } from '../resources/users/queries.ts'
import type { Standing } from './signed-in.ts'

/** By its id when it is not set up any more. */
export const nameOf = ({ social }: Config, id: string): string =>
  social.find((each) => each.id === id)?.name ?? id

export async function unlinkProvider(
  db: Db,
  seal: Seal,
  { actor, user }: Pick<Standing, 'actor' | 'user'>,
  provider: string,
): Promise<'unlinked' | 'onlyWayIn'> {
  try {
    await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, {}, user.id)
      await deleteIdentity(tx, before.id, provider)
      const after = await updateUser(tx, before.id, {})
      const changes = { identities: [provider, null] as [unknown, unknown] }
      await record(tx, actor, {
        action: 'user.identity_removed',
        target: { type: 'user', id: before.id },
        changes,
      })
      await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['identities'] }))
      await sendMail(tx, seal, identityUnlinked(after, provider))
    })
  } catch (error) {
    const code = failureOf(error)?.code
    if (code === 'only_way_in') return 'onlyWayIn'
    if (code !== 'identity_not_found') throw error
  }
  return 'unlinked'
}
