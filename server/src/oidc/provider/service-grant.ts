/**
 * Service tokens for `grant_type=client_credentials` without other parameters. Before a grant handler
 * runs, the library has parsed the form, authenticated the client and applied the checks of every
 * grant. Its own handler then creates a model, a resource server and copies of both, which takes
 * longer than the signature (decision 0037).
 */
import { createPrivateKey, type JsonWebKey } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import Provider, { type TokenEndpointGrantContext } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { EcSigner, SigningKey } from '../keys/signing-keys.ts'
import { SERVICE_CLAIMS, type ServiceContext, serviceNames, UNTYPED_CLAIMS } from '../policy/claims.ts'

type Issue = (ctx: ServiceContext) => void | Promise<void>

/**
 * The library with `issue` for plain requests of systems and `issueToServiceAccount` for service accounts;
 * its own handler gets all others, and those to refuse.
 * The library registers its handlers by its public method when it is constructed. If that changes,
 * its own handler gets all requests.
 */
export const providerWith = (issue: Issue, issueToServiceAccount: Issue): typeof Provider =>
  class extends Provider {
    override registerGrantType<Params extends object>(
      name: string,
      handler: (ctx: TokenEndpointGrantContext<Params>) => void | Promise<void>,
      params?: string | readonly string[] | ReadonlySet<string>,
      duplicates?: string | readonly string[] | ReadonlySet<string>,
    ): void {
      const plainFirst: typeof handler = (ctx) => {
        if (ctx.oidc.client.tenantry.serviceAccount) return issueToServiceAccount(ctx)
        return isPlain(ctx) ? issue(ctx) : handler(ctx)
      }
      super.registerGrantType<Params>(
        name,
        name === 'client_credentials' ? plainFirst : handler,
        params,
        duplicates,
      )
    }
  }

/**
 * The client is allowed to use the grant, the request has no scope, resource or proof to check, and the token
 * is signed with ES256: RSA takes so long that the library does it in another thread.
 */
const isPlain = ({ oidc: { params, client }, headers }: ServiceContext): boolean =>
  params?.scope === undefined &&
  params?.resource === undefined &&
  params?.authorization_details === undefined &&
  headers.dpop === undefined &&
  !client.dpopBoundAccessTokens &&
  !client.tlsClientCertificateBoundAccessTokens &&
  client.tenantry.accessTokenAlg === 'ES256' &&
  client.tenantry.allowClientCredentials

/** Creates and signs the same token that the library would (RFC 9068). */
export function serviceGrant({ config, seal }: { config: Config; seal: Seal }, signer: EcSigner): Issue {
  const sign = accessTokenSigner(signer)
  const expires_in = config.TTL_SERVICE_TOKEN
  return (ctx) => {
    const { client } = ctx.oidc
    const iat = Math.floor(Date.now() / 1_000)
    const exp = iat + expires_in
    const iss = config.BASE_URL
    const { jti, aud } = serviceNames(seal, ctx, { exp, iss, random: crypto.randomUUID() })
    const payload = {
      ...SERVICE_CLAIMS,
      jti,
      sub: client.clientId,
      iat,
      exp,
      client_id: client.clientId,
      iss,
      aud,
      ...(client.tenantry.accessTokenType === 'JWT' && UNTYPED_CLAIMS),
    }
    ctx.body = {
      access_token: sign(client.tenantry.accessTokenType, payload),
      expires_in,
      token_type: 'Bearer',
    }
  }
}

/** Signs payloads of access tokens with ES256; `typ` is the `accessTokenType` of the system. */
export function accessTokenSigner(signer: EcSigner): (typ: string, payload: object) => string {
  const headerOf = (typ: string) => encoded({ alg: signer.alg, typ, kid: signer.kid })
  const headers: Record<string, string> = { 'at+jwt': headerOf('at+jwt'), JWT: headerOf('JWT') }
  return (typ, payload) => {
    const signed = `${headers[typ]}.${encoded(payload)}`
    return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`
  }
}

/** Signs with RS256, in another thread: an RSA signature takes milliseconds. */
export function rsaTokenSigner({
  kid,
  privateJwk,
}: SigningKey): (typ: string, payload: object) => Promise<string> {
  const key = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' })
  return (typ, payload) =>
    new SignJWT(payload as JWTPayload).setProtectedHeader({ alg: 'RS256', typ, kid }).sign(key)
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
