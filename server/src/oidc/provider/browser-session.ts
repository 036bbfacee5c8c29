/**
 * The library's browser session, for our pages outside of the protocol. It is the one that the sign-ins of
 * all systems in this browser use.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { acrOf } from '../../authentication/assurance.ts'
import { amrOf, loginTimeOf, ownProofs, type Proof } from '../../authentication/proofs.ts'
import type { Config } from '../../config/config.ts'
import { libraryIds, userIdOf } from '../policy/request-state.ts'
import { browserLifetime, cookieOptions } from './provider.ts'

export type Browser = InstanceType<Provider['Session']>
type Parts = { provider: () => Provider; config: Config }

/** The library writes cookies to it; reading a session writes none. */
type Response = Pick<FastifyReply, 'raw'>

const contextOf = (provider: Provider, request: FastifyRequest, reply: Response) =>
  provider.createContext(request.raw, reply.raw)

/** The browser session; none if no user is signed in. */
export async function readBrowser(
  parts: Parts,
  request: FastifyRequest,
  reply: Response,
): Promise<Browser | undefined> {
  const provider = parts.provider()
  const session = await provider.Session.get(contextOf(provider, request, reply))
  return userIdOf(session) === undefined ? undefined : session
}

type SignedIn = { userId: string; proofs: Proof[] }

/**
 * Signs a user in to this browser, or stores the factors they have verified since. The session gets a
 * new id, so that the old one does not sign anyone in. Call it in a transaction in which the user is
 * locked. False if `present` has ended.
 */
export async function signInBrowser(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  present: Browser | undefined,
  { userId, proofs }: SignedIn,
): Promise<boolean> {
  const provider = parts.provider()
  const context = contextOf(provider, request, reply)
  const known = present && (await provider.Session.find<Browser>(present.jti))
  if (present && !known) return false
  const own = userIdOf(known) === userId ? known! : new provider.Session()
  if (own === known) own.resetIdentifier()
  else await known?.destroy()
  const everywhere = ownProofs(proofs)
  const [amr, loginTs] = [amrOf(everywhere), loginTimeOf(everywhere)]
  own.loginAccount({
    ...libraryIds({ userId }),
    amr,
    acr: acrOf(amr),
    ...(loginTs !== undefined && { loginTs }),
  })
  own.proofs = proofs
  const lifetime = browserLifetime(parts.config, own.loginTs)
  await own.save(lifetime)
  const options = cookieOptions(parts.config)
  context.cookies.secure = options.secure // from BASE_URL, not from the request
  context.cookies.set(provider.cookieName('session'), own.jti, {
    ...options,
    expires: new Date(Date.now() + lifetime * 1_000),
  })
  const cookies = reply.raw.getHeader('set-cookie')
  reply.raw.removeHeader('set-cookie')
  reply.header('set-cookie', cookies)
  return true
}
