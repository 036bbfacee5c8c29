/**
 * What is kept secret at rest, and how: everything is derived from SECRET_KEY with HKDF (RFC 5869), one key for each
 * purpose, so that a hash made for one use is worth nothing in another.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
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
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, 'tenantry', purpose, 32))
  // A KeyObject: Node looks at a Buffer anew each time, which takes longer than the cipher itself.
  const cipherKey = createSecretKey(derive('seal'))
  const hashes = new Map<string, (value: string) => Buffer>()
  const hashFor = (context: string) => {
    const known = hashes.get(context) ?? keyedHash(derive(`hash:${context}`))
    hashes.set(context, known)
    return known
  }
  return {
    hash: (value, context) => hashFor(context)(value),
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

/**
 * HMAC with SHA-256 (RFC 2104 section 2) under a key of 32 bytes. Node's own makes an object for each value,
 * which in a busy server takes longer than the hashes: 13 us of the 257 of a service token then.
 */
function keyedHash(key: Uint8Array): (value: string) => Buffer {
  const padded = (byte: number) => Buffer.alloc(64, byte).map((each, at) => each ^ (key[at] ?? 0))
  const [inner, outer] = [padded(0x36), padded(0x5c)]
  const digest = (pad: Uint8Array, of: Uint8Array) => hash('sha256', Buffer.concat([pad, of]), 'buffer')
  return (value) => digest(outer, digest(inner, Buffer.from(value)))
}

/** 256 random bits, base64url: the value of every secret, link and token we make ourselves. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** Compares two texts without telling by its time where they differ; only whether they are of one length. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
