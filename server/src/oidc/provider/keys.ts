/**
 * The keys that sign tokens. They live in the database, private parts sealed, and every process derives their state
 * from the database's time: `next` is published but does not sign yet, `active` signs, `retired` only verifies.
 */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { signingKeys } from '../../database/schema.ts'
import { inTransaction } from '../../database/transaction.ts'
import { SERVER } from '../../http/authority.ts'
import { record } from '../../resources/audit/record.ts'
import { desc, gt, isNull, lte, or, sql } from '../../tuning/drizzle.ts'

export type Alg = 'ES256' | 'RS256'
export type KeyState = 'next' | 'active' | 'retired'
export type SigningKey = { kid: string; alg: Alg; state: KeyState; publicJwk: JWK; privateJwk: JWK }

const generate = promisify(generateKeyPair)
/** Any fixed number: two processes that start together take turns on it. */
const KEYS_LOCK = 7_236_111

async function newKey(seal: Seal, alg: Alg) {
  // RSA of 3072 bits and P-256 are of one strength: 128 bits (NIST SP 800-57).
  const pair =
    alg === 'ES256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: 3_072 })
  const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), alg, use: 'sig' }
  const kid = await calculateJwkThumbprint(publicJwk as JWK)
  const sealedPrivateJwk = seal.seal(
    JSON.stringify(pair.privateKey.export({ format: 'jwk' })),
    `signing_key:${kid}`,
  )
  return { kid, alg, publicJwk: { ...publicJwk, kid }, sealedPrivateJwk }
}

/** Makes the first key of each algorithm; they sign at once, since nobody holds an older list. */
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
 * Starts the change to new keys: published now, signing after `ahead` seconds (more than verifiers keep the old list),
 * while the present ones retire then and are removed after another `after` seconds (the life of any token they signed).
 * With `days` only when the newest are older than that, and of many processes one does it. Answers the new ones.
 */
export async function rotateSigningKeys(
  db: Db,
  seal: Seal,
  ahead: number,
  after: number,
  days?: number,
): Promise<string[]> {
  const early = async (from: Db) => days !== undefined && (await anyNewer(from, days))
  if (await early(db)) return []
  const made = await Promise.all((['ES256', 'RS256'] as const).map((alg) => newKey(seal, alg)))
  const change = sql`now() + make_interval(secs => ${ahead})`
  return inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${KEYS_LOCK})`)
    if (await early(tx)) return []
    await tx
      .update(signingKeys)
      .set({ retiredFrom: change, removeFrom: sql`now() + make_interval(secs => ${ahead + after})` })
      .where(isNull(signingKeys.retiredFrom))
    await tx.insert(signingKeys).values(made.map((key) => ({ ...key, activeFrom: change })))
    await recordKeys(tx, 'signing_key.added', made)
    return made.map(({ kid }) => kid)
  })
}

async function anyNewer(db: Db, days: number): Promise<boolean> {
  const newer = sql`${signingKeys.createdAt} > now() - make_interval(days => ${days})`
  return (await db.select({ kid: signingKeys.kid }).from(signingKeys).where(newer).limit(1)).length > 0
}

/** Deletes the keys of which no token is alive, and answers which they were. */
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

/** The keys to publish, the active one of each algorithm first. Throws when SECRET_KEY is not the one that sealed them. */
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
