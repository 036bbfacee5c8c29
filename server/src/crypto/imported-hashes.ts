/**
 * Password hashes imported from another service: which formats are accepted, and whether a password matches.
 * The hash is replaced by one of `hashPassword` at the user's first sign-in.
 *
 * The importing service chose the cost, and every attempt pays it, so each format has a limit: about one
 * second of a core and 256 MiB for the platform. Above it, a few concurrent sign-ins would delay all others.
 * For a system it is about 300 ms and 128 MiB, since the imported hashes of all systems are checked one at a
 * time, and every wrong password at the system takes as long.
 */
import { pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify } from '@node-rs/argon2'

/** Resolves whether the text matches, without NFC. */
type Check = (password: string) => Promise<boolean>
/** `parts`: the groups of its pattern. Returns a string that says why the hash is not accepted, if so. */
type Reader = (parts: string[], stored: string, most: Costs) => Check | string

const derive = promisify(pbkdf2)
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const MiB = 1024 * 1024

/** The most that a check may cost. */
type Costs = {
  /** Bytes, and bytes times passes. */
  argon2: { memory: number; work: number }
  /** Each step doubles the time. */
  bcrypt: number
  /** Bytes: 128 times N times r times p. */
  scrypt: number
  /** Rounds. Only one output block is computed. */
  pbkdf2: { sha1: number; sha256: number; sha512: number }
}

const COSTS_OF_PLATFORM: Costs = {
  argon2: { memory: 256 * MiB, work: 1024 * MiB },
  bcrypt: 14,
  scrypt: 256 * MiB,
  pbkdf2: { sha1: 2_000_000, sha256: 2_000_000, sha512: 2_000_000 },
}
const COSTS_OF_SYSTEM: Costs = {
  argon2: { memory: 128 * MiB, work: 256 * MiB },
  bcrypt: 12,
  scrypt: 64 * MiB,
  pbkdf2: { sha1: 1_000_000, sha256: 1_000_000, sha512: 500_000 },
}

const ARGON2_LANES_MAX = 16
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

const readArgon2: Reader = ([memory, passes, lanes, ...rest], stored, { argon2: most }) => {
  const [m, t, p] = [Number(memory) * 1024, Number(passes), Number(lanes)]
  if (m > most.memory || m * t > most.work)
    return `is too expensive: m at most ${most.memory / 1024}, m times t at most ${most.work / 1024}`
  if (p > ARGON2_LANES_MAX || m < 8_192 * p)
    return `its p must be at most ${ARGON2_LANES_MAX}, its m at least 8 times p`
  const bytes = saltAndHash(...rest)
  return typeof bytes === 'string' ? bytes : (password) => verify(stored, password)
}

const readBcrypt: Reader = ([cost], stored, { bcrypt: most }) => {
  if (Number(cost) < 4 || Number(cost) > most) return `its cost must be 04 to ${most}`
  return async (password) => {
    const bcrypt = await import('@node-rs/bcrypt') // loaded when it is first needed
    return bcrypt.verify(password, stored)
  }
}

const readScrypt: Reader = ([ln, blocks, lanes, ...rest], _stored, { scrypt: most }) => {
  const [N, r, p] = [2 ** Number(ln), Number(blocks), Number(lanes)]
  if (128 * N * r * p > most) return `is too expensive: 2^ln times r times p must be at most ${most / 128}`
  if (Number(ln) >= 16 * r) return 'its ln must be less than 16 times r' // RFC 7914 section 6
  const bytes = saltAndHash(...rest)
  if (typeof bytes === 'string') return bytes
  const { salt, hash } = bytes
  return async (password) =>
    timingSafeEqual(
      await deriveScrypt(password, salt, hash.length, { N, r, p, maxmem: 2 * COSTS_OF_PLATFORM.scrypt }),
      hash,
    )
}

/**
 * A hash of several blocks is compared by its first one (RFC 8018 section 5.2): each block has the rounds of
 * the whole hash, and whoever searches for a password computes only one.
 */
const readPbkdf2: Reader = ([name, rounds, length, ...rest], _stored, { pbkdf2: most }) => {
  const digest = (name || 'sha1') as keyof typeof DIGEST_BYTES
  const bytes = saltAndHash(...rest)
  if (typeof bytes === 'string') return bytes
  const { salt, hash } = bytes
  const block = hash.subarray(0, DIGEST_BYTES[digest])
  if (length && Number(length) !== hash.length)
    return `its l says ${length} bytes, its hash has ${hash.length}`
  if (Number(rounds) > most[digest]) return `is too expensive: ${most[digest]} rounds at most`
  return async (password) =>
    timingSafeEqual(await derive(password, salt, Number(rounds), block.length, digest), block)
}

/** Passlib writes `.` for the `+` of base64. */
const readPasslib: Reader = (parts, stored, most) =>
  readPbkdf2(
    parts.map((part) => part?.replaceAll('.', '+')),
    stored,
    most,
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

function read(stored: string, most: Costs): Check | string {
  for (const [form, reader] of FORMS) {
    const parts = form.exec(stored)
    if (parts) return reader(parts.slice(1), stored, most)
  }
  return 'must be a hash of argon2 (v=19), bcrypt, scrypt or PBKDF2, in one of the forms of docs/moving-in.md'
}

/** In characters. The longest accepted hash has about 200. */
export const HASH_MAX_LENGTH = 256

/** The reason why a text is not accepted as a password hash of the platform or of a system, if any. */
export function hashFault(text: string, by: 'platform' | 'system'): string | undefined {
  const check = read(text, by === 'platform' ? COSTS_OF_PLATFORM : COSTS_OF_SYSTEM)
  return typeof check === 'string' ? check : undefined
}

/** Whether the password, without NFC, matches an accepted hash. */
export function matchesImported(stored: string, password: string): Promise<boolean> {
  const check = read(stored, COSTS_OF_PLATFORM)
  if (typeof check === 'string') throw new Error('The format of a stored password hash is not supported.')
  return check(password)
}
