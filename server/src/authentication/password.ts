/** Password verification at sign-in, with its rate limits (http/limits) and audit entries. */
import type { Config } from '../config/config.ts'
import { hashPassword, isCurrentHash, verifyPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Scope } from '../http/authority.ts'
import { networkOf } from '../http/ip-address.ts'
import {
  GUESSER,
  guarded,
  inSequence,
  limitOf,
  limitOfPassword,
  limitsOfNetworks,
  NETWORK,
} from '../http/limits/guard.ts'
import type { Limit } from '../http/limits/queries.ts'
import { noteRefusedSignIn } from '../journal/audit/failures.ts'
import { type AuditEntry, record } from '../journal/audit/record.ts'
import { type StoredPassword, updateHash } from '../resources/credentials/passwords.ts'
import { findLogin, type Login } from '../resources/sign-ins/queries.ts'
import { type Rejection, type Sender, throttled, throttledEntry } from './attempts.ts'
import { knownDevice } from './known-devices.ts'

type Parts = { db: Db; seal: Seal; config: Config }
/** `email` in its stored form, or a text that no user has. */
type Credentials = { email: string; password: string }
export type LoginWithPassword = Login & { password: StoredPassword }

/** The system of a sign-in, for the audit, and the scope whose credentials are valid there. */
export type SignInPlace = { systemId: string | null; scope: Scope }

const placeOfHash = ({ systemId, scope }: SignInPlace) => ({ tenant: systemId, scope })

/** Characters. Longer passwords are rejected without hashing them. */
export const TYPED_PASSWORD_MAX = 1_024

/**
 * Verifies an e-mail address and a password. An unknown address, a user without a password, a disabled user
 * and an expired temporary password are rejected as `wrong`, at the cost of one hash.
 */
export async function checkPassword(
  { db, ...parts }: Parts,
  sender: Sender,
  credentials: Credentials,
  at: SignInPlace,
): Promise<{ user: LoginWithPassword } | Rejection> {
  const { email, password } = credentials
  const user = await findLogin(db, email, at.scope)
  const limits = limitsOf(parts, sender, credentials, user, at)
  const check = async () =>
    (await verifyPassword(user?.password ?? null, password, placeOfHash(at))) && user?.mayLogIn === true
  try {
    const { right, wait } = await inSequence(limits[0].key, () => guarded(db, limits, check))
    if (right && user?.password)
      return { user: await withOwnHash(db, { ...user, password: user.password }, credentials, at) }
    const failure = failureEntry(user, at.systemId)
    noteRefusedSignIn(sender.actor, failure)
    await record(db, sender.actor, failure, ...throttledEntry(failure, wait))
    return { rejected: 'wrong' }
  } catch (error) {
    return throttled(error, sender.actor, at.systemId)
  }
}

/**
 * Replaces an imported hash by one of our own format. The password is the same, so no session
 * ends and no email is sent. If the hash was changed by a concurrent request, that may have been
 * another sign-in of the same user.
 */
async function withOwnHash(
  db: Db,
  user: LoginWithPassword,
  { email, password }: Credentials,
  at: SignInPlace,
): Promise<LoginWithPassword> {
  if (isCurrentHash(user.password.hash)) return user
  const hash = await hashPassword(password, at.systemId)
  if (await updateHash(db, user.password, hash)) return { ...user, password: { ...user.password, hash } }
  const now = await findLogin(db, email, at.scope)
  const isSame =
    now?.id === user.id && now.password && (await verifyPassword(now.password, password, placeOfHash(at)))
  return isSame ? { ...now, password: now.password! } : user
}

const failureEntry = (user: Login | undefined, systemId: string | null): AuditEntry => ({
  action: 'user.login',
  outcome: 'failure',
  ...(user && { target: { type: 'user', id: user.id } }),
  systemId,
  changes: { reason: [null, user ? (user.refusal ?? 'password') : 'unknown'] },
})

/**
 * Limits by the typed address, not by the user, so that an address without a user is limited alike. The keys
 * contain a password hash: a changed password resets the counters and every wait. The limit of one guesser is
 * that of a system and its password. That of all guessers is for all systems together, by the password that
 * is valid everywhere, so that it neither shows who has a password of a system nor is reset when that one
 * changes.
 */
function limitsOf(
  { seal, config }: Omit<Parts, 'db'>,
  sender: Sender,
  { email: address }: Credentials,
  user: Login | undefined,
  { systemId }: SignInPlace,
): [Limit, ...Limit[]] {
  const about = (systemId: string | null) => ({ about: { userId: user?.id ?? null, systemId } })
  const known = knownDevice({ seal, config }, sender, user)
  if (known) return [{ ...limitOf(seal, 'known', GUESSER, known), ...about(user?.password?.scope ?? null) }]
  const guesser = [address, user?.password?.hash ?? '', systemId ?? '', networkOf(sender.ip) ?? '']
  return [
    { ...limitOfPassword(seal, address, user?.ownHash), ...about(null) },
    { ...limitOf(seal, 'guesser', GUESSER, ...guesser), ...about(systemId) },
    ...limitsOfNetworks(seal, 'network', NETWORK, sender.ip),
  ]
}
