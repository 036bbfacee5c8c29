/** How often what can be guessed may be tried. Times are in seconds. */
import type { Seal } from '../../crypto/seal.ts'
import { networkOf } from './network.ts'

/**
 * `growing`: after the nth attempt in a row comes the nth wait, after the last one the same again; forgotten after
 * `forgottenAfter` without an attempt. `steady`: `burst` at once, then one in `every`.
 * Attempts are counted before they are judged, so that many at once are no way around, or only once they have failed.
 * Success forgets the limit, gives the attempt back, or leaves the limit as it is.
 */
export type Rule = (
  | { kind: 'growing'; waits: readonly number[]; forgottenAfter: number }
  | { kind: 'steady'; burst: number; every: number }
) & { counts: 'attempts' | 'failures'; onSuccess: 'forget' | 'giveBack' | 'leave' }

export type Limit = { key: string; rule: Rule }

/** One who guesses at one thing: five attempts are free, from the tenth on it is one in 15 minutes. */
export const GUESSER = {
  kind: 'growing',
  waits: [0, 0, 0, 0, 1, 4, 16, 64, 256, 900],
  forgottenAfter: 86_400,
  counts: 'attempts',
  onSuccess: 'forget',
} as const satisfies Rule

/** All strangers together at one person's password. Fewer than the hundred of NIST SP 800-63B; then one in 15 minutes. */
export const STRANGERS = {
  kind: 'steady',
  burst: 50,
  every: 900,
  counts: 'attempts',
  onSuccess: 'forget',
} as const satisfies Rule

/** One network at everybody's passwords: 30 failures in 10 minutes. Who has an account of their own can't wipe it out. */
export const NETWORK = {
  kind: 'steady',
  burst: 30,
  every: 20,
  counts: 'failures',
  onSuccess: 'leave',
} as const satisfies Rule

/** Codes of devices, 34 bits each, that a network may get wrong. */
export const CODES_OF_NETWORK = {
  kind: 'steady',
  burst: 10,
  every: 60,
  counts: 'attempts',
  onSuccess: 'giveBack',
} as const satisfies Rule

/** The same for all together. A thousand networks are needed to be in the way of honest ones. */
export const CODES_OF_ALL = {
  kind: 'steady',
  burst: 1_000,
  every: 1,
  counts: 'attempts',
  onSuccess: 'giveBack',
} as const satisfies Rule

/** Codes mailed to one person: a minute between two. */
export const CODE_PAUSE = {
  kind: 'steady',
  burst: 1,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** The same over time: five at once, ten in any hour. */
export const CODES_MAILED = {
  kind: 'steady',
  burst: 5,
  every: 720,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Mail to one address that is nobody's yet, however it is typed: three at once, then ten a day. */
export const MAILS_TO_ADDRESS = {
  kind: 'steady',
  burst: 3,
  every: 8_640,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Mail that a network has sent to addresses it types: 30 at once, then one a minute. */
export const MAILS_ASKED = {
  kind: 'steady',
  burst: 30,
  every: 60,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Letters to one person about sign-ins from new places: three at once, then three a day. */
export const NEW_PLACES = {
  kind: 'steady',
  burst: 3,
  every: 28_800,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** The limit of a thing, found by a keyed hash: neither e-mail addresses nor network addresses are in the table. */
export const limitOf = (seal: Seal, kind: string, rule: Rule, ...thing: string[]): Limit => ({
  key: `${kind}:${seal.hash(JSON.stringify(thing), `limit:${kind}`).toString('base64url')}`,
  rule,
})

/** The limit of a network, unless it is nobody's. */
export function limitOfNetwork(seal: Seal, kind: string, rule: Rule, ip: string | null): Limit[] {
  const network = networkOf(ip)
  return network === undefined ? [] : [limitOf(seal, kind, rule, network)]
}
