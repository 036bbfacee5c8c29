/**
 * Service tokens have no session and are not stored. The `jti` therefore contains the system and the expiry,
 * authenticated by a keyed hash: it is enough to revoke the token and cannot be forged. It also identifies
 * the client secret or key: replacing a leaked one revokes the tokens that were issued for it.
 */
import { type Seal, sameText } from '../../crypto/seal.ts'
import { fingerprintOf, keyMarks } from '../systems/client-keys.ts'
import type { System } from '../systems/queries.ts'

/** The content of the `jti` of a service token; `exp` is in seconds since 1970. */
type JtiClaims = { systemId: string; exp: number }
/** `secret`: the mark of the client secret or key (client-keys.ts). */
type SecretClaims = JtiClaims & { secret: string }

/**
 * What a system authenticates with: its keys, or the current secret, and the previous one while it is still
 * accepted.
 */
export type Credentials = Pick<System, 'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri'> & {
  secretHash: string | null
  previousSecretHash: string | null
  previousAccepted: boolean
}

/** `<systemId>.<exp>.<mark of the secret>.<random>.<16 bytes of the hash>` */
export function serviceJti(seal: Seal, { systemId, exp, secret }: SecretClaims, random: string): string {
  const content = `${systemId}.${exp}.${secret}.${random}`
  return `${content}.${macOf(seal, content)}`
}

/** Undefined for a value that is not the `jti` of a service token of this server. */
export function readServiceJti(seal: Seal, jti: string): JtiClaims | undefined {
  const [systemId = '', exp = '', mark = '', random = '', mac = '', ...more] = jti.split('.')
  if (more.length > 0 || !sameText(mac, macOf(seal, `${systemId}.${exp}.${mark}.${random}`))) return undefined
  return { systemId, exp: Number(exp) }
}

/** Whether a token with a verified signature was issued for a secret or key that is still accepted. */
export function isOfCredential(jti: string, system: Credentials): boolean {
  const { secretHash, previousSecretHash, previousAccepted } = system
  const mark = jti.split('.')[2] ?? ''
  if (system.tokenEndpointAuthMethod === 'private_key_jwt') return keyMarks(system).includes(mark)
  const accepted = [secretHash, previousAccepted ? previousSecretHash : null]
  return accepted.some((stored) => stored !== null && mark === fingerprintOf(stored))
}

const macOf = (seal: Seal, content: string) =>
  seal.hash(content, 'service_jti').subarray(0, 16).toString('base64url')
