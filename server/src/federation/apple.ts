/**
 * Sign in with Apple: OpenID Connect, except that the client secret is a signed JWT, the response is a form,
 * and the name is sent once, beside the ID token. The endpoints are constants: the discovery document of
 * Apple has named another issuer than its tokens.
 */
import { SignJWT } from 'jose'
import type * as oidc from 'openid-client'
import type { AppleKey } from '../config/identity-providers.ts'

export const appleServer = (issuer: string): oidc.ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/auth/authorize`,
  token_endpoint: `${issuer}/auth/token`,
  jwks_uri: `${issuer}/auth/keys`,
  id_token_signing_alg_values_supported: ['RS256'],
})

/** With scopes other than `openid` Apple sends only form responses. */
export const APPLE_REQUEST = { scope: 'openid email name', response_mode: 'form_post' } as const

/** 5 minutes, in seconds; Apple accepts up to six months. */
const SECRET_LIFE = 300

/** Signs a new secret for each request to the token endpoint. */
export function appleSecret({ teamId, keyId, privateKey }: AppleKey): oidc.ClientAuth {
  return async (_server, { client_id: id }, body) => {
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(id)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime(`${SECRET_LIFE} seconds`)
      .sign(privateKey)
    body.set('client_id', id)
    body.set('client_secret', secret)
  }
}

/** Apple also sends `email_verified` as a string. */
export const appleClaims = ({
  email_verified: verified,
  ...claims
}: Record<string, unknown>): Record<string, unknown> => ({
  ...claims,
  email_verified: verified === true || verified === 'true',
})

const SAID_MAX = 2_000

/**
 * The name in the `user` field of the form, as claims. It is not signed, so it is used as a display name
 * only.
 */
export function appleName(said: unknown): Record<string, unknown> {
  if (typeof said !== 'string' || said.length > SAID_MAX) return {}
  try {
    const { firstName, lastName } = (JSON.parse(said) as { name: Record<string, unknown> }).name
    const parts = [firstName, lastName].map((part) => (typeof part === 'string' ? part.trim() : ''))
    return { name: parts.filter(Boolean).join(' '), given_name: firstName, family_name: lastName }
  } catch {
    return {}
  }
}
