/**
 * The rows that a request of the protocol collects in its transaction context (transaction.ts), and that one
 * statement writes at its end (resources/artifacts/write.ts).
 */
import type { SQL } from './drizzle.ts'
import type { artifacts, audit } from './schema.ts'

export type NewArtifact = Pick<
  typeof artifacts.$inferInsert,
  'model' | 'idHash' | 'sid' | 'userId' | 'uidHash' | 'userCodeHash'
> & {
  payload: Record<string, unknown>
  /** Seconds from the database's now. */
  expiresIn: number
  /** Replaces an existing row and is never inserted. */
  updateOnly: boolean
}

/**
 * A row that the writes of a request depend on, and a change that is made with them. If the row does not meet
 * the condition, nothing is written and `refusal` is thrown. `value` creates the next placeholder, in the
 * order of the values.
 */
export type WriteCondition = {
  name: string
  /** A SELECT that locks the row if it meets the condition. */
  lock: (value: (type: string) => SQL) => SQL
  lockValues: unknown[]
  /** Statements that change rows if `isReady`. `locked` is the result of the SELECT. */
  changes: (value: (type: string) => SQL, locked: SQL, isReady: SQL) => SQL[]
  changeValues: unknown[]
  refusal: () => Error
}

/** The rows that a protocol request writes in one statement at its end (resources/artifacts). */
export type ArtifactBatch = {
  conditions: WriteCondition[]
  /** The code or refresh token that the request uses, and the sealed successor to store beside it. */
  used: { model: string; idHash: Buffer; successor: Buffer | null } | undefined
  /** The interaction that the request ends. */
  deleted: { model: string; idHash: Buffer } | undefined
  /** The new artifacts by model and hash of the id. */
  stored: Map<string, NewArtifact>
  audit: NewAuditRow[]
}

export type NewAuditRow = Required<Omit<typeof audit.$inferInsert, 'time'>>

/** The key by which an artifact is stored and found. */
export type ArtifactKey = Pick<NewArtifact, 'model' | 'idHash'>

export type ArtifactWrites = Partial<Omit<ArtifactBatch, 'stored'>> & { stored: NewArtifact[] }
