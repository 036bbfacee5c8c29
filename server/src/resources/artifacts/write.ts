/** The statement that stores the artifacts of one protocol request. */
import type { Db } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { ArtifactBatch, NewArtifact } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { type SQL, sql } from '../../tuning/drizzle.ts'

type ArtifactWrites = { used: ArtifactBatch['used']; stored: NewArtifact[] }

/**
 * 5 minutes, in seconds. What stands is replaced at each use and lives a little longer; while
 * it ends within the same step no index of its row changes. The library knows the second at
 * which it ends (`exp` of the payload).
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
 * In one statement, so that it needs no transaction of its own: what is used up, what stands and is
 * replaced, what is added. Nothing is stored unless the use is the first one, and nothing is added
 * unless what stands is still there.
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
 * Whether the use, if there is one, is the first: else nothing was written. Throws when what should stand was
 * taken away, the browser signed out meanwhile; what was used up is then for the caller to undo. One may
 * stand at most: the browser's session.
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
