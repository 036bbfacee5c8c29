/**
 * Every SQL statement of the protocol's storage: artifacts, and what a sign-in reads of its person. Sessions and revoked
 * tokens have their own. A token costs a statement that reads and one that writes (decision 0033).
 */

import type { Db } from '../../database/database.ts'
import { prepared, preparedRead } from '../../database/prepared.ts'
import { artifacts, memberships, sessions, systems, users } from '../../database/schema.ts'
import type { ArtifactBatch, NewArtifact } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import {
  living,
  type Member,
  memberColumns,
  memberUserColumns,
  overtaken,
  type Place,
  toMember,
} from '../../resources/sessions/queries.ts'
import { and, eq, type SQL, sql } from '../../tuning/drizzle.ts'

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

const person = {
  id: users.id,
  email: users.email,
  locale: users.locale,
  emailVerified: users.emailVerified,
  unproven: sql<boolean>`${users.registration} is not null`,
  mustChangePassword: users.mustChangePassword,
  // By the table's name: of a single table Drizzle writes `id` alone, which means another one inside.
  hasFactor: sql<boolean>`exists (select from totp_factors f where f.user_id = users.id and f.confirmed_at is not null) or exists (select from passkeys p where p.user_id = users.id)`,
}

const isEnabled = and(eq(users.id, sql.placeholder('userId')), eq(users.disabled, false))

const enabledUser = preparedRead((db) =>
  db.select(person).from(users).where(isEnabled).prepare('find_enabled_user'),
)

/** A person who may use a browser session; none when the user is gone or disabled. */
export async function findEnabledUser(db: Db, userId: string): Promise<EnabledUser | undefined> {
  const [row] = await enabledUser(db).execute({ userId })
  return row
}

/** Whose browser asks, for which system, and the session that the browser holds for that system. */
export type Asking = { userId: string; systemId: string; sid: string | undefined }

/** What a request to /auth is decided by. */
export type SignIn = {
  user: EnabledUser
  /** Where the person could sign in to the system, by account name. */
  places: Place[]
  /** What the person agreed to before, by account. */
  consents: Record<string, string[]>
  /** The member behind the held session, while it is alive and the person's own. */
  held: Member | undefined
  /** Whether an administrator has ended another session of this browser and system since (`overtaken`). */
  overtaken: boolean
}

const systemId = sql.placeholder('systemId')

/** As a condition no index fits, so that the session is found by its sid. By `=` the planner may read all of the person's. */
const theirs = sql`${sessions.userId} is not distinct from ${users.id}`

const signIn = preparedRead((db) =>
  db
    .select({
      user: person,
      places: sql<Place[]>`(select coalesce(json_agg(json_build_object(
          'membershipId', m.id, 'accountId', m.account_id, 'accountName', a.name, 'accountKind', a.kind, 'status', m.status
        ) order by a.name, a.id), '[]')
        from memberships m join accounts a on a.id = m.account_id where m.user_id = ${users.id} and m.system_id = ${systemId})`,
      consents: sql<Record<string, string[]>>`(select coalesce(json_object_agg(c.account_id, c.scopes), '{}')
        from consents c join accounts a on a.id = c.account_id where c.user_id = ${users.id} and a.system_id = ${systemId})`,
      held: memberColumns,
      holder: memberUserColumns,
      overtaken,
    })
    .from(users)
    .leftJoin(sessions, and(eq(sessions.sid, sql.placeholder('sid')), theirs, living))
    .leftJoin(memberships, eq(memberships.id, sessions.membershipId))
    .leftJoin(systems, eq(systems.id, sessions.systemId))
    .where(isEnabled)
    .prepare('find_sign_in'),
)

/** Everything that a request to /auth with a browser session is decided by, in one statement. None as of `findEnabledUser`. */
export async function findSignIn(db: Db, { userId, systemId, sid }: Asking): Promise<SignIn | undefined> {
  const [row] = await signIn(db).execute({ userId, systemId, sid: sid ?? null })
  if (!row) return undefined
  const { held, holder, ...person } = row
  return { ...person, held: memberOrNone(held, holder) }
}

