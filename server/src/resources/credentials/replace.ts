import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import type { OwnSignIn } from '../artifacts/queries.ts'
import { type AuditEntry, difference, record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { endSessions } from '../sessions/end.ts'
import { eventOf } from '../users/changes.ts'
import { type NewPassword, type User, updatePassword } from '../users/queries.ts'
import { deleteMailedTokens } from './queries.ts'

/**
 * Gives another password to a user that the transaction holds. Whoever knew the old one is out: the user is signed out
 * everywhere but in `own`, and links and codes that were mailed before are worth nothing. The letter is the caller's, who knows why.
 */
export async function replacePassword(
  tx: Db,
  actor: Actor,
  before: User,
  password: NewPassword,
  entry: Omit<AuditEntry, 'changes'>,
  own?: OwnSignIn,
): Promise<User> {
  const after = await updatePassword(tx, before.id, password)
  await deleteMailedTokens(tx, before.id)
  await endSessions(tx, actor, { userId: before.id }, 'password_changed', own)
  const { hasPassword, mustChangePassword, emailVerified } = after
  const changes = difference(before, { hasPassword, mustChangePassword, emailVerified })
  await record(tx, actor, { ...entry, changes })
  await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['password'] }))
  return after
}
