/**
 * A cache of systems by client id, which the protocol reads with every request. The process that changes a
 * system removes it from its cache; the others may use the old values for up to a second.
 */
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { type Client, findClient } from './queries.ts'

/** 1 s, in ms. */
const TTL = 1_000
const ENTRIES_MAX = 10_000

type Entry = { asked: Promise<Client | undefined>; found?: Client }
type Cache = LRUCache<string, Entry>

/** By database, since a process may serve several (tests do). */
const caches = new WeakMap<Db, Cache>()

function cacheOf(db: Db): Cache {
  const cache = caches.get(db) ?? new LRUCache({ max: ENTRIES_MAX, ttl: TTL })
  caches.set(db, cache)
  return cache
}

/** The system of a client id if it was read within the last second. */
export const cachedClient = (db: Db, clientId: string): Client | undefined => cacheOf(db).get(clientId)?.found

/**
 * The system of a client id, read once for any number of concurrent requests. Unknown ids and
 * faults are not cached. Within a transaction, pass it as `handle`: a read of another request may
 * be waiting for that very transaction.
 */
export async function clientOf(db: Db, clientId: string, handle: Db = db): Promise<Client | undefined> {
  const cache = cacheOf(db)
  const cached = cache.get(clientId)
  if (handle !== db) return cached?.found ?? findClient(handle, clientId)
  if (cached) return cached.asked
  const entry: Entry = { asked: findClient(db, clientId) }
  cache.set(clientId, entry)
  // A read that began before `forgetClient` may be of an entry that is no longer the cached one.
  const drop = () => void (cache.peek(clientId) === entry && cache.delete(clientId))
  entry.asked.then((found) => (found ? Object.assign(entry, { found }) : drop()), drop)
  return entry.asked
}

/** Removes a system from the cache once the transaction that changes or deletes it has committed. */
export const forgetClient = (db: Db, clientId: string): void =>
  afterCommit(() => void cacheOf(db).delete(clientId))
