/** The answer of a provider that a browser brings to the page that completes the sign-in: a sealed cookie. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../../http/forms-and-cookies.ts'
import type { Assertion } from './assertion.ts'

type Parts = { seal: Seal; config: Config }

/** `nonce`: makes it usable once. `at`: before the answer was fetched, in ms since 1970, by the database. */
export type Arrived = {
  nonce: string
  connection: string
  at: number
  stated: Omit<Assertion, 'groups'>
  /** When the provider ends its own session, if it says so; ms since 1970. */
  until?: number
  /** The user has to show something beside it, and was asked for it. */
  isAsked?: boolean
  /** The user of the browser, once the form of the page was sent that names both. */
  replaces?: string | undefined
  /** The user who has typed the code that was sent to the address. */
  mailbox?: string | undefined
}

/**
 * How long an answer counts, in ms: whoever keeps it outlives the account at the provider by no more. With a
 * code that is emailed, or a factor, the user may take as long as the code is valid.
 */
const ANSWER_MAX = 300_000
const ASKED_MAX = 900_000

/** `now`: by the clock of the database. */
export const isOver = ({ at, isAsked }: Arrived, now: number): boolean =>
  now - at > (isAsked ? ASKED_MAX : ANSWER_MAX)

const nameOf = (config: Config) => cookieName(config, '__Secure-', 'sso_arrived')
const attributesOf = (config: Config, uid: string) =>
  cookieAttributes(config, `/interaction/${uid}/connection`)
const contextOf = (uid: string) => `connection:arrived:${uid}`

export function storeArrived(
  { seal, config }: Parts,
  reply: FastifyReply,
  uid: string,
  arrived: Arrived,
): void {
  const sealed = seal.seal(JSON.stringify(arrived), contextOf(uid)).toString('base64url')
  reply.setCookie(nameOf(config), sealed, { ...attributesOf(config, uid), maxAge: config.TTL_INTERACTION })
}

export const clearArrived = ({ config }: Parts, reply: FastifyReply, uid: string): void =>
  void reply.clearCookie(nameOf(config), attributesOf(config, uid))

export function readArrived(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  uid: string,
): Arrived | undefined {
  const value = cookies[nameOf(config)]
  if (!value) return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), contextOf(uid))) as Arrived
  } catch {
    return undefined // sealed under another key, or for another sign-in
  }
}
