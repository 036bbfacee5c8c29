/** Verifies what comes from outside: the access tokens of requests, and webhooks. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { AccessError, type Claims } from './access.ts'
import type { Options } from './admin.ts'
import type { Event } from './feed.ts'

/** Tolerated difference between two clocks, in seconds. */
const CLOCK_TOLERANCE = 5
/** Maximum length of an access token in characters. Longer values are rejected before parsing. */
const TOKEN_MAX = 16_384

/** Verifies signature and claims of access tokens, without revocation. */
export function createVerifier({ issuer, clientId }: Options) {
  // Cached for 10 minutes, requested at most twice a minute.
  const remote = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  const keys: JWTVerifyGetKey = (header, token) =>
    remote(header, token).catch((cause) => {
      const unknown =
        cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys
      throw unknown ? cause : new AccessError('keys_unavailable', { cause })
    })
  return async (token: string, maxTokenAge: number | undefined): Promise<Claims> => {
    if (token.length > TOKEN_MAX) throw new AccessError('invalid_token')
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['ES256', 'RS256'], // by `accessTokenAlg` of the system
      typ: 'at+jwt',
      issuer,
      audience: clientId,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['sub', 'iat', 'exp', 'jti', 'account_id', 'membership_id'],
      ...(maxTokenAge !== undefined && { maxTokenAge }),
    }).catch((cause) => {
      if (cause instanceof AccessError) throw cause
      throw new AccessError(cause instanceof errors.JWTExpired ? 'expired_token' : 'invalid_token', { cause })
    })
    // A DPoP-bound token (RFC 9449) is not valid as a bearer token.
    const isServiceAccount = /^sa_/.test(payload.sub ?? '') && payload.sub === payload.client_id
    const isOfUser = payload.client_id === clientId && typeof payload.sid === 'string'
    if (payload.cnf || !(isOfUser || isServiceAccount)) throw new AccessError('invalid_token')
    const { sub, jti, iat, exp, account_id, membership_id, roles, permissions, is_admin, profiles, act } =
      payload as TokenPayload
    return {
      sub,
      accountId: account_id,
      membershipId: membership_id,
      roles: roles ?? [],
      permissions: permissions ?? [],
      isAdmin: is_admin === true,
      profiles: profiles ?? [],
      actorId: act?.sub,
      isServiceAccount,
      sid: String(payload.sid ?? jti.split('.')[0]),
      jti,
      issuedAt: iat,
      expiresAt: exp,
      payload,
    }
  }
}

type TokenPayload = Record<'sub' | 'jti' | 'account_id' | 'membership_id', string> &
  Record<'iat' | 'exp', number> & {
    roles?: string[]
    permissions?: string[]
    profiles?: string[]
    is_admin?: boolean
    act?: { sub: string }
  }

/**
 * Verifies signature (Standard Webhooks, HMAC-SHA256) and timestamp of a webhook request and returns its
 * event. `rawBody` is the unparsed body. Pass several secrets during a rotation. `tolerance` is the maximum
 * difference between the timestamp and the current time, in seconds. Throws AccessError `invalid_webhook`
 * (400). The same event can be delivered more than once, with the same `id`.
 */
export function verifyWebhook(
  headers: Headers | Record<string, string | string[] | undefined>,
  rawBody: string | Uint8Array,
  secret: string | string[],
  { tolerance = 300 }: { tolerance?: number } = {},
): Event {
  const header = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  const keys = [secret].flat().map((each) => Buffer.from(String(each).replace(/^whsec_/, ''), 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length < 16))
    throw new TypeError('A webhook secret is missing or too short.')
  const age = Math.abs(Date.now() / 1_000 - Number(/^\d+$/.exec(timestamp)?.[0]))
  const matches = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest()
    const signatures = header('webhook-signature')
      .split(' ')
      .filter((each) => each.startsWith('v1,'))
    return signatures
      .map((each) => Buffer.from(each.slice(3), 'base64'))
      .some((each) => each.length === 32 && timingSafeEqual(each, expected))
  })
  if (id === '' || !(age <= tolerance) || !matches) throw new AccessError('invalid_webhook')
  return JSON.parse(Buffer.from(rawBody).toString('utf8'))
}
