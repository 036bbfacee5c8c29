import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { difference, record } from '../audit/record.ts'
import { deleteMailedTokens } from '../credentials/queries.ts'
import { enqueue } from '../events/enqueue.ts'
import { deleteFactors } from '../factors/queries.ts'
import { deleteIdentities } from '../identities/queries.ts'
import { joinSystem } from '../memberships/join.ts'
import { endSessions } from '../sessions/end.ts'
import { eventOf } from './changes.ts'
import { deletePassword, type Names, type User, updateUser } from './queries.ts'

type Verification =
  /** The user opened the link that was emailed to the address. */
  | { by: 'link' }
  /**
   * Another identity provider has verified the address; `systemId` is the system of
   * the sign-in, null for /account.
   */
  | { by: 'provider'; provider: string; systemId: string | null; names: Names }

/**
 * Marks the e-mail address of a row-locked user as verified.
 *
 * The address of a registration is not verified: anyone may have typed it. The link of the registration's
 * email confirms the registration, so the user becomes a member of the system where it began. Any other
 * verification replaces the registration: its password, factors and identities are removed and its sessions
 * end, since they may belong to another person.
 */
export async function verifyMailbox(
  tx: Db,
  actor: Actor,
  before: User,
  verification: Verification,
): Promise<User> {
  const target = { type: 'user', id: before.id }
  const emailVerified = true
  if (verification.by === 'link') {
    const after = await updateUser(tx, before.id, { emailVerified })
    const changes = difference(before, { emailVerified })
    await record(tx, actor, { action: 'user.email_verified', target, changes })
    await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['emailVerified'] }))
    if (before.registration) await joinSystem(tx, actor, { user: after, ...before.registration })
    return after
  }
  if (!before.registration) return updateUser(tx, before.id, { emailVerified })
  const { provider, systemId, names } = verification
  await deleteFactors(tx, before.id)
  await deleteMailedTokens(tx, before.id)
  await deleteIdentities(tx, before.id)
  await deletePassword(tx, before.id)
  const after = await updateUser(tx, before.id, { ...names, emailVerified })
  await endSessions(tx, actor, { userId: before.id }, 'password_changed')
  await record(tx, actor, {
    action: 'user.email_verified',
    target,
    systemId,
    changes: {
      emailVerified: [false, true],
      hasPassword: [before.hasPassword, false],
      provider: [null, provider],
    },
  })
  return after
}
