import type { Db } from '../../database/database.ts'
import { sql } from '../../tuning/drizzle.ts'

/** 2 s, in ms: whoever asks for our health wants an answer, above all when the database has none. */
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
