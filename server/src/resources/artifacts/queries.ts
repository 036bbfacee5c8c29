/**
 * SQL statements that write artifacts: objects that the protocol stores between requests, found by the keyed
 * hash of an id.
 */
import type { Db } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { artifacts } from '../../database/schema.ts'
import { and, eq, ne, sql } from '../../tuning/drizzle.ts'

export type OneTimeArtifact = {
  /** ReplayDetection, PasskeyChallenge or SocialState. */
  model: string
  idHash: Buffer
  payload?: Record<string, unknown>
  /** Seconds from the database's now. */
  expiresIn: number
}

/**
 * Inserts an artifact that must not exist yet, such as the mark of a used value. True for exactly one caller.
 */
export async function insertArtifact(
  db: Db,
  { model, idHash, payload = {}, expiresIn }: OneTimeArtifact,
): Promise<boolean> {
  const inserted = await db
    .insert(artifacts)
    .values({ model, idHash, payload, expiresAt: sql`now() + make_interval(secs => ${expiresIn})` })
    .onConflictDoNothing()
    .returning({ model: artifacts.model })
  return inserted.length === 1
}

/**
 * The sign-in in progress and the browser session of the caller, by their hashes: they continue when all
 * others are ended.
 */
export type OwnSignIn = { interaction: Buffer; browser: Buffer }

/**
 * Deletes the sign-ins in progress of a user. A concurrent request of one of them has stored a
 * browser session by then, or fails.
 */
export async function deleteInteractions(db: Db, userId: string, own?: OwnSignIn): Promise<void> {
  const others = own && ne(artifacts.idHash, own.interaction)
  await db
    .delete(artifacts)
    .where(and(eq(artifacts.userId, userId), eq(artifacts.model, 'Interaction'), others))
}

/** Deletes the browser sessions of a user: no cookie of theirs is valid afterwards. */
export async function deleteBrowserSessions(db: Db, userId: string, own?: OwnSignIn): Promise<void> {
  const others = own && sql`${artifacts.uidHash} is distinct from ${own.browser}`
  await db.delete(artifacts).where(and(eq(artifacts.userId, userId), eq(artifacts.model, 'Session'), others))
}

const deletion = prepared((db) =>
  db
    .delete(artifacts)
    .where(
      and(eq(artifacts.model, sql.placeholder('model')), eq(artifacts.idHash, sql.placeholder('idHash'))),
    )
    .returning({ model: artifacts.model })
    .prepare('delete_artifact'),
)

/** Deletes an artifact. True for exactly one caller. */
export async function deleteArtifact(db: Db, model: string, idHash: Buffer): Promise<boolean> {
  return (await deletion(db).execute({ model, idHash })).length === 1
}
