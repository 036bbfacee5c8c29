/**
 * Service tokens have no session and are not stored. The `jti` of one therefore says by itself whose it is and until
 * when, under a keyed hash: whoever is told it can have the token ended, and nobody can make one up.
 */
import { type Seal, sameText } from '../seal.ts'

/** What a service token's `jti` tells; `exp` is in seconds since 1970. */
type Told = { systemId: string; exp: number }

/** `<systemId>.<exp>.<random>.<16 bytes of the hash>` */
export function serviceJti(seal: Seal, { systemId, exp }: Told, random: string): string {
  const told = `${systemId}.${exp}.${random}`
  return `${told}.${proofOf(seal, told)}`
}

/** None for everything that is not the `jti` of a service token of ours. */
export function readServiceJti(seal: Seal, jti: string): Told | undefined {
  const [systemId = '', exp = '', random = '', proof = '', ...more] = jti.split('.')
  if (more.length > 0 || !sameText(proof, proofOf(seal, `${systemId}.${exp}.${random}`))) return undefined
  return { systemId, exp: Number(exp) }
}

const proofOf = (seal: Seal, told: string) => seal.hash(told, 'service_jti').subarray(0, 16).toString('base64url')
