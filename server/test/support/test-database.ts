/** The database of a test process: PGlite in memory, or a new one on the server of DATABASE_URL. */

import type { Queries } from '../../src/database/connections/driver-errors.ts'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { currentTransaction } from '../../src/database/transaction.ts'
import { createDatabase, executeFile } from './postgres.ts'

/**
 * How many times as long as in production requests wait: many sent at once take longer on a busy machine,
 * and a wait that ends with 503 is no result of theirs. Tests of these limits start server processes.
 */
export const PATIENCE = 5

/**
 * Opens it. `cleanUps`, in reverse order, close and drop it. TEST_TEMPLATE: a database to copy. TEST_SQL: a
 * file that is executed after the migrations.
 */
export async function openTestDatabase(cleanUps: (() => Promise<unknown>)[]): Promise<Database> {
  const { DATABASE_URL: server, TEST_TEMPLATE: template, TEST_SQL: file } = process.env
  if (!server) {
    const embedded = await openPglite()
    cleanUps.push(() => embedded.close())
    return embedded
  }
  const { url, drop } = await createDatabase(server, template && `template ${template}`)
  cleanUps.push(drop)
  const opened = await openPostgres(url, 10, { migrations: 'start', patience: PATIENCE })
  cleanUps.push(() => opened.close())
  if (file) await executeFile(url, file)
  return refusingBesideTransactions(opened)
}

/**
 * A statement of a request on another connection than that of its open transaction waits forever on PGlite.
 * Here it throws, so that tests on PostgreSQL find it as well.
 */
function refusingBesideTransactions(database: Database): Database {
  const { db } = database
  const refuse = () => {
    if (currentTransaction()?.isOpen)
      throw new Error('A statement beside the open transaction of its request')
  }
  for (const handle of [db, db.reads!] as { $client?: Queries }[]) {
    const client = handle.$client!
    const query = client.query.bind(client)
    client.query = async (...given) => {
      refuse()
      return query(...given)
    }
  }
  const transaction = db.transaction
  db.transaction = function (this: Db, ...given: Parameters<typeof transaction>) {
    refuse()
    return transaction.apply(this, given)
  } as typeof transaction
  return database
}
