/**
 * Service tokens have no session and are not stored. The `jti` of one therefore says by itself whose it is and until
 * when, under a keyed hash: whoever is told it can have the token ended, and nobody can make one up. It also says by which
 * secret of the system: with a secret that is replaced because it leaked, the tokens go that were got by it, and with them
 * the right to replace it once more.
 */
import { hash } from 'node:crypto'
import { type Seal, sameText } from '../../crypto/seal.ts'

/** What a service token's `jti` tells; `exp` is in seconds since 1970. */
type Told = { systemId: string; exp: number }
/** `secret` is the mark of the one it was got by. */
type Tells = Told & { secret: string }

/** The secrets of a system as they are stored: the one of today, and the one before while it is still good. */
export type Secrets = { secretHash: string | null; previousSecretHash: string | null; previousAlive: boolean }

/** Tells secrets apart, by what is stored of them. */
export const markOf = (secretHash: string | null) => hash('sha256', `${secretHash}`, 'base64url').slice(0, 11)

/** `<systemId>.<exp>.<mark of the secret>.<random>.<16 bytes of the hash>` */
export function serviceJti(seal: Seal, { systemId, exp, secret }: Tells, random: string): string {
  const told = `${systemId}.${exp}.${secret}.${random}`
  return `${told}.${proofOf(seal, told)}`
}

/** None for everything that is not the `jti` of a service token of ours. */
export function readServiceJti(seal: Seal, jti: string): Told | undefined {
  const [systemId = '', exp = '', mark = '', random = '', proof = '', ...more] = jti.split('.')
  if (more.length > 0 || !sameText(proof, proofOf(seal, `${systemId}.${exp}.${mark}.${random}`)))
    return undefined
  return { systemId, exp: Number(exp) }
}

/** Whether the `jti` of a token that we signed was given for a secret that is still good. */
export function isOfSecret(jti: string, { secretHash, previousSecretHash, previousAlive }: Secrets): boolean {
  const mark = jti.split('.')[2]
  return mark === markOf(secretHash) || (previousAlive && mark === markOf(previousSecretHash))
}

const proofOf = (seal: Seal, told: string) =>
  seal.hash(told, 'service_jti').subarray(0, 16).toString('base64url')
