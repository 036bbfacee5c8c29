/**
 * Browsers in which a user has signed in before (OWASP: device cookies). Password attempts from such a
 * browser have a limit of their own, so that guesses from elsewhere do not lock out the user; a sign-in
 * from any other browser is notified by email. The cookie holds a random number of the browser with a keyed
 * hash of it and, for each of its last users, a keyed hash of that number, the user and the password hash: a
 * changed password makes every browser unknown. A second one says that a second factor that is valid
 * everywhere was verified there too, so that attempts at it have a limit of their own.
 */
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Scope } from '../http/authority.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import { networkOf } from '../http/ip-address.ts'
import { limitOf, NEW_DEVICES } from '../http/limits/guard.ts'
import { reserve } from '../http/limits/queries.ts'
import { enqueueEmail } from '../jobs/email/enqueue.ts'
import { newSignIn } from '../jobs/email/messages.ts'
import { type AuthenticatedUser, findAddresses } from '../resources/sign-ins/queries.ts'
import type { Brand } from '../texts/brand.ts'
import { AAL2, acrOf } from './assurance.ts'
import type { Sender } from './attempts.ts'

/** 180 days since the last sign-in, in seconds. */
const LIFETIME = 15_552_000
/** The most marks in a cookie: those of at least five users. */
const MARKS_MAX = 10
const SHAPE = /^[\w-]{22}~[\w-]{22}(\.[\w-]{43}){1,10}$/

type Parts = { seal: Seal; config: Config }
/** The password that is valid in the system of the sign-in. */
type User = { id: string; password: { hash: string } | null }

const nameOf = (config: Config) => cookieName(config, '__Host-', 'known')

/** An object that sets cookies, such as a Fastify reply. */
type Cookies = { setCookie(name: string, value: string, options: CookieOptions): unknown }
type CookieOptions = ReturnType<typeof cookieAttributes> & { maxAge: number }

function readCookie(config: Config, { cookies }: Sender): { browser: string; users: string[] } | undefined {
  const value = cookies[nameOf(config)] ?? ''
  if (!SHAPE.test(value)) return undefined
  const [browser = '', ...users] = value.split('.')
  return { browser, users }
}

/** A new random number of a browser, which only this server can create. */
function newBrowser(seal: Seal): string {
  const random = randomBytes(16).toString('base64url')
  return `${random}~${proofOf(seal, random)}`
}

const proofOf = (seal: Seal, random: string) =>
  seal.hash(random, 'known-browser-id').subarray(0, 16).toString('base64url')

/**
 * Browsers whose hash was verified, of each key: a hash costs several times what finding them here costs, and
 * each request of a browser asks. Only browsers that are known are kept, so that invented ones replace none.
 */
const verified = new WeakMap<Seal, LRUCache<string, string>>()
const VERIFIED_MAX = 1_000

/** Identifies a browser in which any user has signed in before. */
export function knownBrowser(
  { seal, config }: Parts,
  cookieOf: (name: string) => string | undefined,
): string | undefined {
  const value = cookieOf(nameOf(config)) ?? ''
  if (!SHAPE.test(value)) return undefined
  const browser = value.slice(0, value.indexOf('.'))
  const cache = verified.get(seal) ?? new LRUCache<string, string>({ max: VERIFIED_MAX })
  verified.set(seal, cache)
  const known = cache.get(browser)
  if (known !== undefined) return known
  const [random = '', proof = ''] = browser.split('~')
  if (!sameText(proof, proofOf(seal, random))) return undefined
  cache.set(browser, random)
  return random
}

type Mark = 'known-browser' | 'known-browser-factor'

const browserMarkOf = (seal: Seal, browser: string, { id, password }: User, mark: Mark = 'known-browser') =>
  seal.hash(JSON.stringify([browser, id, password?.hash ?? null]), mark).toString('base64url')

/**
 * Identifies the user in this browser; undefined if they never signed in here with their present password.
 * The threat: guesses from anywhere use up the attempts of a user, who is locked out (OWASP: device cookies).
 * A known browser has attempts of its own, so its mark must not be available to the attacker:
 *
 * 1. it is a keyed hash, so that only this server can make one;
 * 2. it contains the random number of the browser, the user and the hash of the password: it is of no use
 *    for another user, and a new password makes every browser unknown;
 * 3. it is set when the user has authenticated or has chosen the password, and by a credential of one system
 *    only for the password of that system.
 */
