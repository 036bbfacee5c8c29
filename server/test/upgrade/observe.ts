/** Observes a database during an upgrade. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

type Query = (statement: string) => Promise<Record<string, unknown>[]>

/** Reads one row of users every few ms, and measures how long the slowest read took. */
export async function watchReads(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const state = { isOver: false, slowest: 0 }
  const reading = (async () => {
    while (!state.isOver) {
      const began = performance.now()
      await client.query('select id from users limit 1')
      state.slowest = Math.max(state.slowest, performance.now() - began)
      await pause(3)
    }
    await client.end()
  })()
  return {
    reset() {
      state.slowest = 0
    },
    slowest: () => Math.round(state.slowest),
    async end() {
      state.isOver = true
      await reading
    },
  }
}

/** Columns, indexes, constraints, triggers and functions, one line each. Not the order of columns. */
export async function schemaOf(query: Query): Promise<string[]> {
  const rows = await query(`
    select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select 'function ' || proname from pg_proc
      where pronamespace = 'public'::regnamespace and prolang = (select oid from pg_language where lanname = 'plpgsql')
    order by 1`)
  return rows.map(({ line }) => String(line))
}
