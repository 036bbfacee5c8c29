/**
 * What the protocol library stores in a request is gathered and written in one statement when the library is done: a
 * token then needs no transaction of its own, and whoever is refused has written nothing.
 */
import { type UnitOfWork, unitOfWork } from '../../database/database.ts'
import { type NewArtifact, type Written, writeArtifacts } from './queries.ts'

type Gathered = { used: Written['used']; stored: Map<string, Written['stored'][number]> }

const GATHERED = Symbol('gathered')
type Gathering = UnitOfWork & { [GATHERED]?: Gathered | undefined }

/** From now on, until `writeGathered`. Elsewhere (a step of ours that ends an interaction) things are written at once. */
export const beginGathering = (unit: UnitOfWork): void => {
  ;(unit as Gathering)[GATHERED] = { used: undefined, stored: new Map() }
}

const gathering = (): Gathered | undefined => (unitOfWork() as Gathering | undefined)?.[GATHERED]

const keyOf = ({ model, idHash }: Pick<NewArtifact, 'model' | 'idHash'>) =>
  `${model}:${idHash.toString('hex')}`

/** Adds or replaces what the library stores; what is `standing` is only ever replaced. False where nothing is gathered. */
export function gatherStored(artifact: Written['stored'][number]): boolean {
  return gathering()?.stored.set(keyOf(artifact), artifact) !== undefined
}

/** Uses up a code or a refresh token: the answer goes out only if nobody used it before. False where nothing is gathered. */
export function gatherUse(model: string, idHash: Buffer): boolean {
  const gathered = gathering()
  if (gathered) gathered.used = { model, idHash, successor: null }
  return gathered !== undefined
}

/** Keeps the sealed successor of the refresh token that this request uses. */
export function gatherSuccessor(idHash: Buffer, successor: Buffer): void {
  const used = gathering()?.used
  if (used?.idHash.equals(idHash)) used.successor = successor
}

/** What is taken away again before it was written. */
export const dropStored = (artifact: Pick<NewArtifact, 'model' | 'idHash'>): void =>
  void gathering()?.stored.delete(keyOf(artifact))

/** The library looks for what it may have stored just before: then that is written first. */
export async function settleStored(model: string): Promise<void> {
  const unit = unitOfWork()
  const stored = [...(gathering()?.stored.values() ?? [])]
  if (!unit || !stored.some((each) => each.model === model)) return
  await writeArtifacts(await unit.write(), { used: undefined, stored })
  gathering()?.stored.clear()
}

/** Writes all of it, through the request's transaction if it has one. Answers what was used by another before, if it was. */
export async function writeGathered(unit: UnitOfWork): Promise<Written['used']> {
  const gathered = (unit as Gathering)[GATHERED]
  ;(unit as Gathering)[GATHERED] = undefined
  if (!gathered || (!gathered.used && gathered.stored.size === 0)) return undefined
  const { used, stored } = gathered
  const all = [...stored.values()]
  // A use and what stands together (a pushed request at /auth): in a transaction, so that the use is undone if that is gone.
  const db = used && all.some(({ standing }) => standing) ? await unit.write() : await unit.read()
  const isFirst = await writeArtifacts(db, { used, stored: all })
  return isFirst ? undefined : used
}
