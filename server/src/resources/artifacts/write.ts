/**
 * The changes of one protocol request, which are collected and written in one statement when the library is
 * done: a token request then needs no transaction, and a refused request has written nothing.
 */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { prepared } from '../../database/prepared.ts'
import { currentTransaction, type TransactionContext } from '../../database/transaction.ts'
import type {
  ArtifactBatch,
  ArtifactKey,
  ArtifactWrites,
  NewArtifact,
  WriteCondition,
} from '../../database/write-batch.ts'
import { Failure } from '../../errors.ts'
import { auditInsert, auditValues } from '../../journal/audit/record.ts'

/** Starts to collect, until `writeBatch`. Outside of a batch artifacts are written at once. */
export const startBatch = (context: TransactionContext): void => {
  context.artifacts = { conditions: [], used: undefined, deleted: undefined, stored: new Map(), audit: [] }
}

const currentBatch = (): ArtifactBatch | undefined => currentTransaction()?.artifacts

const keyOf = ({ model, idHash }: ArtifactKey) => `${model}:${idHash.toString('hex')}`

/** Adds a condition and its change. False if there is no batch. */
export function batchCondition(condition: WriteCondition): boolean {
  return currentBatch()?.conditions.push(condition) !== undefined
}

/** Adds an artifact, or replaces it. False if there is no batch. */
export function batchStore(artifact: NewArtifact): boolean {
  return currentBatch()?.stored.set(keyOf(artifact), artifact) !== undefined
}

/**
 * Adds the use of a code or refresh token. The request succeeds only if that is the first
 * use. False if there is no batch.
 */
export function batchUse(model: string, idHash: Buffer): boolean {
  const batch = currentBatch()
  if (batch) batch.used = { model, idHash, successor: null }
  return batch !== undefined
}

/** Adds the sealed successor of the refresh token that this request uses. */
export function batchSuccessor(idHash: Buffer, successor: Buffer): void {
  const used = currentBatch()?.used
  if (used?.idHash.equals(idHash)) used.successor = successor
}

/** Removes an artifact that is deleted before it was written. */
export const unbatch = (artifact: ArtifactKey): void => void currentBatch()?.stored.delete(keyOf(artifact))

/**
 * Adds the deletion of the interaction that the request ends. The request succeeds only if it still exists.
 * False if there is no batch.
 */
export function batchDelete({ model, idHash }: ArtifactKey): boolean {
  const batch = currentBatch()
  if (batch) batch.deleted = { model, idHash }
  return batch !== undefined
}

/**
 * Writes the collected artifacts before the library reads one of this model, since it
 * may read what it has just stored.
 */
export async function flushBatch(model: string): Promise<void> {
  const context = currentTransaction()
  const batch = context?.artifacts
  if (!context || !batch) return
  const stored = [...batch.stored.values()]
  const isPending =
    model === 'Grant'
      ? batch.conditions.length > 0
      : [...stored, batch.deleted].some((each) => each?.model === model)
  if (!isPending) return
  const { conditions, deleted } = batch
  await writeArtifacts(await context.write(), { conditions, deleted, stored })
  Object.assign(batch, { conditions: [], deleted: undefined })
  batch.stored.clear()
}

/**
 * Ends the batch and writes it. Returns the code or token that another request
 * had used before, if that is so.
 */
export async function writeBatch(context: TransactionContext): Promise<ArtifactBatch['used']> {
  const batch = context.artifacts
  context.artifacts = undefined
  if (!batch) return undefined
  const { conditions, used, deleted, audit } = batch
  const stored = [...batch.stored.values()]
  const removes = used !== undefined || deleted !== undefined
  if (!removes && conditions.length + stored.length + audit.length === 0) return undefined
  // If the browser session has ended, the consumption or deletion is undone.
  const isUndone = removes && stored.some(({ model, updateOnly }) => updateOnly && model === 'Session')
  const db = isUndone ? await context.write() : await context.read()
  const isFirst = await writeArtifacts(db, { conditions, used, deleted, stored, audit })
  return isFirst ? undefined : used
}

/**
 * 5 minutes, in seconds. The expiry of a browser session is rounded up to a multiple of this: the session is
 * replaced at each use, and while the rounded expiry is the same, no index of its row changes. The exact
 * expiry is `exp` of the payload, which the library checks.
 */
const STEP = sql.raw('300')

