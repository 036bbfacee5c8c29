/** Rate limits against guessing and against unwanted email. Times are in seconds. */
import type { Seal } from '../../crypto/seal.ts'
import { networkOf } from './network.ts'

/**
 * `growing`: the nth consecutive attempt is followed by the nth of `waits`, later ones by the last; reset
 * after `forgottenAfter` without an attempt. `steady`: `burst` attempts at once, then one per `every`.
 * `counts`: every attempt, before it is checked, or only failures. `onSuccess`: `forget` resets the limit,
 * `giveBack` undoes the count of the attempt, `leave` changes nothing.
 */
export type Rule = (
  | { kind: 'growing'; waits: readonly number[]; forgottenAfter: number }
  | { kind: 'steady'; burst: number; every: number }
) & { counts: 'attempts' | 'failures'; onSuccess: 'forget' | 'giveBack' | 'leave' }

export type Limit = { key: string; rule: Rule }

/** One guesser at one secret: five attempts without a wait; from the tenth on, one per 15 minutes. */
export const GUESSER = {
  kind: 'growing',
  waits: [0, 0, 0, 0, 1, 4, 16, 64, 256, 900],
  forgottenAfter: 86_400,
  counts: 'attempts',
  onSuccess: 'forget',
} as const satisfies Rule

/** All unknown browsers at one user's password: 50 (NIST SP 800-63B allows 100), then one per 15 minutes. */
export const UNKNOWN_DEVICES = {
  kind: 'steady',
  burst: 50,
  every: 900,
  counts: 'attempts',
  onSuccess: 'forget',
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

/** Email to an address without a user, in any spelling: three at once, then ten per day. */
export const MAILS_TO_ADDRESS = {
  kind: 'steady',
  burst: 3,
  every: 8_640,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Email requested by one network: 30 at once, then one per minute. */
export const EMAILS_REQUESTED = {
  kind: 'steady',
  burst: 30,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Email to one user about sign-ins from new devices: three at once, then three a day. */
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

/** The limit of a network; empty for loopback and unknown addresses. */
export function limitOfNetwork(seal: Seal, kind: string, rule: Rule, ip: string | null): Limit[] {
  const network = networkOf(ip)
  return network === undefined ? [] : [limitOf(seal, kind, rule, network)]
}
