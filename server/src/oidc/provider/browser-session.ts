/**
 * The browser session, for pages of ours outside of the protocol: the one that every system's sign-in in this browser
 * goes by. Read and kept as the library does it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { acrOf } from '../../authentication/assurance.ts'
import type { Config } from '../../config.ts'
import { browserLife, cookieOptions } from './provider.ts'

export type Browser = InstanceType<Provider['Session']>
type Parts = { provider: () => Provider; config: Config }

const contextOf = (provider: Provider, request: FastifyRequest, reply: FastifyReply) =>
  provider.createContext(request.raw, reply.raw)

/** The session of a browser in which somebody is signed in. */
export async function readBrowser(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Browser | undefined> {
  const provider = parts.provider()
  const session = await provider.Session.get(contextOf(provider, request, reply))
  return session.accountId === undefined ? undefined : session
}

type Proven = { accountId: string; amr: readonly string[]; loginTs?: number | undefined }

/**
 * Signs a person in to this browser, or keeps what they have proven since, under another id: whoever knew the old one is
 * not signed in by it. Call it in a unit of work, with the user held. False when `present` was ended meanwhile.
 */
export async function signInBrowser(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  present: Browser | undefined,
  { accountId, amr, loginTs }: Proven,
): Promise<boolean> {
  const provider = parts.provider()
  const context = contextOf(provider, request, reply)
  const known = present && (await provider.Session.find<Browser>(present.jti))
  if (present && !known) return false
  const own = known?.accountId === accountId ? known : new provider.Session()
  if (own === known) own.resetIdentifier()
  else await known?.destroy()
  own.loginAccount({ accountId, amr: [...amr], acr: acrOf(amr), ...(loginTs !== undefined && { loginTs }) })
  const life = browserLife(parts.config, own.loginTs)
  await own.save(life)
  const options = cookieOptions(parts.config)
  context.cookies.secure = options.secure // by BASE_URL, whatever the request said
  context.cookies.set(provider.cookieName('session'), own.jti, {
    ...options,
    expires: new Date(Date.now() + life * 1_000),
  })
  const cookies = reply.raw.getHeader('set-cookie')
  reply.raw.removeHeader('set-cookie')
  reply.header('set-cookie', cookies)
  return true
}
