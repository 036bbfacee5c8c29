/**
 * What is kept secret at rest, and how: everything is derived from SECRET_KEY with HKDF (RFC 5869), one key for each
 * purpose, so that a hash made for one use is worth nothing in another.
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
  /** Encrypts with AES-256-GCM: 12 bytes of nonce, 16 of tag, then the text. `context` must be given again to open it. */
  seal(plain: string, context: string): Buffer
  /** Throws when the key or the context is another one, or a byte was changed. */
  open(sealed: Buffer, context: string): string
  /** A keyed hash, 32 bytes: finds a stored value by what a client holds without storing what the client holds. */
  hash(value: string, context: string): Buffer
}

export function createSeal(secretKey: string): Seal {
  // As KeyObjects: Node looks at a Buffer anew each time, which takes longer than the hash itself.
  const derived = new Map<string, KeyObject>()
  const key = (purpose: string) => {
    const known = derived.get(purpose) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'tenantry', purpose, 32)))
    derived.set(purpose, known)
    return known
  }
  return {
    hash: (value, context) =>
      createHmac('sha256', key(`hash:${context}`))
        .update(value)
        .digest(),
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key('seal'), nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key('seal'), sealed.subarray(0, 12)).setAAD(Buffer.from(context))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** 256 random bits, base64url: the value of every secret, link and token we make ourselves. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** Compares two texts without telling by its time where they differ; only whether they are of one length. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
