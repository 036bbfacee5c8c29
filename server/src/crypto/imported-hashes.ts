/**
 * Password hashes imported from another service: which formats are accepted, and whether a password matches.
 * The hash is replaced by one of `hashPassword` at the user's first sign-in.
 *
 * The importing service chose the cost, and every attempt pays it, so each format has a limit of about one
 * second of a core and 256 MiB. Above that, a few concurrent sign-ins would delay all others.
 */
import { pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify } from '@node-rs/argon2'

/** Resolves whether the text matches, without NFC. */
type Check = (password: string) => Promise<boolean>
/** `parts`: the groups of its pattern. Returns a string that says why the hash is not accepted, if so. */
type Reader = (parts: string[], stored: string) => Check | string

const derive = promisify(pbkdf2)
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Bytes. */
const MEMORY_MAX = 256 * 1024 * 1024
/** Bytes of memory times passes. */
const ARGON2_WORK_MAX = 4 * MEMORY_MAX
const ARGON2_LANES_MAX = 16
/** Each step doubles the time. */
const BCRYPT_COST_MAX = 14
/** Rounds. Only one output block is computed. */
const PBKDF2_ROUNDS_MAX = 2_000_000
/** The bytes of an output block. */
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 }

/** Bytes. Many passwords would match a shorter hash; the upper bounds are those of the argon2 library. */
const SALT = { min: 8, max: 48 }
const HASH = { min: 16, max: 64 }

/** Decodes canonical base64 without padding: unused bits of the last character must be zero. */
function bytesOf(text: string, { min, max }: { min: number; max: number }): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === text
  return isWhole && bytes.length >= min && bytes.length <= max ? bytes : undefined
}

/** The decoded salt and hash, or why they are not accepted. */
function saltAndHash(salt = '', hash = ''): { salt: Buffer; hash: Buffer } | string {
  const bytes = { salt: bytesOf(salt, SALT), hash: bytesOf(hash, HASH) }
  if (!bytes.salt) return `its salt must be ${SALT.min} to ${SALT.max} bytes in base64 without padding`
  if (!bytes.hash) return `its hash must be ${HASH.min} to ${HASH.max} bytes in base64 without padding`
  return { salt: bytes.salt, hash: bytes.hash }
}

const readArgon2: Reader = ([memory, passes, lanes, ...rest], stored) => {
  const [m, t, p] = [Number(memory) * 1024, Number(passes), Number(lanes)]
  if (m > MEMORY_MAX || m * t > ARGON2_WORK_MAX)
    return 'is too expensive: m at most 262144, m times t at most 1048576'
  if (p > ARGON2_LANES_MAX || m < 8_192 * p)
    return `its p must be at most ${ARGON2_LANES_MAX}, its m at least 8 times p`
  const bytes = saltAndHash(...rest)
  return typeof bytes === 'string' ? bytes : (password) => verify(stored, password)
}

const readBcrypt: Reader = ([cost], stored) => {
  if (Number(cost) < 4 || Number(cost) > BCRYPT_COST_MAX) return `its cost must be 04 to ${BCRYPT_COST_MAX}`
  return async (password) => {
    const bcrypt = await import('@node-rs/bcrypt') // loaded when it is first needed
    return bcrypt.verify(password, stored)
  }
}

const readScrypt: Reader = ([ln, blocks, lanes, ...rest]) => {
  const [N, r, p] = [2 ** Number(ln), Number(blocks), Number(lanes)]
  if (128 * N * r * p > MEMORY_MAX) return 'is too expensive: 2^ln times r times p must be at most 2097152'
  if (Number(ln) >= 16 * r) return 'its ln must be less than 16 times r' // RFC 7914 section 6
  const bytes = saltAndHash(...rest)
  if (typeof bytes === 'string') return bytes
  const { salt, hash } = bytes
  return async (password) =>
    timingSafeEqual(
      await deriveScrypt(password, salt, hash.length, { N, r, p, maxmem: 2 * MEMORY_MAX }),
      hash,
    )
}

/**
 * A hash of several blocks is compared by its first one (RFC 8018 section 5.2): each block has the rounds of
 * the whole hash, and whoever searches for a password computes only one.
 */
const readPbkdf2: Reader = ([name, rounds, length, ...rest]) => {
  const digest = (name || 'sha1') as keyof typeof DIGEST_BYTES
  const bytes = saltAndHash(...rest)
  if (typeof bytes === 'string') return bytes
  const { salt, hash } = bytes
  const block = hash.subarray(0, DIGEST_BYTES[digest])
  if (length && Number(length) !== hash.length)
    return `its l says ${length} bytes, its hash has ${hash.length}`
  if (Number(rounds) > PBKDF2_ROUNDS_MAX) return `is too expensive: ${PBKDF2_ROUNDS_MAX} rounds at most`
  return async (password) =>
    timingSafeEqual(await derive(password, salt, Number(rounds), block.length, digest), block)
}

/** Passlib writes `.` for the `+` of base64. */
const readPasslib: Reader = (parts, stored) =>
  readPbkdf2(
    parts.map((part) => part?.replaceAll('.', '+')),
    stored,
  )

const FORMS: [RegExp, Reader][] = [
  [
    /^\$argon2(?:id|i|d)\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d{0,2}),p=([1-9]\d{0,2})\$([\dA-Za-z+/]*)\$([\dA-Za-z+/]*)$/,
    readArgon2,
  ],
  // The last character of the salt encodes 2 bits and that of the hash 4; the library rejects others.
  [/^\$2[aby]\$(\d\d)\$[./\dA-Za-z]{21}[.Oeu][./\dA-Za-z]{30}[.CGKOSWaeimquy26]$/, readBcrypt],
  [
    /^\$scrypt\$ln=([1-9]\d{0,1}),r=([1-9]\d{0,3}),p=([1-9]\d{0,3})\$([\dA-Za-z+/]*)\$([\dA-Za-z+/]*)$/,
    readScrypt,
  ],
  [
    /^\$pbkdf2-(sha1|sha256|sha512)\$i=([1-9]\d{0,7})(?:,l=([1-9]\d{0,2}))?\$([\dA-Za-z+/]*)\$([\dA-Za-z+/]*)$/,
    readPbkdf2,
  ],
  [/^\$pbkdf2(?:-(sha1|sha256|sha512))?\$([1-9]\d{0,7})()\$([\dA-Za-z./]*)\$([\dA-Za-z./]*)$/, readPasslib],
]

function read(stored: string): Check | string {
  for (const [form, reader] of FORMS) {
    const parts = form.exec(stored)
    if (parts) return reader(parts.slice(1), stored)
  }
  return 'must be a hash of argon2 (v=19), bcrypt, scrypt or PBKDF2, in one of the forms of docs/moving-in.md'
}

/** In characters. The longest accepted hash has about 200. */
export const HASH_MAX_LENGTH = 256

/** The reason why a text is not accepted as a password hash, if any. */
export function hashFault(text: string): string | undefined {
  const check = read(text)
  return typeof check === 'string' ? check : undefined
}

/** Whether the password, without NFC, matches an accepted hash. */
export function matchesImported(stored: string, password: string): Promise<boolean> {
  const check = read(stored)
  if (typeof check === 'string') throw new Error('The format of a stored password hash is not supported.')
  return check(password)
}
