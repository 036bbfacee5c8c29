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
  type WriteCondition,
} from '../../database/transaction.ts'
import { writeArtifacts } from '../../resources/artifacts/write.ts'

/** Starts to collect, until `writeBatch`. Outside of a batch artifacts are written at once. */
export const startBatch = (context: TransactionContext): void => {
  context.artifacts = { conditions: [], used: undefined, deleted: undefined, stored: new Map(), audit: [] }
}

const currentBatch = (): ArtifactBatch | undefined => currentTransaction()?.artifacts

type ArtifactKey = Pick<NewArtifact, 'model' | 'idHash'>

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
