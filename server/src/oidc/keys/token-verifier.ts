/** Verification of our own access tokens (RFC 9068). */
import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Alg, SigningKey } from './signing-keys.ts'

/** A system chooses one of two types (`accessTokenType`). */
const isAccessToken = (typ: string | undefined, { token_use }: JWTPayload): boolean =>
  typ === 'at+jwt' || (typ === 'JWT' && token_use === 'access')

/** A system chooses one of them (`accessTokenAlg`). */
const ALGS: Alg[] = ['ES256', 'RS256']

/** In characters: longer than any token we issue. A longer one is not parsed. */
const MAX_LENGTH = 16_384

export type UserClaims = JWTPayload & {
  sub: string
  sid: string
  client_id: string
  jti: string
  exp: number
  iat: number
  account_id: string
  auth_time?: number
  scope?: string
  userinfo_claims?: string[]
  cnf?: { jkt?: string }
}
export type ServiceClaims = JWTPayload & {
  sub: string
  client_id: string
  jti: string
  exp: number
  iat: number
}
/** `serviceAccount`: of a program of a tenant; only applications accept it. */
export type VerifiedToken =
  | { kind: 'user'; claims: UserClaims }
  | { kind: 'service' | 'serviceAccount'; claims: ServiceClaims }

export type TokenVerifier = {
  /**
   * Undefined unless it is an unexpired access token of ours. Does not read the session:
   * callers check its current state.
   */
  verify(token: string): Promise<VerifiedToken | undefined>
}

export type Keys = {
  current(): readonly SigningKey[]
  /** Reads keys that another process created; at most once a second. */
  refresh(): Promise<void>
}

/** Tokens whose signature was verified, cached by their hash. 10,000 take about 10 MB. */
const VERIFIED_MAX = 10_000

export function createTokenVerifier(issuer: string, keys: Keys): TokenVerifier {
  type Known = {
    list: readonly SigningKey[]
    byKid: Map<string, { alg: Alg; key: KeyObject }>
    verified: LRUCache<string, VerifiedToken>
  }
  let known: Known | undefined
  const present = (): Known => {
    const list = keys.current()
    if (known?.list === list) return known
    const byKid = new Map(
      list.map(({ kid, alg, publicJwk }) => [
        kid,
        { alg, key: createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' }) },
      ]),
    )
    known = { list, byKid, verified: new LRUCache({ max: VERIFIED_MAX }) }
    return known
  }
  const keyFor = (kid: string) => present().byKid.get(kid)
  // The key decides the algorithm, not the header: else a public key could be taken for a symmetric one.
  const select = async ({ kid, alg }: JWTHeaderParameters): Promise<KeyObject> => {
    if (typeof kid !== 'string') throw new Error('no kid')
    if (!keyFor(kid)) await keys.refresh()
    const found = keyFor(kid)
    if (found?.alg !== alg) throw new Error('unknown kid, or a key of another algorithm')
    return found.key
  }
  const check = async (token: string): Promise<VerifiedToken | undefined> => {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => select(header as JWTHeaderParameters),
      {
        algorithms: ALGS,
        issuer,
        requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id'],
      },
    )
    if (!isAccessToken(protectedHeader.typ, payload)) return undefined
    const isMachine = payload.sub === payload.client_id && payload.sid === undefined
    if (isMachine && typeof payload.account_id === 'string')
      return { kind: 'serviceAccount', claims: payload as ServiceClaims }
    // every other token of ours includes its client in the audience
    if (![payload.aud].flat().includes(payload.client_id as string)) return undefined
    if (typeof payload.sid === 'string') return { kind: 'user', claims: payload as UserClaims }
    return isMachine ? { kind: 'service', claims: payload as ServiceClaims } : undefined
  }
  return {
    async verify(presented) {
      const token = tokenOf(presented)
      if (token.length > MAX_LENGTH || token.split('.').length !== 3) return undefined
      // A verified signature stays valid while the keys are the same, and verification costs
      // more than the rest of a request.
      const { verified } = present()
      const name = hash('sha256', token, 'base64url')
      const before = verified.get(name)
      if (before) return before.claims.exp > Date.now() / 1_000 ? before : undefined
      const checked = await check(token).catch(() => undefined)
      if (checked) verified.set(name, checked)
      return checked
    },
  }
}

const HANDLE = 'at~'

/**
 * The library considers a JWT at introspection and revocation as not revocable, and refuses it without
 * reading it. Ours are revocable: they are passed as an opaque handle, which `verify` converts back.
 */
export const handleOf = (token: string): string =>
  token.split('.').length === 3 ? HANDLE + token.replaceAll('.', '~') : token
const tokenOf = (handle: string): string =>
  handle.startsWith(HANDLE) ? handle.slice(HANDLE.length).replaceAll('~', '.') : handle
