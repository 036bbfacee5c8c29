/**
 * Rate limits against guessing and against unwanted email: the rules, in seconds, and the check of an
 * attempt, which is counted before its result is known.
 */
import PQueue from 'p-queue'
import { inTurn } from '../../crypto/gate.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { networksOf } from '../ip-address.ts'
import { forget, giveBack, type Limit, type Rule, reserve, secondsToWait } from './queries.ts'

/** One guesser at one secret in one system: five attempts at once; from the tenth on, one per 15 minutes. */
export const GUESSER = {
  kind: 'growing',
  waits: [0, 0, 0, 0, 1, 4, 16, 64, 256, 900],
  forgottenAfter: 86_400,
  counts: 'attempts',
  onSuccess: 'forget',
} as const satisfies Rule

/**
 * All unknown browsers at one user's passwords or factors, in all systems: 50 (NIST SP 800-63B allows 100),
 * then one per 15 minutes.
 */
export const UNKNOWN_DEVICES = {
  kind: 'steady',
  burst: 50,
  every: 900,
  counts: 'attempts',
  onSuccess: 'reduce',
} as const satisfies Rule

/** One network at the passwords of all users: 30 failures in 10 minutes. Success does not reset it. */
export const NETWORK = {
  kind: 'steady',
  burst: 30,
  every: 20,
  counts: 'failures',
  onSuccess: 'leave',
} as const satisfies Rule

/** One network at device codes, of 34 bits each. */
export const CODES_OF_NETWORK = {
  kind: 'steady',
  burst: 10,
  every: 60,
  counts: 'attempts',
  onSuccess: 'giveBack',
} as const satisfies Rule

/** All networks at device codes. An attacker needs a thousand networks to reach it. */
export const CODES_OF_ALL = {
  kind: 'steady',
  burst: 1_000,
  every: 1,
  counts: 'attempts',
  onSuccess: 'giveBack',
} as const satisfies Rule

