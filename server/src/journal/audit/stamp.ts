/**
 * The stamp of an audit entry: a keyed hash of what is not erased, written with the entry. Whoever can write
 * to the database, but does not have SECRET_KEY, cannot add an entry that the chain (chain/extend.ts)
 * accepts. The values are not part of it, because those of a deleted user are erased: they are hashed with
 * the block.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Seal } from '../../crypto/seal.ts'

/** The parts of an entry that are hashed. */
export type StampedEntry = {
  id: string
  action: string
  outcome: string
  actorType: string
  actorId: string | null
  actorVia: string | null
  actorAuthority: string | null
  targetType: string | null
  targetId: string | null
  systemId: string | null
  accountId: string | null
  requestId: string | null
}

/** Returns the stamp of an entry with these names of changed fields, 16 bytes. */
export type Stamp = (entry: StampedEntry, fields: string[]) => Buffer

export function stampOf(seal: Seal): Stamp {
  return (entry, fields) =>
    seal
      .hash(
        JSON.stringify([
          entry.id,
          entry.action,
          entry.outcome,
          entry.actorType,
          entry.actorId,
          entry.actorVia,
          entry.actorAuthority,
          entry.targetType,
          entry.targetId,
          entry.systemId?.toLowerCase() ?? null,
          entry.accountId?.toLowerCase() ?? null,
          entry.requestId,
          fields.toSorted(),
        ]),
        'audit-entry',
      )
      .subarray(0, 16)
}

export const isStamp = (given: Buffer | null, expected: Buffer): boolean =>
  given !== null && given.length === expected.length && timingSafeEqual(given, expected)

let own: Stamp | undefined

/** Stamps the entries of this process. Call it before the first one is recorded. */
export function stampEntries(seal: Seal): void {
  own = stampOf(seal)
}

export const stamp: Stamp = (entry, fields) => {
  if (!own) throw new Error('no key for the stamps of audit entries')
  return own(entry, fields)
}
