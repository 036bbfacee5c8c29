import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'

/** 2 s, in ms: the health check responds even if the database does not. */
const PING_MAX = 2_000

/** Whether the database answers. Never throws. */
export async function databaseAnswers(db: Db): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PING_MAX, false)
  })
  const answer = db.execute(sql`select 1`).then(
    () => true,
    () => false,
  )
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