type MemberRow = Parameters<typeof toMember>[0]
type MaybeMember = { [Column in keyof MemberRow]: MemberRow[Column] | null }

/** Columns of left joins: all empty when there is no session. */
const memberOrNone = (columns: MaybeMember, user: Member['user'] | null): Member | undefined =>
  columns.sid && user ? toMember(columns as MemberRow, user) : undefined

type ArtifactWrites = { used: ArtifactBatch['used']; stored: NewArtifact[] }

/**
 * 5 minutes, in seconds. What stands is replaced at each use and lives a little longer; while it ends within the same step no
 * index of its row changes. The library knows the second at which it ends (`exp` of the payload).
 */
const STEP = sql.raw('300')

/** Values by their place, which is given out as the statement is made. */
const places = () => {
  let next = 0
  const value = (type: string) => sql`${sql.placeholder(String(next++))}::${sql.raw(type)}`
  /** In the order of `valuesOf`. */
  const row = () => ({
    model: value('text'),
    idHash: value('bytea'),
    sid: value('text'),
    userId: value('uuid'),
    uidHash: value('bytea'),
    userCodeHash: value('bytea'),
    payload: value('jsonb'),
    expiresIn: value('float8'),
  })
  return { value, row }
}

const valuesOf = (artifact: NewArtifact): unknown[] => [
  artifact.model,
  artifact.idHash,
  artifact.sid,
  artifact.userId,
  artifact.uidHash,
  artifact.userCodeHash,
  JSON.stringify(artifact.payload),
  artifact.expiresIn,
]

/**
 * In one statement, so that it needs no transaction of its own: what is used up, what stands and is replaced, what is added.
 * Nothing is stored unless the use is the first one, and nothing is added unless what stands is still there.
 */
function writing(uses: boolean, stands: boolean, adds: number) {
  const { value, row } = places()
  const parts: Record<string, SQL> = {}
  if (uses)
    parts.used = sql`update artifacts set consumed_at = clock_timestamp(), successor = ${value('bytea')}
      where model = ${value('text')} and id_hash = ${value('bytea')} and consumed_at is null returning 1`
  const first = uses ? sql`exists (select from used)` : sql`true`
  if (stands) {
    const it = row()
    parts.kept = sql`update artifacts set payload = ${it.payload}, sid = ${it.sid}, user_id = ${it.userId}, uid_hash = ${it.uidHash},
        user_code_hash = ${it.userCodeHash},
        expires_at = to_timestamp(ceil((extract(epoch from now()) + ${it.expiresIn}) / ${STEP}) * ${STEP})
      where model = ${it.model} and id_hash = ${it.idHash} and ${first} returning 1`
  }
  const standing = stands ? sql`exists (select from kept)` : sql`true`
  const rows = Array.from({ length: adds }, row).map(
    (it) =>
      sql`(${it.model}, ${it.idHash}, ${it.sid}, ${it.userId}, ${it.uidHash}, ${it.userCodeHash}, ${it.payload}, now() + make_interval(secs => ${it.expiresIn}))`,
  )
  if (adds > 0)
    parts.added = sql`insert into artifacts (model, id_hash, sid, user_id, uid_hash, user_code_hash, payload, expires_at)
      select * from (values ${sql.join(rows, sql`, `)}) as row where ${first} and ${standing}
      on conflict (model, id_hash) do update set payload = excluded.payload, sid = excluded.sid, user_id = excluded.user_id,
        uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at
      returning 1`
  return prepared((db) =>
    db
      .with(...Object.entries(parts).map(([name, part]) => db.$with(name, {}).as(part)))
      .select({ isFirst: sql<boolean>`${first}`, isStanding: sql<boolean>`${standing}` })
      .from(sql`(select) one`)
      .prepare(`write_artifacts_${Number(uses)}${Number(stands)}${adds}`),
  )
}

