/**
 * What a browser holds on its way to another identity provider and back, sealed: first what was asked, then
 * who came back. Both name what they are for, which ends both.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/cookies.ts'
import type { Person } from './identity.ts'
import type { Asked } from './providers.ts'

/** What a browser goes to a provider for: a sign-in, or a person who wants to be known by it, `userId`. */
export type Purpose = {
  /** Where it begins, and where who came back is taken. */
  page: string
  path: string
  /** Has to be the same there: who came back to something else is not taken. */
  bound: string
  userId?: string
}
/** `uid`: of the interaction. */
export const signingIn = (uid: string): Purpose => ({
  page: `/interaction/${uid}`,
  path: `/interaction/${uid}/social`,
  bound: uid,
})

export type Journey = Asked & { provider: string; purpose: Purpose }
/** `nonce`: of this one arrival. */
export type Arrival = { provider: string; nonce: string; person: Person }

type Parts = { seal: Seal; config: Config }
type Cookie = { name: string; path: string; context: string }

const journeyCookie = ({ config }: Parts): Cookie => ({
  name: cookieName(config, '__Host-', 'social'),
  path: '/',
  context: 'social:journey',
})
const arrivalCookie = ({ config }: Parts, { path, bound }: Purpose): Cookie => ({
  name: cookieName(config, '__Secure-', 'arrived'),
  path,
  context: `social:arrival:${path}:${bound}`,
})

function setSealed(
  { seal, config }: Parts,
  reply: FastifyReply,
  { name, path, context }: Cookie,
  value: Journey | Arrival,
): void {
  const sealed = seal.seal(JSON.stringify(value), context).toString('base64url')
  reply.setCookie(name, sealed, { ...cookieAttributes(config, path), maxAge: config.TTL_INTERACTION })
}

const clear = ({ config }: Parts, reply: FastifyReply, { name, path }: Cookie) =>
  void reply.clearCookie(name, cookieAttributes(config, path))

function read<T>({ seal }: Parts, { cookies }: FastifyRequest, { name, context }: Cookie): T | undefined {
  const value = cookies[name]
  if (!value) return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), context)) as T
  } catch {
    return undefined // sealed under another key, or for another purpose
  }
}

export function sendOff(parts: Parts, reply: FastifyReply, journey: Journey): void {
  setSealed(parts, reply, journeyCookie(parts), journey)
}

/** What this browser has asked a provider, if `state` is of it. The cookie goes. */
export function journeyOf(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { provider, state }: { provider: string; state: unknown },
): Journey | undefined {
  const cookie = journeyCookie(parts)
  const journey = read<Journey>(parts, request, cookie)
  if (
    !journey ||
    journey.provider !== provider ||
    typeof state !== 'string' ||
    !sameText(journey.state, state)
  )
    return undefined
  clear(parts, reply, cookie)
  return journey
}

export function letArrive(parts: Parts, reply: FastifyReply, purpose: Purpose, arrival: Arrival): void {
  setSealed(parts, reply, arrivalCookie(parts, purpose), arrival)
}

export const arrivalOf = (parts: Parts, request: FastifyRequest, purpose: Purpose): Arrival | undefined =>
  read<Arrival>(parts, request, arrivalCookie(parts, purpose))

export const forgetArrival = (parts: Parts, reply: FastifyReply, purpose: Purpose): void =>
  clear(parts, reply, arrivalCookie(parts, purpose))
