/** Calls from pages of other origins (CORS). No answer to them allows credentials. */
import type { Client, KoaContextWithOIDC } from 'oidc-provider'

/**
 * Whether pages of an origin may call us as a client: only as a public one, from the origins of its redirect
 * URIs and those that it names. A URI with the scheme of an app has the origin `null`, as has every sandboxed
 * page.
 */
export const isAllowedOrigin = (
  { tokenEndpointAuthMethod, redirectUris = [], tenantry }: Client,
  origin: string,
): boolean =>
  tokenEndpointAuthMethod === 'none' &&
  origin !== 'null' &&
  (tenantry.allowedOrigins.includes(origin) || redirectUris.some((uri) => URL.parse(uri)?.origin === origin))

/** What pages need of an answer: when to try again, the nonce of DPoP, and why a token is refused. */
export const EXPOSED = 'DPoP-Nonce, Retry-After, WWW-Authenticate'

/** Makes these headers readable, also of a refusal. */
export function exposeHeaders({ method, response }: KoaContextWithOIDC): void {
  if (method === 'OPTIONS' || response.get('access-control-allow-origin') === '') return
  response.set('access-control-expose-headers', EXPOSED)
}
