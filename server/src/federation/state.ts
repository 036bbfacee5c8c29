/**
 * What a browser holds on its way to another identity provider and back, sealed: first what was asked, then who came
 * back. Both name what they are for, which ends both.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
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

/** With a prefix that browsers hold to their word (RFC 6265bis section 4.1.3), where the issuer is https. */
const named = ({ BASE_URL }: Config, prefix: string, name: string) =>
  BASE_URL.startsWith('https:') ? `${prefix}${name}` : `_${name}`

const journeyCookie = ({ config }: Parts): Cookie => ({
  name: named(config, '__Host-', 'social'),
  path: '/',
  context: 'social:journey',
})
const arrivalCookie = ({ config }: Parts, { path, bound }: Purpose): Cookie => ({
  name: named(config, '__Secure-', 'arrived'),
  path,
  context: `social:arrival:${path}:${bound}`,
})

function set({ config }: Parts, reply: FastifyReply, { name, path }: Cookie, value: string): void {
  const life = value === '' ? 0 : config.TTL_INTERACTION
  const secure = config.BASE_URL.startsWith('https:') ? '; Secure' : ''
  const gone = value === '' ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : ''
  reply.header(
    'set-cookie',
    `${name}=${value}; Path=${path}; Max-Age=${life}${gone}; HttpOnly; SameSite=Lax${secure}`,
  )
}

function read<T>({ seal }: Parts, { headers }: FastifyRequest, { name, context }: Cookie): T | undefined {
  const pair = headers.cookie?.split(/;\s*/).find((each) => each.startsWith(`${name}=`))
  if (!pair) return undefined
  try {
    return JSON.parse(seal.open(Buffer.from(pair.slice(name.length + 1), 'base64url'), context)) as T
  } catch {
    return undefined // of another key, or no cookie of ours
  }
}

const sealed = ({ seal }: Parts, value: Journey | Arrival, { context }: Cookie) =>
  seal.seal(JSON.stringify(value), context).toString('base64url')

export function sendOff(parts: Parts, reply: FastifyReply, journey: Journey): void {
  const cookie = journeyCookie(parts)
  set(parts, reply, cookie, sealed(parts, journey, cookie))
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
  set(parts, reply, cookie, '')
  return journey
}

export function letArrive(parts: Parts, reply: FastifyReply, purpose: Purpose, arrival: Arrival): void {
  const cookie = arrivalCookie(parts, purpose)
  set(parts, reply, cookie, sealed(parts, arrival, cookie))
}

export const arrivalOf = (parts: Parts, request: FastifyRequest, purpose: Purpose): Arrival | undefined =>
  read<Arrival>(parts, request, arrivalCookie(parts, purpose))

export const forgetArrival = (parts: Parts, reply: FastifyReply, purpose: Purpose): void =>
  set(parts, reply, arrivalCookie(parts, purpose), '')
