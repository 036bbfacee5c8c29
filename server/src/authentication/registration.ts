/**
 * Registration. The response is the same whether or not the address has a user; only the email differs, so
 * only the owner of the mailbox learns it. Until the code of the email is entered or its link is used, a
 * registration is a record that grants nothing and affects neither the users nor other registrations of the
 * same address.
 */

import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { isLockTimeout } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Actor } from '../http/authority.ts'
import { EMAILS_REQUESTED, guarded, limitsOfNetworks, NETWORK } from '../http/limits/guard.ts'
import { reserveEmail } from '../jobs/email/budget.ts'
import { enqueueEmail } from '../jobs/email/enqueue.ts'
import { registrationCode, userExists } from '../jobs/email/messages.ts'
import { record } from '../journal/audit/record.ts'
import { confirmRegistration, mustSignIn } from '../lifecycle/confirm-registration.ts'
import { mailLink } from '../resources/credentials/links.ts'
import {
  consumeByLink,
  consumeInInteraction,
  findRegistration,
  findRegistrationByLink,
  type InInteraction,
  insertRegistration,
  type Registration,
  type RegistrationLink,
  takeTries,
} from '../resources/registrations/queries.ts'
import { lockUserOf, type User, type Waits } from '../resources/users/queries.ts'
import type { Brand } from '../texts/brand.ts'
import { type Rejection, type Sender, throttled, usedMeanwhile } from './attempts.ts'
import type { Registrant } from './registration-input.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type SignInSystem = Brand & { id: string }

/**
 * 250 ms: longer than the work takes, so that the response time does not reveal whether the address has a
 * user.
 */
const RESPONSE_MIN = 250
/** One day, in seconds. */
const LIFETIME = 86_400
/** Attempts at each code. */
const TRIES = 5
export const REGISTRATION_PATH = '/confirm-registration'

/**
 * Runs `work`, which emails an unauthenticated address: limited per network, in constant time. It locks the
 * user of the address. Only an address with a user can be locked by another transaction, so that a response
 * which waits for it tells that there is one: `work` is then run again after the response.
 */
export async function withMailLimit(
  parts: Parts,
  request: FastifyRequest,
  work: (waits: Waits) => Promise<unknown>,
): Promise<void> {
  const limits = limitsOfNetworks(parts.seal, 'mails', EMAILS_REQUESTED, request.ip)
  const timed = async () => {
    await Promise.all([unlessLocked(request, work), sleep(RESPONSE_MIN)])
    return true
  }
  await guarded(parts.db, limits, timed)
}

async function unlessLocked(
  request: FastifyRequest,
  work: (waits: Waits) => Promise<unknown>,
): Promise<void> {
  try {
    await work(false)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    work(true).catch((late: unknown) => request.log.error({ err: late }, 'mail_not_sent'))
  }
}

const interactionHashOf = (seal: Seal, uid: string) => seal.hash(uid, 'registration-interaction')
const codeHashOf = (seal: Seal, id: string, code: string) =>
  seal.hash(JSON.stringify([id, code]), 'registration-code')
const linkHashOf = (seal: Seal, token: string) => seal.hash(token, 'link:registration')

/** Stores a registration in the interaction `uid` and emails its code and its link. */
export function register(
  { db, ...parts }: Parts,
  { actor }: FastifyRequest,
  { uid, system, ...how }: { uid: string; id: string; system: SignInSystem; waits: Waits },
  { password: _, ...registrant }: Registrant & { locale: string },
  passwordHash: string,
): Promise<void> {
  const interactionHash = interactionHashOf(parts.seal, uid)
  return inTransaction(db, (tx) =>
    mailRegistration(tx, parts, actor, system, { ...registrant, passwordHash, interactionHash }, how),
  )
}

/** The address of a registration in an interaction. */
export const registeredAddress = async (
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  { uid, id }: { uid: string; id: string },
): Promise<string | undefined> => (await findRegistration(db, placeOf(seal, uid, id)))?.email

/** Sends the email of a registration again. The codes and links that were sent before stay valid. */
export async function registerAgain(
  { db, ...parts }: Parts,
  { actor }: FastifyRequest,
  { uid, id, system, waits }: { uid: string; id: string; system: SignInSystem; waits: Waits },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const found = await findRegistration(tx, placeOf(parts.seal, uid, id))
    if (found) await mailRegistration(tx, parts, actor, system, found, { id: randomUUID(), waits })
  })
}

const placeOf = (seal: Seal, uid: string, id: string): InInteraction => ({
  id,
  interactionHash: interactionHashOf(seal, uid),
})

type Pending = Pick<
  Registration,
  'email' | 'name' | 'locale' | 'accountName' | 'passwordHash' | 'interactionHash'
>

