import type { Db } from '../database/database.ts'
import { type Actor, ofScope, type Scope } from '../http/authority.ts'
import { type AuditEntry, difference, record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import type { OwnSignIn } from '../resources/artifacts/queries.ts'
import { deleteSystemPasswords, type NewPassword, replaceHashOf } from '../resources/credentials/passwords.ts'
import { endMailedTokens } from '../resources/credentials/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { findUser, type User, updateUser } from '../resources/users/queries.ts'
import { refuseEarlier } from '../resources/users/system-users.ts'
import { endSessions } from './end-sessions.ts'

export type Replacement = NewPassword & {
  /** Set by an emailed link, which verifies the address: replaces the passwords of all systems too. */
  byMail?: true
}

/**
 * Sets the password of a row-locked user that is valid in `scope`: row, audit entry and event. A password
 * that is valid everywhere signs the user out everywhere except in `own`, and deletes unused links and codes.
 * One of a system does both in that system only. The caller sends the email, whose text depends on the
 * reason.
 */
export async function replacePassword(
  tx: Db,
  actor: Actor,
  before: User,
  scope: Scope,
  { byMail, ...password }: Replacement,
  entry: Omit<AuditEntry, 'changes'>,
  own?: OwnSignIn,
): Promise<User> {
  await replaceHashOf(tx, before.id, scope, password)
  if (scope === null) {
    if (byMail) await deleteSystemPasswords(tx, before.id)
    await updateUser(tx, before.id, { hasPassword: true, ...(byMail && { emailVerified: true }) })
    await endMailedTokens(tx, before.id)
    await endSessions(tx, actor, { userId: before.id }, 'password_changed', own)
  } else {
    if (!own) await refuseEarlier(tx, { userId: before.id, systemId: scope })
    await endSessions(tx, actor, { userId: before.id, systemId: scope }, 'password_changed', own)
  }
  const after = await findUser(tx, ofScope(scope), before.id)
  const { hasPassword, mustChangePassword, emailVerified } = after
  const changes = difference(before, { hasPassword, mustChangePassword, emailVerified })
  await record(tx, actor, { ...entry, changes })
  await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: ['password'] }, scope))
  return after
}
