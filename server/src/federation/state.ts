/**
 * Sealed cookies of a federated sign-in: the pending authorization, then the login at the provider. Both are
 * bound to their purpose.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { type Seal, sameText } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import type { ProviderPerson } from './identity.ts'
import type { AuthorizationValues } from './openid.ts'

/** The purpose of an authorization: a sign-in, or linking a provider to `userId`. */
export type AuthorizationPurpose = {
  /** The page where it starts, and the path that receives the result. */
  page: string
  path: string
  /** The interaction or browser session; a result for another one is ignored. */
  bound: string
  userId?: string
}
/** `uid`: of the interaction. */
export const loginPurpose = (uid: string): AuthorizationPurpose => ({
  page: `/interaction/${uid}`,
  path: `/interaction/${uid}/social`,
  bound: uid,
})

export type PendingAuthorization = AuthorizationValues & { provider: string; purpose: AuthorizationPurpose }
/** `nonce` makes the login usable once. */
export type ProviderLogin = { provider: string; nonce: string; person: ProviderPerson }

type Parts = { seal: Seal; config: Config }
type Cookie = { name: string; path: string; context: string }

const pendingCookie = ({ config }: Parts): Cookie => ({
  name: cookieName(config, '__Host-', 'social'),
  path: '/',
  context: 'social:journey',
})
const providerLoginCookie = ({ config }: Parts, { path, bound }: AuthorizationPurpose): Cookie => ({
  name: cookieName(config, '__Secure-', 'arrived'),
  path,
  context: `social:arrival:${path}:${bound}`,
})

function setSealed(
  { seal, config }: Parts,
  reply: FastifyReply,
  { name, path, context }: Cookie,
  value: PendingAuthorization | ProviderLogin,
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

export function storePending(parts: Parts, reply: FastifyReply, pending: PendingAuthorization): void {
  setSealed(parts, reply, pendingCookie(parts), pending)
}

/**
 * The pending authorization of this browser for this `state`; undefined if there is none. Clears the cookie.
 */
export function takePending(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { provider, state }: { provider: string; state: unknown },
): PendingAuthorization | undefined {
  const cookie = pendingCookie(parts)
  const pending = read<PendingAuthorization>(parts, request, cookie)
  if (
    !pending ||
    pending.provider !== provider ||
    typeof state !== 'string' ||
    !sameText(pending.state, state)
  )
    return undefined
  clear(parts, reply, cookie)
  return pending
}

export function storeProviderLogin(
  parts: Parts,
  reply: FastifyReply,
  purpose: AuthorizationPurpose,
  login: ProviderLogin,
): void {
  setSealed(parts, reply, providerLoginCookie(parts, purpose), login)
}

export const readProviderLogin = (
  parts: Parts,
  request: FastifyRequest,
  purpose: AuthorizationPurpose,
): ProviderLogin | undefined => read<ProviderLogin>(parts, request, providerLoginCookie(parts, purpose))

export const clearProviderLogin = (parts: Parts, reply: FastifyReply, purpose: AuthorizationPurpose): void =>
  clear(parts, reply, providerLoginCookie(parts, purpose))
