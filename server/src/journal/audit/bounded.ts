/** A bound for what an entry of the audit log stores of a value that a tenant has chosen. */
import { createHash } from 'node:crypto'

/** In bytes of JSON, of the old and the new value of a field together. */
const FIELD_MAX = 2_048
/** In bytes of JSON: a value that remains when both together are too large. */
const VALUE_MAX = 900

type Pair = [unknown, unknown]

const bytesOf = (json: string | undefined): number => (json === undefined ? 0 : Buffer.byteLength(json))

/** The value, or its size and SHA-256 by which a copy of it is recognized. */
function valueOrDigest(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (bytesOf(json) <= VALUE_MAX) return value
  return { bytes: bytesOf(json), sha256: createHash('sha256').update(json).digest('hex') }
}

/** The changes of an entry with at most 2 kB per field. */
export function boundedChanges(changes: Record<string, Pair>): Record<string, Pair> {
  const isLarge = (pair: Pair) => bytesOf(JSON.stringify(pair)) > FIELD_MAX
  const fields = Object.entries(changes)
  if (!fields.some(([, pair]) => isLarge(pair))) return changes
  return Object.fromEntries(
    fields.map(([field, pair]) => [
      field,
      isLarge(pair) ? [valueOrDigest(pair[0]), valueOrDigest(pair[1])] : pair,
    ]),
  )
}
