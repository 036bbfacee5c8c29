/**
 * The public keys of a system (RFC 7517). They verify its client assertions (RFC 7523) and its signed
 * authorization requests (RFC 9101).
 */
import { createPublicKey, hash, type JsonWebKey } from 'node:crypto'
import type { ClientKeySet } from '../../database/schema.ts'
import type { FieldFault } from '../../errors.ts'

/** Limits of our own. */
export const KEYS_MAX = 20
export const KEY_SET_BYTES_MAX = 16_384
const KID_MAX = 200

/** `Ed25519` is the newer name of `EdDSA` with that curve (RFC 9864). */
export const CLIENT_ALGS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const
const ALGS_OF_TYPE: Record<string, readonly string[]> = {
  RSA: ['RS256', 'PS256'],
  EC: ['ES256'],
  OKP: ['EdDSA', 'Ed25519'],
}
/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1, RFC 8037 section 2. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

type Jwk = Record<string, unknown>
type Key = { kid?: unknown; alg?: unknown; kty?: unknown }

const isPrivate = (jwk: Jwk) => PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))

/** The reason why a key is not accepted, if any. */
function keyFault(jwk: Jwk): string | undefined {
  if (isPrivate(jwk)) return 'is a private key: register the public key only, and replace this pair'
  const algs = typeof jwk.kty === 'string' ? ALGS_OF_TYPE[jwk.kty] : undefined
  if (!algs) return 'must be of the type RSA, EC or OKP'
  if (typeof jwk.kid !== 'string' || jwk.kid === '' || jwk.kid.length > KID_MAX)
    return `must have a kid of 1 to ${KID_MAX} characters`
  if (jwk.alg !== undefined && !algs.includes(jwk.alg as string))
    return `must have the alg ${algs.join(' or ')}`
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'must have the use sig'
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
    return 'must have the key_ops verify'
  return materialFault(jwk)
}

function materialFault(jwk: Jwk): string | undefined {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    const { modulusLength = 0, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType === 'ed25519') return undefined
    if (key.asymmetricKeyType === 'ec')
      return namedCurve === 'prime256v1' ? undefined : 'must be on the curve P-256'
    const isCommon =
      key.asymmetricKeyType === 'rsa' &&
      modulusLength >= 2_048 &&
      modulusLength <= 4_096 &&
      publicExponent === 65_537n
    return isCommon ? undefined : 'must be Ed25519, P-256, or RSA of 2048 to 4096 bits with exponent 65537'
  } catch {
    return 'is not a valid public key'
  }
}

/** The faults of a key set that is registered. */
export function keySetFaults(jwks: ClientKeySet | null | undefined): FieldFault[] {
  const keys = jwks?.keys ?? []
  const kids = keys.map(({ kid }) => kid)
  return keys.flatMap((jwk, place) => {
    const message =
      keyFault(jwk) ?? (kids.indexOf(jwk.kid) < place ? 'has the kid of another key of the set' : undefined)
    return message ? [{ path: `/jwks/keys/${place}`, message }] : []
  })
}

/**
 * The usable keys of a set that was fetched. Keys for other purposes are left out. Throws an error with the
 * reason if it is no key set, contains a private key, or has too many keys.
 */
export function usableKeys(text: string): ClientKeySet {
  const { keys } = (JSON.parse(text) ?? {}) as { keys?: unknown }
  const isSet = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
  if (!isSet) throw new Error('it is not a JSON Web Key Set')
  const jwks = keys as Jwk[]
  if (jwks.some(isPrivate)) throw new Error('it contains a private key')
  const usable = jwks.filter((jwk) => keyFault(jwk) === undefined)
  if (usable.length > KEYS_MAX) throw new Error(`it has more than ${KEYS_MAX} keys`)
  return {
    keys: usable.map(({ kty, kid, alg, use, crv, x, y, e, n }) => ({ kty, kid, alg, use, crv, x, y, e, n })),
  }
}

/** A short identifier of a key, of the address of a key set, or of a secret, by its stored hash. */
export const fingerprintOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 11)
const markOfKey = ({ kty, crv, x, y, e, n }: Jwk) => fingerprintOf(JSON.stringify([kty, crv, x, y, e, n]))
const markOfAddress = (address: string) => fingerprintOf(`jwks_uri ${address}`)

/** The keys of a system as they are registered. */
export type RegisteredKeys = { jwks: ClientKeySet | null; jwksUri: string | null }

/** The marks of the keys of a system. Those of a fetched set have one mark, that of its address. */
export const keyMarks = ({ jwks, jwksUri }: RegisteredKeys): string[] =>
  jwksUri === null ? (jwks?.keys ?? []).map(markOfKey) : [markOfAddress(jwksUri)]

/**
 * The mark of the key that has verified a JWT with this header. Undefined if it names no key and several
 * apply.
 */
export function verifiedMark({ jwks, jwksUri }: RegisteredKeys, { kid, alg }: Key): string | undefined {
  if (jwksUri !== null) return markOfAddress(jwksUri)
  const applies = (key: Jwk) =>
    (kid === undefined || key.kid === kid) &&
    ALGS_OF_TYPE[String(key.kty)]?.includes(String(alg)) &&
    (key.alg === undefined || key.alg === alg)
  const [found, ...others] = (jwks?.keys ?? []).filter(applies)
  return found && others.length === 0 ? markOfKey(found) : undefined
}
