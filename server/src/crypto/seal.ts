/**
 * Encryption and keyed hashes of stored secrets. Every key is derived from SECRET_KEY with HKDF (RFC 5869),
 * one per purpose, so a hash computed for one purpose never matches in another. A second key can be present
 * while SECRET_KEY is being replaced (docs/secrets.md, decision 0049).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

export type Seal = {
  /**
   * AES-256-GCM: id of the key (4 bytes), nonce (12 bytes), tag (16 bytes), ciphertext. `context` is
   * authenticated; `open` needs the same.
   */
  seal(plain: string, context: string): Buffer
  /** Throws if the context differs, the key is unknown, or the data was modified. */
  open(sealed: Buffer, context: string): string
  /**
   * HMAC-SHA-256, 32 bytes: a stored value is found by the hash of a client's secret, and the secret is not
   * stored.
   */
  hash(value: string, context: string): Buffer
  /**
   * An Ed25519 private key for one purpose. It stays the same when SECRET_KEY is replaced, as the keys of the
   * hashes do.
   */
  signingKey(purpose: string): KeyObject
  /** The id of SECRET_KEY, with which what it has sealed begins. */
  readonly keyId: Buffer
  /** Seals with SECRET_KEY from now on, also if the previous key was in use. */
  useNewKey(): void
}

const KEY_ID = 4
/** The bytes before the 32 of an Ed25519 key in PKCS #8 (RFC 8410 section 7). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

type Options = {
  /** Opens what it has sealed. It seals until `useNewKey`, or until something of SECRET_KEY is opened. */
  previous?: string | undefined
  /** The key from which the keys of hashes and signatures are derived, by default SECRET_KEY. */
  hashRoot?: string | undefined
}

type Key = { id: Buffer; cipher: KeyObject }

// Keys are KeyObjects: Node imports a Buffer again at each use, which costs more than the operation itself.
const derive = (from: string, purpose: string, length = 32) =>
  Buffer.from(hkdfSync('sha256', from, 'tenantry', purpose, length))

const keyOf = (secretKey: string): Key => ({
  id: derive(secretKey, 'id', KEY_ID),
  cipher: createSecretKey(derive(secretKey, 'seal')),
})

export function createSeal(secretKey: string, { previous, hashRoot = secretKey }: Options = {}): Seal {
  const newest = keyOf(secretKey)
  const keys = previous === undefined ? [newest] : [newest, keyOf(previous)]
  let sealing = keys.at(-1)!
  /** The keys by context. The contexts are constants of the code, so their number is bounded. */
  const hashKeys = new Map<string, KeyObject>()
  const hashKeyFor = (context: string) => {
    const key = hashKeys.get(context) ?? createSecretKey(derive(hashRoot, `hash:${context}`))
    hashKeys.set(context, key)
    return key
  }
  return {
    keyId: newest.id,
    useNewKey: () => {
      sealing = newest
    },
    signingKey: (purpose) =>
      createPrivateKey({
        key: Buffer.concat([ED25519_PREFIX, derive(hashRoot, `sign:${purpose}`)]),
        format: 'der',
        type: 'pkcs8',
      }),
    hash: (value, context) => createHmac('sha256', hashKeyFor(context)).update(value).digest(),
    seal(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing.cipher, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([sealing.id, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const key = keys.find(({ id }) => id.equals(sealed.subarray(0, KEY_ID)))
      if (!key) throw new Error('the data is sealed under another key')
      const rest = sealed.subarray(KEY_ID)
      const decipher = createDecipheriv('aes-256-gcm', key.cipher, rest.subarray(0, 12))
      decipher.setAAD(Buffer.from(context)).setAuthTag(rest.subarray(12, 28))
      const plain = Buffer.concat([decipher.update(rest.subarray(28)), decipher.final()]).toString('utf8')
      sealing = key === newest ? newest : sealing // `npm run secrets:rotate` has started
      return plain
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
