/**
 * Password hashes: argon2id, with the parameters OWASP gives for 19 MiB. A hash costs about 11 ms of a core on libuv's
 * threads, which signing shares: a flood of logins would stand before every token, so hashes wait at a gate.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash } from '@node-rs/argon2'
import PQueue from 'p-queue'
import { busy, inTurn } from './gate.ts'
import { matches } from './imported-hashes.ts'

/** Memory in KiB, passes, lanes. The kind, argon2id, is the library's default (its enum can't be imported under type stripping). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const OURS = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`

/** Waiting for a slot. */
const WAITING_MAX = 200
/** One core is kept free for other work. Each running hash uses 19 MiB. */
const running = new PQueue({ concurrency: Math.max(1, availableParallelism() - 1) })

/** Throws `unavailable` if too many wait, or if the wait is too long. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  if (running.size >= WAITING_MAX) throw busy()
  return inTurn(running, work)
}

/** What counts as one character typed on different keyboards is one character (NFC). */
const normalised = (password: string) => password.normalize('NFC')

/** Characters after NFC; more would only be work for the hash. */
export const PASSWORD_MAX_LENGTH = 128

/** Whether a text is too short or too long to be a password. */
export function lengthFault(password: string, minLength: number): 'short' | 'long' | undefined {
  const length = [...normalised(password)].length
  if (length < minLength) return 'short'
  return length > PASSWORD_MAX_LENGTH ? 'long' : undefined
}

/**
 * What keeps a text from being a password, if anything. Neither composition rules nor a list of common ones: the list is
 * for passwords that people choose for themselves (credentials/chosen.ts).
 */
export function passwordFault(password: string, minLength: number): string | undefined {
  const fault = lengthFault(password, minLength)
  if (fault === 'short') return `must be at least ${minLength} characters long`
  return fault && `must be at most ${PASSWORD_MAX_LENGTH} characters long`
}

/** A PHC string. */
export function hashPassword(password: string): Promise<string> {
  return whenFree(() => hash(normalised(password), COST))
}

/** Of a random text nobody knows: what the attempt on an unknown user is measured against, so that it costs the same. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$JMHNiemXYXqDTa0vXyRfOA$++aJvefhaTt2rxhFSJP8qctle04Qy8CqPpANrzp7qLM'

/** Whether a hash is one that `hashPassword` could have made. Any other gives way to one of ours at the next sign-in. */
export const isOurs = (stored: string | null): boolean => stored?.startsWith(OURS) === true

/**
 * Every refusal takes at least as long as that of an imported hash did (ms): else a person who has not signed in since the
 * import would be told from nobody by the time it takes. Where nothing is imported it is 0.
 */
let slowestRefusal = 0
/** ms. Beyond it the machine was busy, and that is nobody's secret. */
const REFUSAL_MAX = 1_000

/** Whether the password is the one of the hash. Without a hash the answer is no, at the same cost. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  // Ours are of the text after NFC; of an imported one nobody knows.
  const forms = new Set([normalised(password), password])
  let began = 0
  const right = await whenFree(async () => {
    began = performance.now()
    for (const form of forms) if (await matches(stored ?? NOBODYS_HASH, form)) return stored !== null
    if (stored !== null && !isOurs(stored)) {
      await matches(NOBODYS_HASH, password) // it may have cost less than one of ours
      slowestRefusal = Math.min(REFUSAL_MAX, Math.max(slowestRefusal, performance.now() - began))
    }
    return false
  })
  if (!right) await sleep(Math.max(0, slowestRefusal - (performance.now() - began)))
  return right
}
