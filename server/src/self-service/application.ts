/**
 * The application from which the pages of the user were opened, `/account?client_id=<client id>`: they show
 * its brand and the way back to it, after the sign-in, only to a user who has entered it, and until the user
 * signs out. To anyone else they are those of the installation: a link reveals no name of an application, and
 * lends no brand to a page.
 *
 * The id is in a cookie: unbound until the sign-in, which the pages wait for, then sealed for this session.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import { readBrowser } from '../oidc/provider/browser-session.ts'
import { clientOf } from '../resources/systems/queries.ts'
import type { SystemLook } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { hasEntered } from './queries.ts'

type Parts = { db: Db; seal: Seal; config: Config }

const WAITING = 'asked-application'
const BOUND = 'application'
/** Characters. Our client ids are shorter. */
const LENGTH_MAX = 100

const nameOf = (config: Config, name: string) => cookieName(config, '__Secure-', name)
const contextOf = (sessionUid: string) => `account:application:${sessionUid}`

/** Keeps the application of a link. Call it before the sign-in. */
export function keepApplication(config: Config, { method, query }: FastifyRequest, reply: FastifyReply) {
  const { client_id: given } = query as { client_id?: unknown }
  if (method !== 'GET' || typeof given !== 'string' || given.length > LENGTH_MAX) return
  const attributes = cookieAttributes(config, '/account')
  reply.setCookie(nameOf(config, WAITING), given, { ...attributes, maxAge: config.TTL_INTERACTION })
}

type Visitor = { session: { uid: string }; user: { id: string; email: string } }

/** What the pages show of the application; of the installation without one that the user has entered. */
export async function lookOfPages(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
): Promise<SystemLook> {
  const { config } = parts
  const asked = askedOf(config, request)
  const clientId = asked ?? applicationOf(parts, request, visitor)
  const found = clientId ? await enteredBy(parts.db, visitor.user.id, clientId) : undefined
  if (asked !== undefined) bind(parts, reply, visitor, found && asked)
  return lookOf(config, found, { loginHint: visitor.user.email })
}

/** The application of this request, or of that before the sign-in. */
function askedOf(config: Config, { query, cookies }: FastifyRequest): string | undefined {
  const { client_id: given } = query as { client_id?: unknown }
  return typeof given === 'string' && given.length <= LENGTH_MAX ? given : cookies[nameOf(config, WAITING)]
}

/** The client id of the application that the pages show: it is stored once the user has entered it. */
export function applicationOf(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  { session }: Pick<Visitor, 'session'>,
): string | undefined {
  const sealed = cookies[nameOf(config, BOUND)]
  if (!sealed) return undefined
  try {
    return seal.open(Buffer.from(sealed, 'base64url'), contextOf(session.uid))
  } catch {
    return undefined // of a session that has ended
  }
}

/** A link of an application that the user has not entered ends the brand of an earlier one. */
function bind({ seal, config }: Parts, reply: FastifyReply, { session }: Visitor, clientId?: string) {
  const attributes = cookieAttributes(config, '/account')
  reply.clearCookie(nameOf(config, WAITING), attributes)
  if (clientId === undefined) reply.clearCookie(nameOf(config, BOUND), attributes)
  else {
    const sealed = seal.seal(clientId, contextOf(session.uid)).toString('base64url')
    reply.setCookie(nameOf(config, BOUND), sealed, attributes)
  }
}

/** The application that the pages show, for the page of an error. */
export async function clientOfPages(
  parts: Parts & { provider: () => Provider },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  if (!request.cookies[nameOf(parts.config, BOUND)]) return undefined
  const session = await readBrowser(parts, request, reply)
  const clientId = session && applicationOf(parts, request, { session })
  const isEntered = clientId && (await enteredBy(parts.db, session?.accountId ?? '', clientId))
  return isEntered ? clientId : undefined
}

async function enteredBy(db: Db, userId: string, clientId: string) {
  const client = await clientOf(db, clientId)
  return client && (await hasEntered(db, { userId, systemId: client.id })) ? client : undefined
}
