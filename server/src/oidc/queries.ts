/**
 * Every SQL statement of the protocol's storage: artifacts. Sessions and revoked tokens have their own. What a token costs is
 * mostly the planning of these: they are prepared, by name, once for each connection.
 */

import type { Db } from '../db.ts'
import { and, eq, isNull, sql } from '../drizzle.ts'
import { artifacts, users } from '../schema.ts'

export type EnabledUser = {
  id: string
  email: string
  locale: string | null
  emailVerified: boolean
  /** Registered by themselves, with an address that is not proven yet. */
  unproven: boolean
  mustChangePassword: boolean
  /** An authenticator app or a passkey. */
  hasFactor: boolean
}

/** A person who may use a browser session; none when the user is gone or disabled. */
export async function findEnabledUser(db: Db, userId: string): Promise<EnabledUser | undefined> {
  const [row] = await db
    .select({
      id: users.id,
      email: users.email,
      locale: users.locale,
      emailVerified: users.emailVerified,
      unproven: sql<boolean>`${users.registration} is not null`,
      mustChangePassword: users.mustChangePassword,
      hasFactor: sql<boolean>`exists (select from totp_factors f where f.user_id = users.id and f.confirmed_at is not null) or exists (select from passkeys p where p.user_id = users.id)`,
    })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.disabled, false)))
    .prepare('find_enabled_user')
    .execute()
  return row
}

export type NewArtifact = Pick<
  typeof artifacts.$inferInsert,
  'model' | 'idHash' | 'sid' | 'userId' | 'uidHash' | 'userCodeHash'
> & { payload: Record<string, unknown> }

/** Adds or replaces what the library stores; true when it was not there. `expiresIn` is in seconds from the database's now. */
export async function upsertArtifact(db: Db, artifact: NewArtifact, expiresIn: number): Promise<boolean> {
  const [row] = await db
    .insert(artifacts)
    .values({ ...artifact, expiresAt: sql`now() + make_interval(secs => ${expiresIn})` })
    .onConflictDoUpdate({
      target: [artifacts.model, artifacts.idHash],
      set: {
        payload: sql`excluded.payload`,
        sid: sql`excluded.sid`,
        userId: sql`excluded.user_id`,
        uidHash: sql`excluded.uid_hash`,
        userCodeHash: sql`excluded.user_code_hash`,
        expiresAt: sql`excluded.expires_at`,
      },
    })
    .returning({ added: sql<boolean>`xmax = 0` }) // xmax: the transaction that changed the row that was there
    .prepare('upsert_artifact')
    .execute()
  return row!.added
}

/** Adds what may be there once. True for exactly one caller. */
export async function insertArtifact(db: Db, { model, idHash, payload }: NewArtifact, expiresIn: number): Promise<boolean> {
  const added = await db
    .insert(artifacts)
    .values({ model, idHash, payload, expiresAt: sql`now() + make_interval(secs => ${expiresIn})` })
    .onConflictDoNothing()
    .returning({ model: artifacts.model })
  return added.length === 1
}

export type StoredArtifact = {
  payload: Record<string, unknown>
  consumedAt: Date | null
  usedFor: number
  successor: Buffer | null
}

const stored = {
  payload: artifacts.payload,
  consumedAt: artifacts.consumedAt,
  /** Seconds since it was used, by the database's clock. */
  usedFor: sql<number>`coalesce(extract(epoch from clock_timestamp() - ${artifacts.consumedAt}), 0)::float8`,
  successor: artifacts.successor,
}

const alive = sql`${artifacts.expiresAt} > now()`

/** An artifact that has not expired, used or not. */
export async function findArtifact(db: Db, model: string, idHash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await db
    .select(stored)
    .from(artifacts)
    .where(and(eq(artifacts.model, model), eq(artifacts.idHash, idHash), alive))
    .prepare('find_artifact')
    .execute()
  return row
}

/** The same, holding the row: of two requests with one code or refresh token the second waits and sees what the first did. */
export async function lockArtifact(tx: Db, model: string, idHash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await tx
    .select(stored)
    .from(artifacts)
    .where(and(eq(artifacts.model, model), eq(artifacts.idHash, idHash), alive))
    .for('update')
    .prepare('lock_artifact')
    .execute()
  return row
}

export async function findArtifactBy(
  db: Db,
  model: string,
  by: 'uidHash' | 'userCodeHash',
  hash: Buffer,
): Promise<StoredArtifact | undefined> {
  const [row] = await db
    .select(stored)
    .from(artifacts)
    .where(and(eq(artifacts.model, model), eq(artifacts[by], hash), alive))
    .prepare(`find_artifact_${by}`)
    .execute()
  return row
}

/** Uses an artifact. True for exactly one caller. */
export async function consumeArtifact(tx: Db, model: string, idHash: Buffer): Promise<boolean> {
  const used = await tx
    .update(artifacts)
    .set({ consumedAt: sql`clock_timestamp()` })
    .where(and(eq(artifacts.model, model), eq(artifacts.idHash, idHash), isNull(artifacts.consumedAt)))
    .returning({ model: artifacts.model })
    .prepare('consume_artifact')
    .execute()
  return used.length === 1
}

/** Keeps the sealed successor of a used refresh token beside it. */
export async function setSuccessor(tx: Db, idHash: Buffer, successor: Buffer): Promise<void> {
  await tx
    .update(artifacts)
    .set({ successor })
    .where(and(eq(artifacts.model, 'RefreshToken'), eq(artifacts.idHash, idHash)))
    .prepare('set_successor')
    .execute()
}

/** True for whom it was still there. */
export async function deleteArtifact(db: Db, model: string, idHash: Buffer): Promise<boolean> {
  const gone = await db
    .delete(artifacts)
    .where(and(eq(artifacts.model, model), eq(artifacts.idHash, idHash)))
    .returning({ model: artifacts.model })
    .prepare('delete_artifact')
    .execute()
  return gone.length === 1
}
