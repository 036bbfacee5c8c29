/** A person parts with another identity provider. Sessions stay, as they do when an administrator unlinks it. */
import { record } from '../audit/record.ts'
import type { Config } from '../config.ts'
import { deleteIdentity } from '../credentials/queries.ts'
import type { Db } from '../db.ts'
import { failureOf } from '../errors.ts'
import { enqueue } from '../events/enqueue.ts'
import { identityUnlinked } from '../mail/letters.ts'
import { sendMail } from '../mail/send.ts'
import type { Seal } from '../seal.ts'
import { eventOf } from '../users/changes.ts'
import { lockUser, updateUser } from '../users/queries.ts'
import type { Standing } from './person.ts'

/** By its id when it is not set up any more. */
export const nameOf = ({ social }: Config, id: string): string => social.find((each) => each.id === id)?.name ?? id

export async function unlinkProvider(
  db: Db,
  seal: Seal,
  { actor, user }: Pick<Standing, 'actor' | 'user'>,
  provider: string,
): Promise<'unlinked' | 'onlyWayIn'> {
  try {
    await db.transaction(async (tx) => {
      const before = await lockUser(tx, {}, user.id)
      await deleteIdentity(tx, before.id, provider)
      const after = await updateUser(tx, before.id, {})
      const changes = { identities: [provider, null] as [unknown, unknown] }
      await record(tx, actor, { action: 'user.identity_removed', target: { type: 'user', id: before.id }, changes })
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