/** Addresses for which a network, or a known browser, asks for connections: 100, then one every 2 s. */
export const ADDRESSES = {
  kind: 'steady',
  burst: 100,
  every: 2,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Emailed codes per user: one per minute. */
export const CODE_PAUSE = {
  kind: 'steady',
  burst: 1,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Emailed codes per user over time: five at once, then five per hour. */
export const CODES_MAILED = {
  kind: 'steady',
  burst: 5,
  every: 720,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Audit entries about refused requests of one client for one reason: one per minute. */
export const REFUSALS_RECORDED = {
  kind: 'steady',
  burst: 1,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Email to an address that one cause may request (jobs/email/budget.ts): three, then one an hour. */
export const EMAILS_TO_ADDRESS = {
  kind: 'steady',
  burst: 3,
  every: 3_600,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/**
 * Email to an address that one asker may request though others have used up what they share: one an hour, so
 * that no asker keeps a mailbox from another one.
 */
export const EMAILS_OF_ASKER = {
  kind: 'steady',
  burst: 1,
  every: 3_600,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** All of these to one address: 30 at once, then one per ten minutes. */
export const EMAILS_OF_ASKERS = {
  kind: 'steady',
  burst: 30,
  every: 600,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Test emails that one caller requests: ten at once, then one per minute. */
export const TEST_EMAILS = {
  kind: 'steady',
  burst: 10,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Emails to a user about one credential that is valid in one system: ten at once, then one per hour. */
export const NOTIFICATIONS_TO_USER = {
  kind: 'steady',
  burst: 10,
  every: 3_600,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

const DAILY = new Map<number, Rule>()

/** `perDay` at once, then as many spread over 24 hours. One object for each number: it has a statement. */
export function dailyRule(perDay: number): Rule {
  const known = DAILY.get(perDay)
  if (known) return known
  const every = Math.ceil(86_400 / perDay)
  const rule: Rule = { kind: 'steady', burst: perDay, every, counts: 'attempts', onSuccess: 'leave' }
  DAILY.set(perDay, rule)
  return rule
}

/** Email requested by one network: 30 at once, then one per minute. */
export const EMAILS_REQUESTED = {
  kind: 'steady',
  burst: 30,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Email to one user about sign-ins to one system from new devices: three at once, then three a day. */
export const NEW_DEVICES = {
  kind: 'steady',
  burst: 3,
  every: 28_800,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** A limit by a keyed hash: the table contains neither email addresses nor network addresses. */
export const limitOf = (seal: Seal, kind: string, rule: Rule, ...thing: string[]): Limit => ({
  key: `${kind}:${seal.hash(JSON.stringify(thing), `limit:${kind}`).toString('base64url')}`,
  rule,
})

/**
 * The limit of all unknown browsers at the passwords of an address. `ownHash`: of the password that is valid
 * everywhere.
 */
export const limitOfPassword = (seal: Seal, address: string, ownHash: string | null | undefined): Limit =>
  limitOf(seal, 'account', UNKNOWN_DEVICES, address, ownHash ?? '')

/** The limits of the networks of an address; empty for loopback. */
export const limitsOfNetworks = (seal: Seal, kind: string, rule: Rule, ip: string | null): Limit[] =>
  networksOf(ip).map((network) => limitOf(seal, kind, rule, network))

const tooMany = (seconds: number) => new Failure('too_many_requests', { retryAfter: Math.max(1, seconds) })

/** `wait`: seconds until the next attempt is allowed. */
export type GuardedAttempt = { right: boolean; wait: number }

/**
 * Whether a credential is right. `other`: right, but another one than the limits of all guessers are for, so
 * that only the present attempt is undone there.
 */
export type CredentialVerdict = boolean | 'other'

/**
 * Checks one attempt under its limits. Throws `too_many_requests` if a limit is reached; the attempt is then
 * neither checked nor counted, so repeated requests do not prolong the wait. An attempt that could not be
 * checked is not counted.
 */
export async function guarded(
  db: Db,
  given: readonly Limit[],
  check: () => Promise<CredentialVerdict>,
): Promise<GuardedAttempt> {
  if (given.length === 0) return { right: (await check()) !== false, wait: 0 }
  // Locked in the same order by all, to prevent deadlocks.
  const limits = given.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const reserved = limits.filter(({ rule }) => rule.counts === 'attempts')
  await reserveAll(db, limits, reserved)
  let verdict: CredentialVerdict
  try {
    verdict = await check()
  } catch (error) {
    for (const limit of reserved) await giveBack(db, limit).catch(() => {}) // the first error is thrown
    throw error
  }
  if (verdict === false) {
    // It has no effect if the limit is reached.
    for (const limit of limits) if (limit.rule.counts === 'failures') await reserve(db, limit)
    return { right: false, wait: await secondsToWait(db, limits) }
  }
  const forgotten = limits.filter(({ rule }) => rule.onSuccess === 'forget')
  const reduced = limits.filter(({ rule }) => rule.onSuccess === 'reduce')
  if (verdict === 'other' && reduced.length === 0) for (const limit of forgotten) await giveBack(db, limit)
  else if (forgotten.length > 0) await forget(db, { forgotten, reduced, one: verdict === 'other' })
  for (const limit of limits) if (limit.rule.onSuccess === 'giveBack') await giveBack(db, limit)
  return { right: true, wait: 0 }
}

/** Counts the attempt under all of `reserved`, or under none and throws if one of `limits` is reached. */
async function reserveAll(db: Db, limits: readonly Limit[], reserved: readonly Limit[]): Promise<void> {
  const [only] = reserved
  if (only && limits.length === 1) {
    if (await reserve(db, only)) return
    throw tooMany(await secondsToWait(db, limits))
  }
  const seconds = await secondsToWait(db, limits)
  if (seconds > 0) throw tooMany(seconds)
  if (reserved.length === 0) return
  await inTransaction(db, async (tx) => {
    for (const limit of reserved)
      if (!(await reserve(tx, limit))) throw tooMany(await secondsToWait(tx, limits))
  })
}

const queues = new Map<string, PQueue>()

/**
 * Runs the work of one key in sequence, within this process: correct attempts made at the same time do not
 * count as guesses. Throws `unavailable` if the wait is too long.
 */
export async function inSequence<T>(key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? new PQueue({ concurrency: 1 })
  queues.set(key, queue)
  try {
    return await inTurn(queue, work)
  } finally {
    if (queue.pending + queue.size === 0) queues.delete(key)
  }
}
