/** Password verification at sign-in, with its rate limits (http/limits) and audit entries. */
import type { Config } from '../config.ts'
import { hashPassword, isCurrentHash, verifyPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { networkOf } from '../http/ip-address.ts'
import {
  GUESSER,
  guarded,
  inSequence,
  limitOf,
  limitOfNetwork,
  NETWORK,
  UNKNOWN_DEVICES,
} from '../http/limits/guard.ts'
import type { Limit } from '../http/limits/queries.ts'
import { type AuditEntry, record } from '../resources/audit/record.ts'
import { findLogin, type Login, replaceHash } from '../resources/users/sign-in.ts'
import { type Rejection, type Sender, throttled, throttledEntry } from './attempts.ts'
import { knownDevice } from './known-devices.ts'

type Parts = { db: Db; seal: Seal; config: Config }
/** `email` in its stored form, or a text that no user has. */
type Credentials = { email: string; password: string }

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
  systemId: string | null,
): Promise<{ user: Login } | Rejection> {
  const { email, password } = credentials
  const user = await findLogin(db, email)
  const limits = limitsOf(parts, sender, email, user)
  const check = async () =>
    (await verifyPassword(user?.passwordHash ?? null, password)) && user?.mayLogIn === true
  try {
    const { right, wait } = await inSequence(limits[0].key, () => guarded(db, limits, check))
    if (right && user) return { user: await withOwnHash(db, user, credentials) }
    await record(db, sender.actor, ...failureEntries(user, systemId, wait))
    return { rejected: 'wrong' }
  } catch (error) {
    return throttled(error)
  }
}

/** Whether a password matches the stored hash. */
export const isCurrentPassword = (passwordHash: string | null, password: string): Promise<boolean> =>
  verifyPassword(passwordHash, password)

/**
 * Replaces an imported hash by one of our own format. The password is the same, so no session
 * ends and no email is sent. If the hash was changed by a concurrent request, that may have been
 * another sign-in of the same user.
 */
async function withOwnHash(db: Db, user: Login, { email, password }: Credentials): Promise<Login> {
  if (isCurrentHash(user.passwordHash)) return user
  const passwordHash = await hashPassword(password)
  if (await replaceHash(db, user, passwordHash)) return { ...user, passwordHash }
  const now = await findLogin(db, email)
  return now?.id === user.id && (await verifyPassword(now.passwordHash, password)) ? now : user
}

function failureEntries(user: Login | undefined, systemId: string | null, wait: number): AuditEntry[] {
  const failure = {
    action: 'user.login',
    outcome: 'failure' as const,
    ...(user && { target: { type: 'user', id: user.id } }),
    systemId,
  }
  return [failure, ...throttledEntry(failure, wait)]
}

/**
 * Limits by the typed address, not by the user, so that an address without a user is limited alike. The key
 * contains the password hash: a changed password resets the counters and every wait.
 */
function limitsOf(
  { seal, config }: Omit<Parts, 'db'>,
  sender: Sender,
  address: string,
  user: Login | undefined,
): [Limit, ...Limit[]] {
  const known = knownDevice({ seal, config }, sender, user)
  if (known) return [limitOf(seal, 'known', GUESSER, known)]
  const password = user?.passwordHash ?? ''
  return [
    limitOf(seal, 'account', UNKNOWN_DEVICES, address, password),
    limitOf(seal, 'guesser', GUESSER, address, password, networkOf(sender.ip) ?? ''),
    ...limitOfNetwork(seal, 'network', NETWORK, sender.ip),
  ]
}
