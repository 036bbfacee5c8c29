/**
 * Encryption and keyed hashes of stored secrets. Every key is derived from SECRET_KEY with HKDF (RFC 5869),
 * one per purpose, so a hash computed for one purpose never matches in another.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

export type Seal = {
  /**
   * AES-256-GCM: nonce (12 bytes), tag (16 bytes), ciphertext. `context` is authenticated; `open` needs the
   * same.
   */
  seal(plain: string, context: string): Buffer
  /** Throws if the key or the context differs, or if the data was modified. */
  open(sealed: Buffer, context: string): string
  /**
   * HMAC-SHA-256, 32 bytes: a stored value is found by the hash of a client's secret, and the secret is not
   * stored.
   */
  hash(value: string, context: string): Buffer
}

export function createSeal(secretKey: string): Seal {
  // As KeyObjects: Node imports a Buffer again at each use, which costs more than the operation itself.
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'tenantry', purpose, 32)))
  const cipherKey = derive('seal')
  /** By context. The contexts are constants of the code, so their number is bounded. */
  const hashKeys = new Map<string, KeyObject>()
  const hashKeyFor = (context: string) => {
    const key = hashKeys.get(context) ?? derive(`hash:${context}`)
    hashKeys.set(context, key)
    return key
  }
  return {
    hash: (value, context) => createHmac('sha256', hashKeyFor(context)).update(value).digest(),
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, sealed.subarray(0, 12)).setAAD(
        Buffer.from(context),
      )
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** 256 random bits in base64url: the value of every generated secret, link token, and opaque token. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** Compares two strings in constant time. The time reveals only whether their lengths are equal. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
