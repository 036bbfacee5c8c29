/**
 * Audit entries of refused requests, which a caller can repeat without limit: the first ones of each caller
 * and minute are recorded, the others are counted. The next recorded entry of the caller has their number as
 * `omitted`. All callers of a system together have a limit as well, since one sender can use many addresses.
 * Counted in the memory of the process, since a refused request needs no statement.
 */
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { siteOf } from '../../http/ip-address.ts'
import type { SignInReason } from '../../http/refusals.ts'
import { countLogin, isLogin } from '../stats/logins.ts'
import { type AuditEntry, record } from './record.ts'

/** Recorded entries of one caller and action in a minute. */
const RECORDED_MAX = 60
/**
 * The limit for all callers of one system, and for all entries without a system. Administrators and services
 * of a system have their own share: its users must not be able to hide them.
 */
const OF_SYSTEM_MAX = 600
const MINUTE = 60_000

type Count = { since: number; recorded: number; omitted: number }
/**
 * Callers and systems have separate counts: an attacker with many addresses evicts counts of callers only.
 */
const counts = {
  callers: new LRUCache<string, Count>({ max: 10_000 }),
  systems: new LRUCache<string, Count>({ max: 10_000 }),
}

/** The authenticated caller, otherwise the network. Undefined for loopback, which all clients may share. */
function callerOf({ type, id, ip }: Actor): string | undefined {
  const network = type === 'anonymous' ? siteOf(ip) : id
  return network === null || network === undefined ? undefined : `${type} ${network}`
}

/** Notes a refused sign-in for the log. The reason is that of the audit entry. */
export function noteRefusedSignIn({ refusalNote }: Actor, { systemId, changes = {} }: AuditEntry): void {
  const [, reason] = changes.reason ?? changes.code ?? [null, 'provider']
  refusalNote?.note({ kind: 'sign_in', reason: reason as SignInReason, systemId })
}

function countOf(known: LRUCache<string, Count>, key: string): Count {
  const now = Date.now()
  const before = known.get(key)
  if (before && now - before.since < MINUTE) return before
  const count = { since: now, recorded: 0, omitted: before?.omitted ?? 0 }
  known.set(key, count)
  return count
}

/** The omitted entries of several counts, which the next entry reports. */
function takeOmitted(...reported: Count[]): number {
  const omitted = reported.reduce((sum, count) => sum + count.omitted, 0)
  for (const count of reported) Object.assign(count, { recorded: count.recorded + 1, omitted: 0 })
  return omitted
}

/**
 * Records an entry about a refused request, unless its caller or its system has reached the limit of this
 * minute. `write`: `record`, or `recordWithArtifacts` for an entry that is written with the other rows of the
 * request.
 */
export async function recordRefused(
  db: Db,
  actor: Actor,
  entry: AuditEntry,
  write: (db: Db, actor: Actor, entry: AuditEntry) => Promise<void> = record,
): Promise<void> {
  if (entry.action !== 'access.denied') noteRefusedSignIn(actor, entry)
  const caller = callerOf(actor)
  if (caller === undefined) return write(db, actor, entry)
  const ofCaller = countOf(counts.callers, `${caller} ${entry.action}`)
  const ofSystem = countOf(counts.systems, `${entry.systemId ?? ''} ${actor.authority ?? ''} ${entry.action}`)
  const full = [
    ...(ofCaller.recorded >= RECORDED_MAX ? [ofCaller] : []),
    ...(ofSystem.recorded >= OF_SYSTEM_MAX ? [ofSystem] : []),
  ]
  if (full[0]) {
    full[0].omitted += 1
    if (isLogin(entry)) countLogin(entry)
    return
  }
  const omitted = takeOmitted(ofCaller, ofSystem)
  const changes =
    omitted > 0 ? { ...entry.changes, omitted: [null, omitted] as [unknown, unknown] } : entry.changes
  await write(db, actor, { ...entry, ...(changes && { changes }) })
}
