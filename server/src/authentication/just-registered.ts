/**
 * A browser in which a user has just chosen a password by a link that proves the mailbox: the next sign-in
 * there does not ask for it again. The cookie names the user and the password, sealed, for five minutes.
 */
import type { FastifyReply } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import { findLogin } from '../resources/sign-ins/queries.ts'
import type { Sender } from './attempts.ts'
import type { LoginWithPassword } from './password.ts'

/** 5 minutes, in seconds. */
const LIFETIME = 300
const CONTEXT = 'just-registered'

type Parts = { db: Db; seal: Seal; config: Config }
/** `hasDevice`: the device of the browser can create a passkey. */
type Registered = { email: string; passwordId: string; until: number; hasDevice: boolean }

const nameOf = (config: Config) => cookieName(config, '__Host-', 'registered')

/** Call it after the transaction that has stored the password. */
export async function rememberRegistered(
  { db, seal, config }: Parts,
  reply: FastifyReply,
  { email, hasDevice }: Pick<Registered, 'email' | 'hasDevice'>,
): Promise<void> {
  const user = await findLogin(db, email, null)
  if (!user?.password) return
  const until = Date.now() + LIFETIME * 1_000
  const registered: Registered = { email, passwordId: user.password.id, until, hasDevice }
  const value = seal.seal(JSON.stringify(registered), CONTEXT).toString('base64url')
  reply.setCookie(nameOf(config), value, { ...cookieAttributes(config, '/'), maxAge: LIFETIME })
}

/**
 * The user who has just registered in this browser, if the password is still the one chosen then. The cookie
 * is removed.
 */
export async function takeRegistered(
  { db, seal, config }: Parts,
  { cookies }: Sender,
  reply: FastifyReply,
): Promise<{ user: LoginWithPassword; hasDevice: boolean } | undefined> {
  const registered = opened(seal, cookies[nameOf(config)])
  if (!registered) return undefined
  reply.setCookie(nameOf(config), '', { ...cookieAttributes(config, '/'), maxAge: 0 })
  if (registered.until < Date.now()) return undefined
  const user = await findLogin(db, registered.email, null)
  return user?.mayLogIn && user.password?.id === registered.passwordId
    ? { user: { ...user, password: user.password }, hasDevice: registered.hasDevice }
    : undefined
}

function opened(seal: Seal, value: string | undefined): Registered | undefined {
  if (!value) return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), CONTEXT)) as Registered
  } catch {
    return undefined // not sealed by us, or with a key that was removed
  }
}
