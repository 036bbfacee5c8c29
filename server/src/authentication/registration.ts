/**
 * Registration. The response is the same whether or not the address has a user; only the email differs, so
 * only the owner of the mailbox learns it. Until the link in the email is opened, the registration grants
 * nothing: another registration with the same address replaces it, and the membership is created only by the
 * link (recovery).
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { EMAILS_REQUESTED, guarded, limitOfNetwork } from '../http/limits/guard.ts'
import { accountExists, registrationLink, verificationLink } from '../jobs/email/messages.ts'
import { waitForMail } from '../jobs/email/queries.ts'
import { record } from '../resources/audit/record.ts'
import { mailLink } from '../resources/credentials/links.ts'
import { replacePassword } from '../resources/credentials/replace-password.ts'
import { deleteFactors } from '../resources/factors/queries.ts'
import { createUser } from '../resources/users/create.ts'
import { lockUserOf, type User } from '../resources/users/queries.ts'
import type { Brand } from '../ui/brand.ts'
import type { Registrant } from './registration-input.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type SignInSystem = Brand & { id: string }

/**
 * 250 ms: longer than the work takes, so that the response time does not reveal whether the address has a
 * user.
 */
const RESPONSE_MIN = 250

/** Runs `work`, which emails an unauthenticated address: limited per network, in constant time. */
export async function withMailLimit(
  parts: Parts,
  request: FastifyRequest,
  work: () => Promise<unknown>,
): Promise<void> {
  const limits = limitOfNetwork(parts.seal, 'mails', EMAILS_REQUESTED, request.ip)
  const timed = async () => {
    await Promise.all([work(), sleep(RESPONSE_MIN)])
    return true
  }
  await guarded(parts.db, limits, timed)
}

export async function register(
  parts: Parts,
  request: FastifyRequest,
  system: SignInSystem,
  { email, name, accountName, locale }: Registrant & { locale: string },
  passwordHash: string,
): Promise<void> {
  const { actor } = request
  const systemId = system.id
  await inTransaction(parts.db, async (tx) => {
    const profile = { name, locale, registration: { systemId, accountName } }
    const entry = { action: 'user.registered', systemId } as const
    const created = await createUser(
      tx,
      actor,
      { email, ...profile, passwordHash },
      { ...entry, changes: {} },
    )
    if (created) return sendRegistrationEmail(tx, parts, created, system)
    const known = await lockUserOf(tx, email)
    if (!known)
      throw new Failure('unavailable', { detail: 'The user was deleted by another request.', retryAfter: 1 })
    const target = { type: 'user', id: known.id }
    if (!known.registration) {
      await record(tx, actor, { ...entry, target, outcome: 'failure' })
      return sendRegistrationEmail(tx, parts, known, system)
    }
    // No change without an email to the owner of the address: none is possible while the address is
    // rate-limited.
    if ((await waitForMail(tx, known.email)) > 0) return
    await deleteFactors(tx, known.id)
    const replacement = { passwordHash, mustChangePassword: false, ...profile }
    const user = await replacePassword(tx, actor, known, replacement, { ...entry, target })
    await sendRegistrationEmail(tx, parts, user, system)
  })
}

/**
 * Emails the link that confirms the registration or, if the address has a confirmed user, a link to reset the
 * password.
 */
async function sendRegistrationEmail(
  tx: Db,
  parts: Parts,
  user: User,
  system: Brand | undefined,
): Promise<void> {
  if (user.registration) await mailLink(tx, parts, 'email_verification', user, system, registrationLink)
  else if (!user.disabled) await mailLink(tx, parts, 'password_reset', user, system, accountExists)
}

/** Sends the email of the registration again; to a signed-in user, the link that verifies the address. */
export async function sendVerificationAgain(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  system: SignInSystem | undefined,
  to: { email: string; signedIn: boolean },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const user = await lockUserOf(tx, to.email)
    if (!user) return
    if (to.signedIn && !user.registration)
      await mailLink(tx, parts, 'email_verification', user, system, verificationLink)
    else await sendRegistrationEmail(tx, { db, ...parts }, user, system)
    await record(tx, request.actor, {
      action: 'user.verification_sent',
      target: { type: 'user', id: user.id },
      systemId: system?.id ?? null,
    })
  })
}

export async function sendPasswordReset(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  system: SignInSystem | undefined,
  email: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const user = await lockUserOf(tx, email)
    const mailed =
      user?.disabled === false ? await mailLink(tx, parts, 'password_reset', user, system) : undefined
    await record(tx, request.actor, {
      action: 'user.password_reset_sent',
      outcome: mailed?.sent ? 'success' : 'failure',
      ...(user && { target: { type: 'user', id: user.id } }),
      systemId: system?.id ?? null,
    })
  })
}

/**
 * The sealed value with which the browser continues after the email was confirmed: the address, and a keyed
 * hash of the chosen password's hash.
 */
type PendingRegistration = { email: string; mark: string }

const contextOf = (uid: string) => `registered:${uid}`
const markOf = (seal: Seal, passwordHash: string) =>
  seal.hash(passwordHash, 'registered').toString('base64url')

/** Has the same length whether or not the address has a user. Valid in this sign-in only. */
export const sealPendingRegistration = (
  seal: Seal,
  uid: string,
  email: string,
  passwordHash: string,
): string =>
  seal
    .seal(
      JSON.stringify({ email, mark: markOf(seal, passwordHash) } satisfies PendingRegistration),
      contextOf(uid),
    )
    .toString('base64url')

export function openPendingRegistration(
  seal: Seal,
  uid: string,
  sealed: unknown,
): PendingRegistration | undefined {
  if (typeof sealed !== 'string') return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(sealed, 'base64url'), contextOf(uid))) as PendingRegistration
  } catch {
    return undefined // from another sign-in, or forged
  }
}

/**
 * Whether the user still has the password of this registration: no later registration or reset has replaced
 * it.
 */
export const isPasswordUnchanged = (
  seal: Seal,
  { mark }: PendingRegistration,
  passwordHash: string | null,
): boolean => passwordHash !== null && sameText(mark, markOf(seal, passwordHash))
