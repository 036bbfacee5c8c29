import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { isReadOnlyServer } from '../../database/faults.ts'
import { installation } from '../../database/schema.ts'

/** 2 s, in ms: the health check responds even if the database does not. */
const PING_MAX = 2_000

/** `read_only`: it answers and refuses writes. */
export const DATABASE_STATES = ['ok', 'read_only', 'unavailable'] as const
type DatabaseState = (typeof DATABASE_STATES)[number]

/**
 * A read-only server refuses it (SQLSTATE 25006), as it refuses a write, and its connection is replaced: the
 * next check meets the server that has been promoted, or the setting that has been corrected. It locks no
 * row.
 */
const LOCK_NOTHING = sql`select from ${installation} where false for key share`

/** Whether the database answers and accepts writes. Never throws. */
export async function stateOfDatabase(db: Db): Promise<DatabaseState> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DatabaseState>((resolve) => {
    timer = setTimeout(resolve, PING_MAX, 'unavailable')
  })
  const answer = db.execute(LOCK_NOTHING).then(
    () => 'ok' as const,
    (error: unknown) => (isReadOnlyServer(error) ? 'read_only' : 'unavailable'),
  )
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
