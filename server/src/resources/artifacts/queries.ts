/**
 * The SQL statements of artifacts: objects that the protocol stores between requests, found by the keyed hash
 * of an id. A token request executes one statement that reads and one that writes (write.ts, decision 0033).
 */
import type { Db } from '../../database/database.ts'
import { and, eq, ne, type SQL, sql } from '../../database/drizzle.ts'
import { always, lookup, type WantedKeys } from '../../database/lookups.ts'
import { prepared, preparedRead } from '../../database/prepared.ts'
import { artifacts, memberships, sessions, systems, systemUsers, users } from '../../database/schema.ts'
import { living } from '../sessions/living.ts'
import {
  type Member,
  memberColumns,
  memberOrNone,
  memberUserColumns,
  ofSessionSystem,
} from '../sessions/queries.ts'

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

const unexpired = (which: SQL) =>
  and(eq(artifacts.model, sql.placeholder('model')), which, sql`${artifacts.expiresAt} > now()`)
const byHash = eq(artifacts.idHash, sql.placeholder('hash'))

const KEY = { model: 'text', hash: 'bytea' } as const

const isWanted = ({ model, hash }: WantedKeys<keyof typeof KEY>) =>
  and(eq(artifacts.model, model), eq(artifacts.idHash, hash), sql`${artifacts.expiresAt} > now()`)

const found = lookup('find_artifact', KEY, (db, wanted) =>
  db
    .select({ nth: wanted.nth, ...stored })
    .from(wanted.rows)
    .innerJoinLateral(wanted.rowOf(artifacts, isWanted(wanted)), always),
)
const locked = prepared((db) =>
  db.select(stored).from(artifacts).where(unexpired(byHash)).for('update').prepare('lock_artifact'),
)
const foundByUid = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(unexpired(eq(artifacts.uidHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_uid'),
)
const foundByUserCode = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(unexpired(eq(artifacts.userCodeHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_user_code'),
)

/** An artifact that has not expired, used or not. */
export async function findArtifact(db: Db, model: string, hash: Buffer): Promise<StoredArtifact | undefined> {
  return found(db, { model, hash })
}

/**
 * Reads an artifact with its row locked: of two requests with one code or refresh token the second waits and
 * sees the change of the first.
 */
export async function lockArtifact(tx: Db, model: string, hash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await locked(tx).execute({ model, hash })
  return row
}

export async function findArtifactBy(
  db: Db,
  model: string,
  by: 'uidHash' | 'userCodeHash',
  hash: Buffer,
): Promise<StoredArtifact | undefined> {
  const [row] = await (by === 'uidHash' ? foundByUid : foundByUserCode)(db).execute({ model, hash })
  return row
}

const withMember = lookup('find_artifact_with_member', KEY, (db, wanted) =>
  db
    .select({
      nth: wanted.nth,
      ...stored,
      sid: artifacts.sid,
      member: memberColumns,
      ...memberUserColumns,
    })
    .from(wanted.rows)
    .innerJoinLateral(wanted.rowOf(artifacts, isWanted(wanted)), always)
    .leftJoinLateral(wanted.rowOf(sessions, and(eq(sessions.sid, artifacts.sid), living)), always)
    .leftJoinLateral(wanted.rowOf(memberships, eq(memberships.id, sessions.membershipId)), always)
    .leftJoinLateral(wanted.rowOf(users, eq(users.id, sessions.userId)), always)
    .leftJoinLateral(wanted.rowOf(systemUsers, ofSessionSystem), always)
    .leftJoinLateral(wanted.rowOf(systems, eq(systems.id, sessions.systemId)), always),
)

/** An artifact of a session, and the member behind that session. */
export async function findArtifactWithMember(
  db: Db,
  model: string,
  hash: Buffer,
): Promise<(StoredArtifact & { sid: string | null; member: Member | undefined }) | undefined> {
  const row = await withMember(db, { model, hash })
  if (!row) return undefined
  const { member, user, stated, ...artifact } = row
  return { ...artifact, member: memberOrNone(member, { user, stated }) }
}

export type OneTimeArtifact = {
  /** ReplayDetection, PasskeyChallenge, SocialState, SamlResult or ServiceAccountKeyForm. */
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

/** Whether an artifact was inserted, also if it was taken since. */
export const hasArtifact = async (
  db: Db,
  { model, idHash }: Pick<OneTimeArtifact, 'model' | 'idHash'>,
): Promise<boolean> =>
  (await db.$count(
    artifacts,
    and(eq(artifacts.model, model), eq(artifacts.idHash, idHash), sql`${artifacts.expiresAt} > now()`),
  )) === 1

/**
 * Takes the payload of an artifact out, for exactly one caller. The row stays, so that it is not inserted
 * again.
 */
export async function takeArtifact(
  db: Db,
  { model, idHash }: Pick<OneTimeArtifact, 'model' | 'idHash'>,
): Promise<Record<string, unknown> | undefined> {
  const { rows } = (await db.execute(sql`
    update artifacts a set payload = '{}', consumed_at = now()
    from (select o.model, o.id_hash, o.payload from artifacts o where o.model = ${model}
      and o.id_hash = ${idHash} and o.consumed_at is null and o.expires_at > now() for update) found
    where a.model = found.model and a.id_hash = found.id_hash returning found.payload as payload`)) as {
    rows: unknown[]
  }
  return (rows as { payload: Record<string, unknown> }[])[0]?.payload
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

/** Deletes the browser session of a user with this hash of its `uid`. */
export async function deleteBrowserSession(db: Db, userId: string, uidHash: Buffer): Promise<void> {
  const own = and(eq(artifacts.userId, userId), eq(artifacts.model, 'Session'))
  await db.delete(artifacts).where(and(own, eq(artifacts.uidHash, uidHash)))
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
