/** A password or a passkey, tried: who is let in, how often (limits/), and what is written down of a wrong password. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { hashPassword, isCurrentHash, verifyPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms.ts'
import { guarded, inSequence } from '../http/limits/guard.ts'
import { networkOf } from '../http/limits/network.ts'
import { GUESSER, type Limit, limitOf, limitOfNetwork, NETWORK, STRANGERS } from '../http/limits/rules.ts'
import { findLogin, type Login, replaceHash } from '../interaction/queries.ts'
import type { Screen } from '../interaction/screens.ts'
import { type AuditEntry, record } from '../resources/audit/record.ts'
import { knownBrowser } from './known-devices.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type Given = { email: string; password: string }

/** The person, or the screen that says why not. For one who draws their own screens `too_many_requests` is thrown. */
export async function attemptLogin(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  { email, password }: Given,
  systemId: string | null,
): Promise<{ user: Login } | { user?: undefined; screen: Screen }> {
  const { address, user } = await findLogin(db, email)
  const limits = limitsOf(parts, request, address, user)
  const judge = async () =>
    (await verifyPassword(user?.passwordHash ?? null, password)) && user?.mayLogIn === true
  try {
    const { right, wait } = await inSequence(limits[0].key, () => guarded(db, limits, judge))
    if (right && user) return { user: await withOurHash(db, user, { email, password }) }
    await record(db, request.actor, ...failureEntries(user, systemId, wait))
    return { screen: { status: 401, values: { email }, errors: { form: 'wrongCredentials' } } }
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'too_many_requests') || wantsJson(request)) throw error
    return {
      screen: {
        status: 429,
        values: { email },
        errors: { form: 'tooManyAttempts' },
        retryAfter: error.retryAfter,
      },
    }
  }
}

/**
 * A hash that was imported gives way to one of ours: the password is the same, so no session ends and nobody is told. When
 * it has changed meanwhile, another sign-in of the same person may have done it.
 */
async function withOurHash(db: Db, user: Login, { email, password }: Given): Promise<Login> {
  if (isCurrentHash(user.passwordHash)) return user
  const passwordHash = await hashPassword(password)
  if (await replaceHash(db, user, passwordHash)) return { ...user, passwordHash }
  const { user: now } = await findLogin(db, email)
  return now?.id === user.id && (await verifyPassword(now.passwordHash, password)) ? now : user
}

/** A wait is written down once, when it begins: what is refused meanwhile is not judged. */
function failureEntries(user: Login | undefined, systemId: string | null, wait: number): AuditEntry[] {
  const failure = {
    outcome: 'failure' as const,
    ...(user && { target: { type: 'user', id: user.id } }),
    systemId,
  }
  return [
    { ...failure, action: 'user.login' },
    ...(wait > 0
      ? [{ ...failure, action: 'login.throttled', changes: { seconds: [null, wait] as [unknown, unknown] } }]
      : []),
  ]
}

/**
 * By the address as it was typed and not by the person, so that one that nobody has counts the same. The password's hash
 * is part of it: with a new password, however it came about, guessing begins anew and so does every wait.
 */
function limitsOf(
  { seal, config }: Omit<Parts, 'db'>,
  request: FastifyRequest,
  address: string,
  user: Login | undefined,
): [Limit, ...Limit[]] {
  const known = knownBrowser({ seal, config }, request, user)
  if (known) return [limitOf(seal, 'known', GUESSER, known)]
  const password = user?.passwordHash ?? ''
  return [
    limitOf(seal, 'account', STRANGERS, address, password),
    limitOf(seal, 'guesser', GUESSER, address, password, networkOf(request.ip) ?? ''),
    ...limitOfNetwork(seal, 'network', NETWORK, request.ip),
  ]
}

/** What a passkey's answer leads to; nothing when it is not good. Whoever sends many that are not waits, by their network. */
export async function attemptPasskey<Found>(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  ip: string,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let found: Found | undefined
  await guarded(db, limitOfNetwork(seal, 'passkey', NETWORK, ip), async () => {
    found = await look()
    return found !== undefined
  })
  return found
}
