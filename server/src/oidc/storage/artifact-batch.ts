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
import { writeArtifacts } from '../../resources/artifacts/write.ts'

/**
 * Starts to collect, until `writeBatch`. Outside of a batch (a step of the interaction that ends, for
 * example) artifacts are written at once.
 */
export const startBatch = (context: TransactionContext): void => {
  context.artifacts = { used: undefined, stored: new Map() }
}

const currentBatch = (): ArtifactBatch | undefined => currentTransaction()?.artifacts

const keyOf = ({ model, idHash }: Pick<NewArtifact, 'model' | 'idHash'>) =>
  `${model}:${idHash.toString('hex')}`

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
export const unbatch = (artifact: Pick<NewArtifact, 'model' | 'idHash'>): void =>
  void currentBatch()?.stored.delete(keyOf(artifact))

/**
 * Writes the collected artifacts before the library reads one of this model, since it
 * may read what it has just stored.
 */
export async function flushBatch(model: string): Promise<void> {
  const context = currentTransaction()
  const stored = context?.artifacts?.stored
  if (!context || !stored?.size) return
  const artifacts = [...stored.values()]
  if (!artifacts.some((each) => each.model === model)) return
  await writeArtifacts(await context.write(), { used: undefined, stored: artifacts })
  stored.clear()
}

/**
 * Ends the batch and writes it. Returns the code or token that another request
 * had used before, if that is so.
 */
export async function writeBatch(context: TransactionContext): Promise<ArtifactBatch['used']> {
  const batch = context.artifacts
  context.artifacts = undefined
  if (!batch || (!batch.used && batch.stored.size === 0)) return undefined
  const { used } = batch
  const stored = [...batch.stored.values()]
  // A pushed request that is used at /auth, together with a browser session: if the
  // session has ended, the use is undone.
  const db =
    used && stored.some(({ updateOnly }) => updateOnly) ? await context.write() : await context.read()
  const isFirst = await writeArtifacts(db, { used, stored })
  return isFirst ? undefined : used
}