/** Stores even a registration whose code is not sent, so that the attempts at it are the same. */
async function mailRegistration(
  tx: Db,
  parts: Omit<Parts, 'db'>,
  actor: Actor,
  system: SignInSystem,
  { email, name, locale, accountName, passwordHash, interactionHash }: Pending,
  { id, waits }: { id: string; waits: Waits },
): Promise<void> {
  const { seal, config } = parts
  const known = await lockUserOf(tx, email, waits)
  const mailed = known && mustSignIn(known) ? undefined : await reserveEmail(tx, seal, email, 'anonymous')
  const isSent = mailed === 0
  const [token, code] = [randomToken(), String(randomInt(1_000_000)).padStart(6, '0')]
  const profile = { email, name, locale, accountName, systemId: system.id }
  const hashes = {
    codeHash: isSent ? codeHashOf(seal, id, code) : null,
    linkHash: isSent ? linkHashOf(seal, token) : null,
  }
  const row = { id, ...profile, ...hashes, passwordHash, interactionHash, triesLeft: TRIES }
  await insertRegistration(tx, row, LIFETIME)
  if (isSent) {
    const href = `${config.BASE_URL}${REGISTRATION_PATH}?token=${token}`
    const message = registrationCode({ email, locale }, system, { code, href }, LIFETIME)
    await enqueueEmail(tx, seal, message, { systemId: system.id, isAwaited: true })
  }
  if (known && mustSignIn(known)) await reportRegistration(tx, parts, actor, known, system)
}

/** A link that the visitor of a page has asked for. */
const of = (system: SignInSystem | undefined) =>
  ({ system, systemId: system?.id ?? null, cause: 'anonymous' }) as const

/** Tells a user that their address was registered, with a link to reset the password. */
async function reportRegistration(
  tx: Db,
  parts: Omit<Parts, 'db'>,
  actor: Actor,
  user: User,
  system: SignInSystem,
): Promise<void> {
  const target = { type: 'user', id: user.id }
  await record(tx, actor, { action: 'user.registered', target, outcome: 'failure', systemId: system.id })
  if (!user.disabled) await mailLink(tx, parts, 'password_reset', user, { ...of(system), email: userExists })
}

/** `known`: the address has a user who can sign in; the registration has changed nothing. */
export type Confirmed = { user: User } | 'known'

/** Verifies a code in its interaction; each call counts as one attempt. A right code creates the user. */
export async function confirmByCode(
  parts: Parts,
  { actor, ip }: Sender,
  { uid, id, code }: { uid: string; id: string; code: string },
): Promise<Confirmed | Rejection> {
  const { db, seal } = parts
  const place = placeOf(seal, uid, id)
  try {
    const { right } = await guarded(db, limitsOfNetworks(seal, 'network', NETWORK, ip), async () => {
      const tried = await takeTries(db, place)
      return tried.some(
        ({ id, codeHash }) => codeHash && timingSafeEqual(codeHash, codeHashOf(seal, id, code)),
      )
    })
    if (!right) {
      actor.refusalNote?.note({ kind: 'sign_in', reason: 'mailed_code' })
      return { rejected: 'wrong' }
    }
  } catch (error) {
    return throttled(error, actor, null)
  }
  return inTransaction(db, async (tx) => {
    const registration = await consumeInInteraction(tx, place)
    if (!registration) throw usedMeanwhile()
    return confirmedBy(await confirmRegistration(tx, parts, actor, registration, registration.passwordHash))
  })
}

const confirmedBy = (user: User | undefined): Confirmed => (user ? { user } : 'known')

/** The registration of a link, also of one that is not valid. */
export const openRegistration = (
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  token: string,
): Promise<RegistrationLink | undefined> => findRegistrationByLink(db, linkHashOf(seal, token))

/** Uses a link: the user has the password chosen there. Undefined if the link is not valid. */
export const confirmByLink = (
  parts: Parts,
  actor: Actor,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<Confirmed | undefined> =>
  inTransaction(parts.db, async (tx) => {
    const registration = await consumeByLink(tx, linkHashOf(parts.seal, token))
    return (
      registration && confirmedBy(await confirmRegistration(tx, parts, actor, registration, passwordHash))
    )
  })

/** Emails a link to the user of an address; `userId`: only if it is this user. */
export async function sendPasswordReset(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  system: SignInSystem | undefined,
  { email, userId, waits }: { email: string; userId?: string; waits: Waits },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const found = await lockUserOf(tx, email, waits)
    const user = userId === undefined || found?.id === userId ? found : undefined
    const mailing = of(system)
    const mailed =
      user?.disabled === false ? await mailLink(tx, parts, 'password_reset', user, mailing) : undefined
    await record(tx, request.actor, {
      action: 'user.password_reset_sent',
      outcome: mailed?.sent ? 'success' : 'failure',
      ...(user && { target: { type: 'user', id: user.id } }),
      systemId: system?.id ?? null,
    })
  })
}
