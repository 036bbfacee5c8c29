/**
 * The keys that sign tokens. They are stored in the database, private parts encrypted, and every process
 * derives their state from the database's time: `next` is published but does not sign yet, `active`
 * signs, `retired` only verifies.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { ExternalSigningKey } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { desc, eq, gt, isNull, lte, or, sql } from '../../database/drizzle.ts'
import { resealed } from '../../database/reseal.ts'
import { signingKeys } from '../../database/schema.ts'
import { inTransaction } from '../../database/transaction.ts'
import { type Actor, SERVER } from '../../http/authority.ts'
import { record } from '../../journal/audit/record.ts'

export type Alg = 'ES256' | 'RS256'
export type KeyState = 'next' | 'active' | 'retired'
export type SigningKey = { kid: string; alg: Alg; state: KeyState; publicJwk: JWK; privateJwk: JWK }

/** What the encryption of a private key authenticates. */
export const signingKeyContextOf = (kid: string) => `signing_key:${kid}`

const generate = promisify(generateKeyPair)
/** Any fixed number: processes that create keys at the same time do so one after the other. */
const KEYS_LOCK = 7_236_111

async function newKey(seal: Seal, alg: Alg) {
  // RSA with 3072 bits and P-256 both have a strength of 128 bits (NIST SP 800-57).
  const pair =
    alg === 'ES256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: 3_072 })
  const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), alg, use: 'sig' }
  const kid = await calculateJwkThumbprint(publicJwk as JWK)
  const sealedPrivateJwk = seal.seal(
    JSON.stringify(pair.privateKey.export({ format: 'jwk' })),
    signingKeyContextOf(kid),
  )
  return { kid, alg, publicJwk: { ...publicJwk, kid }, sealedPrivateJwk }
}

/** Creates the first key of each algorithm. They sign at once, since no verifier has cached an older list. */
export async function ensureSigningKeys(db: Db, seal: Seal): Promise<void> {
  const algs = async (from: Db) =>
    new Set((await from.select({ alg: signingKeys.alg }).from(signingKeys)).map((key) => key.alg))
  const present = await algs(db)
  const missing = (['ES256', 'RS256'] as const).filter((alg) => !present.has(alg))
  if (missing.length === 0) return
  const made = await Promise.all(missing.map((alg) => newKey(seal, alg)))
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${KEYS_LOCK})`)
    const meanwhile = await algs(tx)
    const needed = made.filter((key) => !meanwhile.has(key.alg))
    if (needed.length > 0)
      await tx.insert(signingKeys).values(needed.map((key) => ({ ...key, activeFrom: sql`now()` })))
  })
}

/**
 * In seconds: the 5 minutes for which /jwks may be cached, and 10 more for clock
 * differences and slow verifiers.
 */
export const AHEAD = 900

/** `days`: only if the newest keys are older. `actor`: who has requested it by the API. */
type Rotation = { days?: number; actor?: Actor }

const ROTATED = { action: 'signing_keys.rotated', target: { type: 'installation', id: 'signing_keys' } }

type Lifetimes = Pick<Config, 'TTL_ACCESS_TOKEN' | 'TTL_ID_TOKEN' | 'TTL_SERVICE_TOKEN'>

/**
 * Creates new keys, requested by the operator or due after KEY_ROTATION_DAYS: published at once, they sign
 * after AHEAD. The current keys stay published until the last token they sign has expired. With `days`, only
 * if the newest keys are older than that. Returns the ids of the new keys.
 */
export function rotateKeys(db: Db, seal: Seal, lifetimes: Lifetimes, how: Rotation = {}): Promise<string[]> {
  const longest = Math.max(lifetimes.TTL_ACCESS_TOKEN, lifetimes.TTL_ID_TOKEN, lifetimes.TTL_SERVICE_TOKEN)
  return rotateSigningKeys(db, seal, AHEAD, longest + AHEAD, how)
}

/** Deletes keys that verify no valid token, and rotates keys after KEY_ROTATION_DAYS. Returns their ids. */
export async function rotateWhenDue(
  db: Db,
  seal: Seal,
  config: Lifetimes & Pick<Config, 'KEY_ROTATION_DAYS'>,
): Promise<{ removed: string[]; added: string[] }> {
  const days = config.KEY_ROTATION_DAYS
  const removed = await deleteRemovedKeys(db)
  return { removed, added: days > 0 ? await rotateKeys(db, seal, config, { days }) : [] }
}

/**
 * Publishes new keys now. They sign after `ahead` seconds, longer than verifiers cache the old list; the
 * current keys retire then and are removed another `after` seconds later. With `days`, only if the newest
 * keys are older, and only in one of several processes. Returns the ids of the new keys.
 */
export async function rotateSigningKeys(
  db: Db,
  seal: Seal,
  ahead: number,
  after: number,
  { days, actor }: Rotation = {},
): Promise<string[]> {
  const isEarly = async (from: Db) => days !== undefined && (await anyNewer(from, days))
  if (await isEarly(db)) return []
  const made = await Promise.all((['ES256', 'RS256'] as const).map((alg) => newKey(seal, alg)))
  const change = sql`now() + make_interval(secs => ${ahead})`
  return inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${KEYS_LOCK})`)
    if (await isEarly(tx)) return []
    await tx
      .update(signingKeys)
      .set({ retiredFrom: change, removeFrom: sql`now() + make_interval(secs => ${ahead + after})` })
      .where(isNull(signingKeys.retiredFrom))
    await tx.insert(signingKeys).values(made.map((key) => ({ ...key, activeFrom: change })))
    await recordKeys(tx, 'signing_key.added', made)
    const kids = made.map(({ kid }) => kid)
    if (actor) await record(tx, actor, { ...ROTATED, changes: { kids: [null, kids] } })
    return kids
  })
}

