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
 * Sets the password of a row-locked user: row, audit entry and event. The user is signed out everywhere
 * except in `own`, and unused links and codes are deleted. The caller sends the email, whose text depends on
 * the reason.
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
