/**
 * Systems by their client id, as the protocol asks for them many times a second. A process that changes a system forgets
 * it at once; the others hold it for a second at most.
 */
import type { Db } from '../db.ts'
import { type Client, findClient } from './queries.ts'

const HELD_MS = 1_000
/** More systems than this in use within a second, and all are read again. */
const HELD_MAX = 10_000

type Held = Map<string, { until: number; client: Promise<Client | undefined> }>

/** By database, since a process may serve more than one (tests do). */
const databases = new WeakMap<Db, Held>()

function heldOf(db: Db): Held {
  const held = databases.get(db) ?? new Map()
  databases.set(db, held)
  return held
}

/** The system of a client id; one query for any number of requests at once. Unknown ids and faults are not held. */
export function clientOf(db: Db, clientId: string): Promise<Client | undefined> {
  const held = heldOf(db)
  const known = held.get(clientId)
  if (known && known.until > performance.now()) return known.client
  if (held.size >= HELD_MAX) held.clear()
  const client = findClient(db, clientId)
  const entry = { until: performance.now() + HELD_MS, client }
  held.set(clientId, entry)
  const drop = () => void (held.get(clientId) === entry && held.delete(clientId))
  client.then((found) => found ?? drop(), drop)
  return client
}

/** After the transaction that changed or deleted it. */
export const forgetClient = (db: Db, clientId: string): void => void heldOf(db).delete(clientId)
