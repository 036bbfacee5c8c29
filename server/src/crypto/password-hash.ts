/**
 * Password hashes: argon2id with the parameters that OWASP recommends for 19 MiB. A hash takes about 11 ms of
 * a core on the thread pool of libuv. The number of concurrent hashes is limited, so that a flood of logins
 * does not delay other requests, and systems take turns (`tenant`): a flood at one delays logins at another
 * by little. Imported hashes, which can take a hundred times as long, run one at a time beside the others.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { durations } from '../measurements.ts'
import { openGate } from './gate.ts'
import { matchesImported } from './imported-hashes.ts'

/**
 * Memory in KiB, passes, lanes. argon2id is the default of the library (type stripping cannot import its
 * enum).
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`

/** One core is kept free for other work. Each running hash uses 19 MiB. */
const inTurn = openGate(Math.max(1, availableParallelism() - 1))
const importedInTurn = openGate(1)

export const hashLoad = () => inTurn.load()

const measureHash = durations(
  'tenantry_password_hash_seconds',
  'Time of a password hash or its verification, with the wait for its turn.',
  { labels: [], bounds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2] },
)

/** In turn, and measured. */
async function measured<T>(tenant: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  try {
    return await inTurn(tenant, work)
  } finally {
    measureHash(performance.now() - since, {})
  }
}

/** The id of the system that a hash is computed for; null for pages and operations of no system. */
type Tenant = string | null

/** NFC: keyboards encode the same character in different ways. */
const normalised = (password: string) => password.normalize('NFC')

/** In characters after NFC. */
export const PASSWORD_MAX_LENGTH = 128

/** The fault in the length of a password, if any. */
export function lengthFault(password: string, minLength: number): 'short' | 'long' | undefined {
  const length = [...normalised(password)].length
  if (length < minLength) return 'short'
  return length > PASSWORD_MAX_LENGTH ? 'long' : undefined
}

/**
 * The reason why a text is not accepted as a password, if any. There are no composition rules; the list of
 * common passwords applies to passwords that users choose (credentials/password-policy.ts).
 */
export function passwordFault(password: string, minLength: number): string | undefined {
  const fault = lengthFault(password, minLength)
  if (fault === 'short') return `must be at least ${minLength} characters long`
  return fault && `must be at most ${PASSWORD_MAX_LENGTH} characters long`
}

/** Returns a PHC string. Throws `unavailable` if the wait is too long. */
export function hashPassword(password: string, tenant: Tenant): Promise<string> {
  return measured(tenant ?? '', () => hash(normalised(password), COST))
}

/**
 * The hash of a random text. Verified for an unknown user, so that the attempt takes as long as for a known
 * one.
 */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$JMHNiemXYXqDTa0vXyRfOA$++aJvefhaTt2rxhFSJP8qctle04Qy8CqPpANrzp7qLM'

/** Whether a hash has the parameters of `hashPassword`. Any other is replaced at the next sign-in. */
export const isCurrentHash = (stored: string | null): boolean => stored?.startsWith(CURRENT) === true

/**
 * In ms. Every failed verification takes at least as long as the slowest failed one of an imported hash;
 * otherwise its time would distinguish users with an imported hash from unknown users. 0 if no hash is
 * imported.
 */
let slowestRefusal = 0
/** In ms. A longer time is due to load and reveals nothing. */
const REFUSAL_MAX = 1_000

/** `password` in one of its forms. */
const matches = (stored: string, password: string): Promise<boolean> =>
  isCurrentHash(stored) ? verify(stored, password) : matchesImported(stored, password)

/**
 * Whether the password matches the hash. Without a hash it is false, after the same time. Throws
 * `unavailable` if the wait is too long.
 */
export async function verifyPassword(
  stored: string | null,
  password: string,
  tenant: Tenant,
): Promise<boolean> {
  // An imported hash may be of the text before NFC.
  const forms = new Set([normalised(password), password])
  const isImported = stored !== null && !isCurrentHash(stored)
  let began = 0
  const check = (gate: typeof measured, hash: string) =>
    gate(tenant ?? '', async () => {
      began ||= performance.now()
      for (const form of forms) if (await matches(hash, form)) return true
      return false
    })
  // An imported hash waits in both queues: otherwise a full one would distinguish its user from unknown ones.
  const ofOwn = await check(measured, isImported ? DUMMY_HASH : (stored ?? DUMMY_HASH))
  const right = isImported ? await check(importedInTurn, stored) : ofOwn && stored !== null
  if (right) return true
  if (isImported) slowestRefusal = Math.min(REFUSAL_MAX, Math.max(slowestRefusal, performance.now() - began))
  await sleep(Math.max(0, slowestRefusal - (performance.now() - began)))
  return false
}
