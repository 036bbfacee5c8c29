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

/** Runs the work in turn, and measures it. */
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

/** Whether `hashPassword` made the hash. Any other is replaced at the next sign-in. */
export const isCurrentHash = (stored: string | null): boolean => stored?.startsWith(CURRENT) === true

/** Before an imported hash with the parameters of `hashPassword`, which may be of a text that is not NFC. */
const IMPORTED = '$imported'

/** What is stored of an imported hash. */
export const asImported = (hash: string): string => (isCurrentHash(hash) ? `${IMPORTED}${hash}` : hash)

const withoutMark = (stored: string) => (stored.startsWith(IMPORTED) ? stored.slice(IMPORTED.length) : stored)

/** Where a password is verified: the system whose turn it is, and the scope whose passwords count there. */
export type HashPlace = { tenant: Tenant; scope: Tenant }

/**
 * In ms for each form of a password, by the scope of the hash: the slowest refusal by an imported one. Every
 * refusal takes as long; otherwise its time would tell users with an imported hash from unknown ones. What a
 * system imports slows only refusals in that system.
 */
const slowest = new Map<Tenant, number>()
/** The longest time of each form, in ms. A longer time is due to load and reveals nothing. */
const REFUSAL_MAX = 2_000

const slowestAt = (scope: Tenant) => Math.max(slowest.get(null) ?? 0, slowest.get(scope) ?? 0)

function noteRefusal(scope: Tenant, ms: number): void {
  slowest.set(scope, Math.min(REFUSAL_MAX, Math.max(slowest.get(scope) ?? 0, ms)))
}

/** `sleep` ends up to a millisecond early. */
async function sleepUntil(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) await sleep(left)
}

/**
 * Whether the password matches the hash. Without a hash it is false, after the same time. Our own hash is of
 * NFC; an imported one is compared with both forms, and with one if they are equal. Throws `unavailable` if
 * the wait is too long.
 */
export async function verifyPassword(
  stored: { hash: string; scope: Tenant } | null,
  password: string,
  { tenant, scope }: HashPlace,
): Promise<boolean> {
  const forms = [...new Set([normalised(password), password])]
  const own = isCurrentHash(stored?.hash ?? null) ? stored : null
  const imported = own ? null : stored
  const matchesOwn = await measured(tenant ?? '', () => verify(own?.hash ?? DUMMY_HASH, normalised(password)))
  if (own && matchesOwn) return true
  // Every refusal waits in both queues: otherwise a full one would tell an imported hash from others.
  const { began, right } = await importedInTurn(tenant ?? '', async () => ({
    began: performance.now(),
    right: imported !== null && (await matchesAny(withoutMark(imported.hash), forms)),
  }))
  if (right) return true
  if (imported) noteRefusal(imported.scope, (performance.now() - began) / forms.length)
  await sleepUntil(began + slowestAt(scope) * forms.length)
  return false
}

/** One after the other: at the same time they would need the memory of both. */
async function matchesAny(hash: string, forms: string[]): Promise<boolean> {
  for (const form of forms) if (await matchesImported(hash, form)) return true
  return false
}
