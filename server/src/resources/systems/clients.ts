/**
 * Systems by their client id, as the protocol asks for them many times a second. A process that changes a system forgets
 * it at once; the others hold it for a second at most.
 */
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { type Client, findClient } from './queries.ts'

const HELD_MS = 1_000
/** More systems than this in use within a second, and all are read again. */
const HELD_MAX = 10_000

type Entry = { until: number; asked: Promise<Client | undefined>; found?: Client }
type Held = Map<string, Entry>

/** By database, since a process may serve more than one (tests do). */
const databases = new WeakMap<Db, Held>()

function heldOf(db: Db): Held {
  const held = databases.get(db) ?? new Map()
  databases.set(db, held)
  return held
}

/** The system of a client id if it was read within the last second. */
export function cachedClient(db: Db, clientId: string): Client | undefined {
  const known = heldOf(db).get(clientId)
  return known && known.until > performance.now() ? known.found : undefined
}

/**
 * The system of a client id; one query for any number of requests at once. Unknown ids and faults are not held.
 * Inside a transaction, give it as `handle`: a query of others may be waiting for the end of that very transaction.
 */
export async function clientOf(db: Db, clientId: string, handle: Db = db): Promise<Client | undefined> {
  const held = heldOf(db)
  const known = held.get(clientId)
  const fresh = known !== undefined && known.until > performance.now()
  if (handle !== db) return (fresh && known.found) || findClient(handle, clientId)
  if (fresh) return known.asked
  if (held.size >= HELD_MAX) held.clear()
  const entry: Entry = { until: performance.now() + HELD_MS, asked: findClient(db, clientId) }
  held.set(clientId, entry)
  const drop = () => void (held.get(clientId) === entry && held.delete(clientId))
  entry.asked.then((found) => (found ? Object.assign(entry, { found }) : drop()), drop)
  return entry.asked
}

/** After the transaction that changed or deleted it. */
export const forgetClient = (db: Db, clientId: string): void =>
  afterCommit(() => void heldOf(db).delete(clientId))
