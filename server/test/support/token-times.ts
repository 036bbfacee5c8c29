/** The time of sessions and tokens, which the database decides. */
import type { Db } from '../../src/database/database.ts'
import { eq, sql } from '../../src/database/drizzle.ts'
import { artifacts, sessions } from '../../src/database/schema.ts'

/** Moves the times of a session back: everything of it was issued and used so many seconds earlier. */
export async function passTimeOf(db: Db, sid: string, seconds: number): Promise<void> {
  const age = sql`make_interval(secs => ${seconds}::int)`
  await db
    .update(artifacts)
    .set({
      expiresAt: sql`expires_at - ${age}`,
      consumedAt: sql`consumed_at - ${age}`,
      payload: sql`payload || (select coalesce(jsonb_object_agg(key, value::bigint - ${seconds}::int), '{}')
        from jsonb_each_text(payload) where key in ('iat', 'iiat', 'exp'))`,
    })
    .where(eq(artifacts.sid, sid))
  await db
    .update(sessions)
    .set({ expiresAt: sql`expires_at - ${age}` })
    .where(eq(sessions.sid, sid))
}
