/** What is hashed of an audit entry and of a block of entries: SHA-256 of JSON with a name of the format. */
import { createHash } from 'node:crypto'
import type { StampedEntry } from '../stamp.ts'

/** An entry as it is hashed: every value as text, as PostgreSQL writes it. */
export type HashedEntry = StampedEntry & {
  /** Microseconds since 1970. */
  time: string
  /** jsonb */
  changes: string
  /** IP address and user agent of the sender. */
  sender: string
}

/** The hashes of what is erased when a user is deleted. */
export type ErasableHashes = { changes: Buffer; sender: Buffer }

export type BlockContent = {
  number: number
  previous: Buffer
  oldest: number
  entries: number
  root: Buffer
  /** ISO 8601, as is `closedAt`. */
  newestTime: string | null
  closedAt: string
}

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** With random bytes, so that the erased values cannot be found by hashing guesses. */
export const saltedHash = (salt: Buffer, text: string): Buffer => sha256(salt, text)

/** The names of the changed fields are hashed with the rest, because they are not erased. */
export function hashOfEntry({ changes, sender: _, ...rest }: HashedEntry, erasable: ErasableHashes): Buffer {
  const fields = Object.keys(JSON.parse(changes)).sort()
  const kept = FIELDS.map((name) => rest[name])
  const hashes = [erasable.changes.toString('hex'), erasable.sender.toString('hex')]
  return sha256(JSON.stringify(['tenantry.audit.entry.1', ...kept, fields, ...hashes]))
}

/** The fields in the order in which they are hashed. */
const FIELDS = [
  'id',
  'time',
  'action',
  'outcome',
  'actorType',
  'actorId',
  'actorVia',
  'actorAuthority',
  'targetType',
  'targetId',
  'systemId',
  'accountId',
  'requestId',
] as const

export const blockRootOf = (hashes: Buffer[]): Buffer => sha256(...hashes)

export function hashOfBlock(block: BlockContent): Buffer {
  const { number, previous, oldest, entries, root, newestTime, closedAt } = block
  const values = [
    number,
    previous.toString('hex'),
    oldest,
    entries,
    root.toString('hex'),
    newestTime,
    closedAt,
  ]
  return sha256(JSON.stringify(['tenantry.audit.block.1', ...values]))
}