/** Placeholders, numbered in the order in which they are created. */
const placeholders = () => {
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

/** What a statement does: the number of its rows of each kind. */
type Shape = {
  conditions: WriteCondition[]
  uses: boolean
  deletes: boolean
  updates: boolean
  adds: number
  entries: number
}

const nameOf = ({ conditions, uses, deletes, updates, adds, entries }: Shape) =>
  [
    'write',
    ...conditions.map(({ name }) => name),
    Number(uses),
    Number(deletes),
    Number(updates),
    adds,
    entries,
  ].join('_')

/**
 * The threat: two requests with one code or refresh token must not both get tokens (RFC 6749 section 4.1.2,
 * RFC 9700 section 4.14.2), and a password or membership that ends meanwhile must not open a session. The
 * cost: a transaction adds two round trips, so one statement decides and writes. Nothing would undo a part of
 * it, so each step reads whether those before it have found their row:
 *
 * 1. lock the rows of the conditions: users and memberships before artifacts, as every transaction that ends
 *    sign-ins does, so that the two cannot deadlock;
 * 2. if all are met, consume the used artifact (`uses`) unless that is done, or delete one (`deletes`);
 * 3. if that found its row, update the browser session or the interaction (`updates`) if it still exists;
 * 4. if that did too, insert artifacts (`adds`) and audit entries (`entries`), and make the changes of the
 *    conditions.
 *
 * A consumption or deletion is done before step 3 is known: the caller rolls it back (`writeBatch`).
 */
function prepareWrite(shape: Shape) {
  const { conditions, uses, deletes, updates, adds, entries } = shape
  const { value, row } = placeholders()
  const parts: Record<string, SQL> = {}
  for (const { name, lock } of conditions) parts[name] = lock(value)
  const isMet = conditions.map(({ name }) => sql`exists (select from ${sql.raw(name)})`)
  const met = isMet.length > 0 ? sql.join(isMet, sql` and `) : sql`true`
  if (uses)
    parts.used = sql`update artifacts set consumed_at = statement_timestamp(), successor = ${value('bytea')}
      where model = ${value('text')} and id_hash = ${value('bytea')} and consumed_at is null and ${met} returning 1`
  if (deletes)
    parts.deleted = sql`delete from artifacts where model = ${value('text')} and id_hash = ${value('bytea')} and ${met} returning 1`
  const isFirst = uses ? sql`exists (select from used)` : sql`true`
  const isDeleted = deletes ? sql`exists (select from deleted)` : sql`true`
  const first = sql`${met} and ${isFirst} and ${isDeleted}`
  if (updates) {
    const it = row()
    parts.kept = sql`update artifacts set payload = ${it.payload}, sid = ${it.sid}, user_id = ${it.userId}, uid_hash = ${it.uidHash},
        user_code_hash = ${it.userCodeHash},
        expires_at = to_timestamp(ceil((extract(epoch from now()) + ${it.expiresIn}) / ${STEP}) * ${STEP})
      where model = ${it.model} and id_hash = ${it.idHash} and ${first} returning 1`
  }
  const updated = updates ? sql`exists (select from kept)` : sql`true`
  const isReady = sql`${first} and ${updated}`
  const rows = Array.from({ length: adds }, row).map(
    (it) =>
      sql`(${it.model}, ${it.idHash}, ${it.sid}, ${it.userId}, ${it.uidHash}, ${it.userCodeHash}, ${it.payload}, now() + make_interval(secs => ${it.expiresIn}))`,
  )
  if (adds > 0)
    parts.added = sql`insert into artifacts (model, id_hash, sid, user_id, uid_hash, user_code_hash, payload, expires_at)
      select * from (values ${sql.join(rows, sql`, `)}) as row where ${isReady}
      on conflict (model, id_hash) do update set payload = excluded.payload, sid = excluded.sid, user_id = excluded.user_id,
        uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at
      returning 1`
  if (entries > 0) parts.recorded = auditInsert(entries, value, isReady)
  for (const { name, changes } of conditions)
    for (const [nth, change] of changes(value, sql.raw(name), isReady).entries())
      parts[`${name}_changed_${nth}`] = sql`${change} returning 1`
  return prepared((db) =>
    db
      .with(...Object.entries(parts).map(([name, part]) => db.$with(name, {}).as(part)))
      .select({
        isMet: sql<boolean[]>`array[${isMet.length > 0 ? sql.join(isMet, sql`, `) : sql`true`}]`,
        isFirst: sql<boolean>`${isFirst}`,
        isDeleted: sql<boolean>`${isDeleted}`,
        isUpdated: sql<boolean>`${updated}`,
      })
      .from(sql`(select) one`)
      .prepare(nameOf(shape)),
  )
}

const statements = new Map<string, ReturnType<typeof prepareWrite>>()

/**
 * Executes the writes. Returns false, with nothing written, if the artifact to consume was used already.
 * Throws, with nothing written, the refusal of a condition that is not met, and `interaction_not_found` if
 * the interaction was deleted by a concurrent request. Throws `unavailable` if the browser session was: the
 * caller then rolls back a consumption or deletion. At most one artifact in `stored` may be `updateOnly`: the
 * browser session or the interaction.
 */
export async function writeArtifacts(
  db: Db,
  { conditions = [], used, deleted, stored, audit = [] }: ArtifactWrites,
): Promise<boolean> {
  const kept = stored.find(({ updateOnly }) => updateOnly)
  const added = stored.filter((artifact) => artifact !== kept)
  if (added.some(({ updateOnly }) => updateOnly))
    throw new Error('only one artifact of a request can be update-only')
  const shape: Shape = {
    conditions,
    uses: used !== undefined,
    deletes: deleted !== undefined,
    updates: kept !== undefined,
    adds: added.length,
    entries: audit.length,
  }
  const name = nameOf(shape)
  const statement = statements.get(name) ?? prepareWrite(shape)
  statements.set(name, statement)
  const values = conditions.flatMap(({ lockValues }) => lockValues)
  if (used) values.push(used.successor, used.model, used.idHash)
  if (deleted) values.push(deleted.model, deleted.idHash)
  for (const artifact of kept ? [kept, ...added] : added) values.push(...valuesOf(artifact))
  for (const entry of audit) values.push(...auditValues(entry))
  for (const { changeValues } of conditions) values.push(...changeValues)
  const [done] = await statement(db).execute({ ...values })
  const unmet = conditions.find((_, nth) => !done!.isMet[nth])
  if (unmet) throw unmet.refusal()
  if (!done!.isFirst) return false
  if (!done!.isDeleted || (!done!.isUpdated && kept?.model === 'Interaction'))
    throw new Failure('interaction_not_found')
  if (!done!.isUpdated)
    throw new Failure('unavailable', {
      detail: 'The browser was signed out by another request.',
      retryAfter: 1,
    })
  return true
}