export function knownDevice(
  { seal, config }: Parts,
  sender: Sender,
  user: User | undefined,
): string | undefined {
  const known = readCookie(config, sender)
  const mark = known && user && browserMarkOf(seal, known.browser, user)
  return mark && known.users.includes(mark) ? mark : undefined
}

/**
 * Identifies the user in a browser where they have signed in with a password and a second factor that are
 * valid everywhere. A system that knows its own password of the user cannot make a browser known.
 */
export function knownForFactor(
  { seal, config }: Parts,
  sender: Sender,
  user: AuthenticatedUser | undefined,
): string | undefined {
  const known = readCookie(config, sender)
  if (!known || user?.password?.scope !== null) return undefined
  const mark = browserMarkOf(seal, known.browser, user, 'known-browser-factor')
  return known.users.includes(mark) ? mark : undefined
}

/** Sets the cookie that makes this browser known for a user who has authenticated. */
export function rememberDevice(
  { seal, config }: Parts,
  sender: Sender,
  cookies: Cookies,
  user: User,
  byOwnFactor = false,
): void {
  const { browser, users } = readCookie(config, sender) ?? {
    browser: newBrowser(seal),
    users: [],
  }
  const marks = [
    browserMarkOf(seal, browser, user),
    ...(byOwnFactor ? [browserMarkOf(seal, browser, user, 'known-browser-factor')] : []),
  ]
  const value = [browser, ...new Set([...marks, ...users])].slice(0, MARKS_MAX + 1).join('.')
  cookies.setCookie(nameOf(config), value, { ...cookieAttributes(config, '/'), maxAge: LIFETIME })
}

/**
 * Makes this browser known for the second factor of a user who has verified or enrolled one in it. `scope`:
 * where the factor is valid; one that is valid in one system makes no browser known.
 */
export function rememberFactor(
  parts: Parts,
  sender: Sender,
  cookies: Cookies,
  user: AuthenticatedUser | undefined,
  scope: Scope,
): void {
  if (scope === null && user?.password?.scope === null) rememberDevice(parts, sender, cookies, user, true)
}

/**
 * `amr`: the methods of this sign-in. `login`: where the credential is valid that the user has logged in
 * with. `system`: the system that the user signs in to. `factor`: where the second factor is valid that was
 * verified.
 */
type SignIn = {
  amr: readonly string[]
  login: { scope: Scope }
  system: System | undefined
  factor?: { scope: Scope }
}
type System = (Brand & { id: string }) | undefined

/**
 * Called when a user has authenticated: makes the browser known, and returns what notifies the user of a new
 * device by email, if that may be necessary. A device is new if its network and user agent are in none of the
 * user's newest hundred sessions of the last 90 days, of those that were opened with the user's own
 * credentials or are with this system: a system that signs in as the user, with a password that it has set,
 * makes no device known elsewhere and uses up no email about another system. A known browser is never new,
 * nor is the first sign-in of a user. While a second factor is still required nothing happens: its step calls
 * this again. An emailed code that only a system requires is not waited for, since other systems accept the
 * browser without it.
 */
export function noteDevice(
  parts: Parts,
  sender: Sender,
  cookies: Cookies,
  user: AuthenticatedUser,
  { amr, login, system, factor }: SignIn,
): ((tx: Db) => Promise<void>) | undefined {
  if (user.hasFactor && acrOf(amr) !== AAL2) return undefined
  const known = knownDevice(parts, sender, user)
  // A login that is valid in one system makes no browser known for the password that is valid everywhere.
  if (login.scope === null || login.scope === user.password?.scope)
    rememberDevice(parts, sender, cookies, user, factor?.scope === null && user.password?.scope === null)
  if (known || !user.signedInBefore) return undefined
  return async (tx) => {
    const { ip, userAgent } = sender.actor
    const here = networkOf(ip)
    const seen = await findAddresses(tx, user.id, { systemId: system?.id ?? null, userAgent })
    if (seen.some((each) => networkOf(each) === here)) return
    const limit = limitOf(parts.seal, 'new-device', NEW_DEVICES, user.id, system?.id ?? '')
    if (!(await reserve(tx, limit))) return
    const turn = { systemId: system?.id ?? null, isAwaited: false, isOfSecurity: true }
    await enqueueEmail(tx, parts.seal, newSignIn(user, system, ip ?? ''), turn)
  }
}
