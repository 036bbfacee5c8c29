/**
 * Registering. What is answered is the same for an address that is new and for one that has a
 * user: who has the mailbox learns which, by the letter. Until the link in it is used nothing is
 * anybody's: the next who registers with the address takes the place of the one before, and
 * memberships are made only then (recovery).
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { guarded } from '../http/limits/guard.ts'
import { EMAILS_REQUESTED, limitOfNetwork } from '../http/limits/rules.ts'
import { accountExists, registrationLink, verificationLink } from '../jobs/email/messages.ts'
import { waitForMail } from '../jobs/email/queries.ts'
import { record } from '../resources/audit/record.ts'
import { mailLink } from '../resources/credentials/links.ts'
import { replacePassword } from '../resources/credentials/replace.ts'
import { deleteFactors } from '../resources/factors/queries.ts'
import { createUser } from '../resources/users/create.ts'
import { lockUserOf, type User } from '../resources/users/queries.ts'
import type { Brand } from '../ui/brand.ts'
import type { Registrant } from './registration-input.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type Place = Brand & { id: string }

/** 250 ms: longer than it takes, so that the time tells nothing of the address. */
const ANSWER_MIN = 250

/**
 * Has mail sent to an address that anybody may type: not too often from one
 * network, and always in the same time.
 */
export async function askForMail(
  parts: Parts,
  request: FastifyRequest,
  work: () => Promise<unknown>,
): Promise<void> {
  const limits = limitOfNetwork(parts.seal, 'mails', EMAILS_REQUESTED, request.ip)
  const asked = async () => {
    await Promise.all([work(), sleep(ANSWER_MIN)])
    return true
  }
  await guarded(parts.db, limits, asked)
}

export async function register(
  parts: Parts,
  request: FastifyRequest,
  system: Place,
  { email, name, accountName, locale }: Registrant & { locale: string },
  passwordHash: string,
): Promise<void> {
  const { actor } = request
  const systemId = system.id
  await inTransaction(parts.db, async (tx) => {
    const person = { name, locale, registration: { systemId, accountName } }
    const entry = { action: 'user.registered', systemId } as const
    const created = await createUser(tx, actor, { email, ...person, passwordHash }, { ...entry, changes: {} })
    if (created) return sendRegistrationEmail(tx, parts, created, system)
    const known = await lockUserOf(tx, email)
    if (!known) throw new Failure('unavailable', { detail: 'The user was deleted meanwhile.', retryAfter: 1 })
    const target = { type: 'user', id: known.id }
    if (!known.registration) {
      await record(tx, actor, { ...entry, target, outcome: 'failure' })
      return sendRegistrationEmail(tx, parts, known, system)
    }
    // Nothing changes that the owner of the address is not told of.
    if ((await waitForMail(tx, known.email)) > 0) return
    await deleteFactors(tx, known.id)
    const anew = { passwordHash, mustChangePassword: false, ...person }
    const user = await replacePassword(tx, actor, known, anew, { ...entry, target })
    await sendRegistrationEmail(tx, parts, user, system)
  })
}

/** Mails to the user of an address what somebody who registers with it is to know. */
async function sendRegistrationEmail(
  tx: Db,
  parts: Parts,
  user: User,
  system: Brand | undefined,
): Promise<void> {
  if (user.registration) await mailLink(tx, parts, 'email_verification', user, system, registrationLink)
  else if (!user.disabled) await mailLink(tx, parts, 'password_reset', user, system, accountExists)
}

/** Mails it again to an address; for who is signed in, the link that confirms it. */
export async function tellAgain(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  system: Place | undefined,
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

export async function mailReset(
  { db, ...parts }: Parts,
  request: FastifyRequest,
  system: Place | undefined,
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

/** What the browser that registered goes on with: the address, and a mark of the password that was chosen. */
type Waiting = { email: string; mark: string }

const contextOf = (uid: string) => `registered:${uid}`
const markOf = (seal: Seal, passwordHash: string) =>
  seal.hash(passwordHash, 'registered').toString('base64url')

/** The same length whether the address had a user or not, and good in this sign-in only. */
export const sealWaiting = (seal: Seal, uid: string, email: string, passwordHash: string): string =>
  seal
    .seal(JSON.stringify({ email, mark: markOf(seal, passwordHash) } satisfies Waiting), contextOf(uid))
    .toString('base64url')

export function openWaiting(seal: Seal, uid: string, sealed: unknown): Waiting | undefined {
  if (typeof sealed !== 'string') return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(sealed, 'base64url'), contextOf(uid))) as Waiting
  } catch {
    return undefined // it is of another sign-in, or not ours
  }
}

/** Whether the user has the password that was chosen then: nobody has registered or reset it since. */
export const isStill = (seal: Seal, { mark }: Waiting, passwordHash: string | null): boolean =>
  passwordHash !== null && sameText(mark, markOf(seal, passwordHash))