const writings = new Map<string, ReturnType<typeof writing>>()

/**
 * Whether the use, if there is one, is the first: else nothing was written. Throws when what should stand was taken away, the
 * browser signed out meanwhile; what was used up is then for the caller to undo. One may stand at most: the browser's session.
 */
export async function writeArtifacts(db: Db, { used, stored }: ArtifactWrites): Promise<boolean> {
  const kept = stored.find(({ standing }) => standing)
  const added = stored.filter((artifact) => artifact !== kept)
  if (added.some(({ standing }) => standing)) throw new Error('what stands is never added')
  const shape = `${used !== undefined} ${kept !== undefined} ${added.length}`
  const statement = writings.get(shape) ?? writing(used !== undefined, kept !== undefined, added.length)
  writings.set(shape, statement)
  const values: unknown[] = used ? [used.successor, used.model, used.idHash] : []
  for (const artifact of kept ? [kept, ...added] : added) values.push(...valuesOf(artifact))
  const [done] = await statement(db).execute({ ...values })
  if (done!.isFirst && !done!.isStanding)
    throw new Failure('unavailable', { detail: 'The browser was signed out meanwhile.', retryAfter: 1 })
  return done!.isFirst
}

/** Adds what may be there once. True for exactly one caller. */
export async function insertArtifact(
  db: Db,
  { model, idHash, payload, expiresIn }: Pick<NewArtifact, 'model' | 'idHash' | 'payload' | 'expiresIn'>,
): Promise<boolean> {
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

const alive = (which: SQL) =>
  and(eq(artifacts.model, sql.placeholder('model')), which, sql`${artifacts.expiresAt} > now()`)
const byHash = eq(artifacts.idHash, sql.placeholder('hash'))

const found = preparedRead((db) =>
  db.select(stored).from(artifacts).where(alive(byHash)).prepare('find_artifact'),
)
const locked = prepared((db) =>
  db.select(stored).from(artifacts).where(alive(byHash)).for('update').prepare('lock_artifact'),
)
const foundByUid = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(alive(eq(artifacts.uidHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_uid'),
)
const foundByUserCode = preparedRead((db) =>
  db
    .select(stored)
    .from(artifacts)
    .where(alive(eq(artifacts.userCodeHash, sql.placeholder('hash'))))
    .prepare('find_artifact_by_user_code'),
)

/** An artifact that has not expired, used or not. */
export async function findArtifact(db: Db, model: string, hash: Buffer): Promise<StoredArtifact | undefined> {
  const [row] = await found(db).execute({ model, hash })
  return row
}

/** The same, holding the row: of two requests with one code or refresh token the second waits and sees what the first did. */
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

const withMember = preparedRead((db) =>
  db
    .select({ ...stored, sid: artifacts.sid, held: memberColumns, user: memberUserColumns })
    .from(artifacts)
    .leftJoin(sessions, and(eq(sessions.sid, artifacts.sid), living))
    .leftJoin(memberships, eq(memberships.id, sessions.membershipId))
    .leftJoin(users, eq(users.id, sessions.userId))
    .leftJoin(systems, eq(systems.id, sessions.systemId))
    .where(alive(byHash))
    .prepare('find_artifact_with_member'),
)

/** An artifact of a session, and the member behind that session. */
export async function findArtifactWithMember(
  db: Db,
  model: string,
  hash: Buffer,
): Promise<(StoredArtifact & { sid: string | null; member: Member | undefined }) | undefined> {
  const [row] = await withMember(db).execute({ model, hash })
  if (!row) return undefined
  const { held, user, ...artifact } = row
  return { ...artifact, member: memberOrNone(held, user) }
}

/** True for whom it was still there. */
export async function deleteArtifact(db: Db, model: string, idHash: Buffer): Promise<boolean> {
  const gone = await db
    .delete(artifacts)
    .where(and(eq(artifacts.model, model), eq(artifacts.idHash, idHash)))
    .returning({ model: artifacts.model })
  return gone.length === 1
}