async function anyNewer(db: Db, days: number): Promise<boolean> {
  const newer = sql`${signingKeys.createdAt} > now() - make_interval(days => ${days})`
  return (await db.select({ kid: signingKeys.kid }).from(signingKeys).where(newer).limit(1)).length > 0
}

/** Deletes the keys whose tokens have all expired. Returns their ids. */
export function deleteRemovedKeys(db: Db): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const gone = await tx
      .delete(signingKeys)
      .where(lte(signingKeys.removeFrom, sql`now()`))
      .returning({ kid: signingKeys.kid, alg: signingKeys.alg })
    await recordKeys(tx, 'signing_key.removed', gone)
    return gone.map(({ kid }) => kid)
  })
}

async function recordKeys(tx: Db, action: string, keys: { kid: string; alg: Alg }[]): Promise<void> {
  const change = (alg: Alg): [unknown, unknown] =>
    action === 'signing_key.added' ? [null, alg] : [alg, null]
  const entries = keys.map(({ kid, alg }) => ({
    action,
    target: { type: 'signing_key', id: kid },
    changes: { alg: change(alg) },
  }))
  await record(tx, SERVER, ...entries)
}

/**
 * The keys to publish, the active one of each algorithm first. Throws if they were
 * encrypted with another SECRET_KEY.
 */
export async function loadSigningKeys(db: Db, seal: Seal): Promise<SigningKey[]> {
  const state = sql<KeyState>`case when ${signingKeys.retiredFrom} <= now() then 'retired' when ${signingKeys.activeFrom} > now() then 'next' else 'active' end`
  const rows = await db
    .select({
      kid: signingKeys.kid,
      alg: signingKeys.alg,
      publicJwk: signingKeys.publicJwk,
      sealed: signingKeys.sealedPrivateJwk,
      state,
    })
    .from(signingKeys)
    .where(or(isNull(signingKeys.removeFrom), gt(signingKeys.removeFrom, sql`now()`)))
    .orderBy(sql`${state} <> 'active'`, desc(signingKeys.activeFrom), signingKeys.kid)
  return rows.map(({ sealed, publicJwk, ...row }) => ({
    ...row,
    publicJwk: publicJwk as JWK,
    privateJwk: {
      ...(JSON.parse(seal.open(sealed, `signing_key:${row.kid}`)) as JWK),
      kid: row.kid,
      alg: row.alg,
      use: 'sig',
    },
  }))
}

/**
 * An ES256 key, as the library's external signing key. It signs synchronously and in DER,
 * which is then converted: on Node 24 signing in the JOSE form, or through WebCrypto, takes
 * about twice as long for each token.
 */
export class EcSigner extends ExternalSigningKey {
  readonly #key: SigningKey
  readonly #private: KeyObject
  readonly #public: KeyObject

  constructor(key: SigningKey) {
    super()
    this.#key = key
    this.#private = createPrivateKey({ key: key.privateJwk as JsonWebKey, format: 'jwk' })
    this.#public = createPublicKey({ key: key.publicJwk as JsonWebKey, format: 'jwk' })
  }

  override get kid(): string {
    return this.#key.kid
  }

  override get alg(): string {
    return this.#key.alg
  }

  override keyObject(): KeyObject {
    return this.#public
  }

  override sign(data: Uint8Array): Uint8Array {
    return joseSignature(sign('sha256', data, this.#private))
  }
}

/** Converts DER (SEQUENCE of two INTEGERs, X.690) to the 64 bytes r || s of RFC 7518 section 3.4. */
function joseSignature(der: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64)
  let at = 2 // SEQUENCE and its length, always one byte for P-256
  for (const end of [32, 64]) {
    const length = der[at + 1]!
    // Leading zeros of the INTEGER (its sign) are dropped, missing ones are left as zeros.
    const digits = der.subarray(at + 2 + Math.max(0, length - 32), at + 2 + length)
    signature.set(digits, end - digits.length)
    at += 2 + length
  }
  return signature
}

/** Encrypts the keys again under SECRET_KEY. */
export async function resealSigningKeys(tx: Db, seal: Seal): Promise<number> {
  const rows = await tx.select().from(signingKeys).for('update')
  for (const { kid, sealedPrivateJwk } of rows)
    await tx
      .update(signingKeys)
      .set({ sealedPrivateJwk: resealed(seal, sealedPrivateJwk, signingKeyContextOf(kid)) })
      .where(eq(signingKeys.kid, kid))
  return rows.length
}
