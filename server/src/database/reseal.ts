/** Encrypts the stored secrets of a table again under SECRET_KEY (`npm run secrets:rotate`). */
import type { Seal } from '../crypto/seal.ts'
import { type PgColumn, type SQL, sql } from './drizzle.ts'

/** Rows that are read at once. */
export const RESEAL_BATCH = 200

/** Whether a value is sealed under another key than SECRET_KEY. */
export const isSealedElsewhere = (seal: Seal, column: PgColumn): SQL =>
  sql`substring(${column} from 1 for ${sql.raw(String(seal.keyId.length))}) <> ${seal.keyId}`

export const resealed = (seal: Seal, sealed: Buffer, context: string): Buffer =>
  seal.seal(seal.open(sealed, context), context)

type Rows<Row> = {
  /** Up to RESEAL_BATCH rows that are sealed under another key. */
  next(): Promise<Row[]>
  /** Writes the row with the new value, unless its value has changed meanwhile. */
  replace(row: Row): Promise<unknown>
}

/** Returns how many rows were replaced. */
export async function resealRows<Row>({ next, replace }: Rows<Row>): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await next()
    if (rows.length === 0) return count
    for (const row of rows) await replace(row)
    count += rows.length
  }
}
