import { currentRequestTime } from '../../request-time.ts'

/** Bytes that a row takes beside its values, with its entries in indexes. Those of `limits` are reused. */
const ROW = 1_200
const ROW_OF_LIMITS = 250
/** What a value takes for each of its bytes: pages are not full, and parts of long values have headers. */
const SHARE = 1.4

/** `for update` only locks, and `do update` is a part of an insert. */
const WRITES = /\binsert into\b|(?<!\b(?:for|key|do) )\bupdate\b/i

const bytesOf = (value: unknown): number =>
  typeof value === 'string'
    ? Buffer.byteLength(value)
    : value instanceof Uint8Array
      ? value.length
      : Array.isArray(value)
        ? value.reduce<number>((sum, each) => sum + bytesOf(each), 0)
        : 16

/** The bytes on disk of rows with these values, approximately. */
export const bytesOnDisk = (rows: number, values: unknown): number => rows * ROW + SHARE * bytesOf(values)

/**
 * Counts what a statement is about to write, if the request that executes it is of an unknown sender
 * (authentication/anonymous-writes.ts). All statements of a request pass here, so that none is forgotten.
 */
export function countWrite(statement: string | { text: string }, values: readonly unknown[] = []): void {
  const before = currentRequestTime()?.beforeWrite
  if (!before) return
  const text = typeof statement === 'string' ? statement : statement.text
  if (!WRITES.test(text)) return
  const row = /^insert into "limits"/.test(text) ? ROW_OF_LIMITS - ROW : 0
  before(bytesOnDisk(1, values) + row)
}
