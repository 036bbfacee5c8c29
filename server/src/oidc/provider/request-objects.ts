/**
 * Signed authorization requests (RFC 9101), by the parameter `request` only: no `request_uri` is fetched. The
 * library verifies the signature, `iss`, `aud` and the times; the rules here are in addition.
 */
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { hasOnlyText } from '../../text.ts'
import { requestObjectFault } from './security-profile.ts'

/** RFC 9101 section 10.8. Other JWTs that a client signs, such as assertions, have types of their own. */
const TYPES: unknown[] = [undefined, 'JWT', 'oauth-authz-req+jwt']

type Claims = Record<string, unknown>

/** Called before the signature is verified. */
export function checkRequestObject(
  ctx: KoaContextWithOIDC,
  claims: Claims,
  header: Claims,
  client: Client,
): void {
  // Checked when it was pushed, or made by the library from plain parameters.
  if (ctx.oidc.entities.PushedAuthorizationRequest) return
  const fault = faultOf(claims, header, client)
  if (fault !== undefined) throw new errors.InvalidRequestObject(fault)
}

function faultOf(claims: Claims, header: Claims, client: Client): string | undefined {
  if (client.tenantry.registeredKeys === null)
    return 'the system has no keys to verify a request object with: set its jwks or jwksUri'
  if (!TYPES.includes(header.typ)) return 'the typ of the request object is of another kind of JWT'
  // With it, whoever has seen the request in a browser could authenticate as the client (section 10.8).
  if (!hasOnlyText(claims)) return 'a text of the request object has half of a surrogate pair or U+0000'
  if (claims.sub !== undefined) return 'a request object must not contain sub'
  return requestObjectFault(client, claims, header.alg)
}
