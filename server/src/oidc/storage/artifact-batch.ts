/**
 * The artifacts that the protocol library stores in one request are collected and written in
 * one statement when the library is done: a token request then needs no transaction, and a
 * refused request has written nothing.
 */
import {
  type ArtifactBatch,
  currentTransaction,
  type NewArtifact,
  type TransactionContext,
} from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { deleteArtifact } from '../../resources/artifacts/queries.ts'
import { writeArtifacts } from '../../resources/artifacts/write.ts'

/** Starts to collect, until `writeBatch`. Outside of a batch artifacts are written at once. */
export const startBatch = (context: TransactionContext): void => {
  context.artifacts = { used: undefined, deleted: undefined, stored: new Map(), audit: [] }
}

const currentBatch = (): ArtifactBatch | undefined => currentTransaction()?.artifacts

type ArtifactKey = Pick<NewArtifact, 'model' | 'idHash'>

const keyOf = ({ model, idHash }: ArtifactKey) => `${model}:${idHash.toString('hex')}`

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
  if (!context || !batch || (!batch.stored.size && !batch.deleted)) return
  const stored = [...batch.stored.values()]
  if (![...stored, batch.deleted].some((each) => each?.model === model)) return
  await deleteReplaced(context, batch)
  await writeArtifacts(await context.write(), { deleted: batch.deleted, stored })
  batch.stored.clear()
  batch.deleted = undefined
}

/**
 * A sign-in that requires another step stores its interaction again under the same id: one statement cannot
 * delete and insert a row.
 */
async function deleteReplaced(context: TransactionContext, batch: ArtifactBatch): Promise<void> {
  const { deleted, stored } = batch
  if (!deleted || !stored.has(keyOf(deleted))) return
  if (!(await deleteArtifact(await context.write(), deleted.model, deleted.idHash)))
    throw new Failure('interaction_not_found')
  batch.deleted = undefined
}

/**
 * Ends the batch and writes it. Returns the code or token that another request
 * had used before, if that is so.
 */
export async function writeBatch(context: TransactionContext): Promise<ArtifactBatch['used']> {
  const batch = context.artifacts
  context.artifacts = undefined
  if (!batch) return undefined
  await deleteReplaced(context, batch)
  const { used, deleted, audit } = batch
  const stored = [...batch.stored.values()]
  if (!used && !deleted && stored.length === 0 && audit.length === 0) return undefined
  // A pushed request that is used at /auth, together with a browser session: if the
  // session has ended, the use is undone.
  const db =
    used && stored.some(({ updateOnly }) => updateOnly) ? await context.write() : await context.read()
  const isFirst = await writeArtifacts(db, { used, deleted, stored, audit })
  return isFirst ? undefined : used
}
