/** Addresses that tools and people spell differently. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isRead } from './methods.ts'

/** Pages and documents that have one address, without parameters in the path. */
const MOVABLE = new Set(['public', 'browser-session'])

/**
 * The address that a GET meant whose path has a slash at its end, or several in a row: tools append
 * `/.well-known/openid-configuration` to an issuer that was entered with a slash. Undefined if there is no
 * such page or document. The operations of the API have exactly one spelling.
 */
export function meantAddresses(app: FastifyInstance): (request: FastifyRequest) => string | undefined {
  let known: Set<string> | undefined
  return (request) => {
    if (!isRead(request)) return undefined
    const [path = '', ...query] = request.url.split('?')
    const meant = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
    known ??= new Set(
      app.declared
        .filter(({ method, authority }) => method.includes('GET') && MOVABLE.has(String(authority)))
        .map(({ url }) => url),
    )
    return meant !== path && known.has(meant) ? [meant, ...query].join('?') : undefined
  }
}
