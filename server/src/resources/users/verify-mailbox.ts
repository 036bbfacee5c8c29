import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import { eventOfUser } from './changes.ts'
import { type User, updateUser } from './queries.ts'

/** Marks the address of a row-locked user as verified: a link or code emailed to it was used. */
export async function verifyMailbox(tx: Db, actor: Actor, before: User): Promise<User> {
  const emailVerified = true
  if (before.emailVerified) return before
  const after = await updateUser(tx, before.id, { emailVerified })
  const target = { type: 'user', id: before.id }
  await record(tx, actor, {
    action: 'user.email_verified',
    target,
    changes: difference(before, { emailVerified }),
  })
  await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: ['emailVerified'] }))
  return after
}
