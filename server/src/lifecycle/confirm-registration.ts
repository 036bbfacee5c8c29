import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import type { Mailing } from '../resources/memberships/approval.ts'
import { joinSystem } from '../resources/memberships/join.ts'
import type { Registration } from '../resources/registrations/queries.ts'
import { offerPasskey } from '../resources/sign-ins/passkey-offer.ts'
import { lockUserOf, type User } from '../resources/users/queries.ts'
import { createUser } from './create-user.ts'
import { replacePassword } from './replace-password.ts'

/** Whether a registration with the user's address gives them nothing: they sign in instead. */
export const mustSignIn = ({ disabled, hasPassword, mfaEnabled, identities }: User): boolean =>
  disabled || hasPassword || mfaEnabled || identities.length > 0

type Confirmed = Pick<Registration, 'email' | 'name' | 'locale' | 'systemId' | 'accountName'>

/**
 * Creates the user of a registration whose address was verified by email, with their membership. A user who
 * has the address by now gets the password if they have no credential; otherwise nothing changes, and the
 * result is undefined.
 */
export async function confirmRegistration(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  { accountName, ...registrant }: Confirmed,
  passwordHash: string,
): Promise<User | undefined> {
  const user = await createOrClaim(tx, mailing.seal, actor, registrant, passwordHash)
  const { systemId } = registrant
  const joining = { systemId, accountName, enters: true }
  if (user) await joinSystem(tx, mailing, { ...actor, type: 'user', id: user.id }, { user, ...joining })
  return user
}

/**
 * The user of a verified address with the password they have chosen: a new one, or one without a credential.
 * Undefined if the user of the address has a credential.
 */
export async function createOrClaim(
  tx: Db,
  seal: Seal,
  actor: Actor,
  { email, name, locale, systemId }: Omit<Confirmed, 'accountName'>,
  passwordHash: string,
): Promise<User | undefined> {
  const id = crypto.randomUUID()
  const entry = { action: 'user.registered', systemId } as const
  const created = await createUser(
    tx,
    seal,
    { ...actor, type: 'user', id },
    null,
    { id, email, name, locale, emailVerified: true, passwordHash },
    { ...entry, changes: {} },
  )
  const user = created ?? (await claimUser(tx, actor, { email, systemId }, passwordHash))
  if (user) await offerPasskey(tx, user.id)
  return user
}

/** The user of the address with their new password; undefined if they have a credential. */
async function claimUser(
  tx: Db,
  actor: Actor,
  { email, systemId }: Pick<Registration, 'email' | 'systemId'>,
  passwordHash: string,
): Promise<User | undefined> {
  const known = await lockUserOf(tx, email)
  if (!known)
    throw new Failure('unavailable', { detail: 'The user was deleted by another request.', retryAfter: 1 })
  const entry = { action: 'user.registered', target: { type: 'user', id: known.id }, systemId }
  if (mustSignIn(known)) {
    await record(tx, actor, { ...entry, outcome: 'failure' })
    return undefined
  }
  const self = { ...actor, type: 'user' as const, id: known.id }
  const password = { hash: passwordHash, mustChange: false, byMail: true as const }
  return replacePassword(tx, self, known, null, password, entry)
}
