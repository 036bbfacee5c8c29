/**
 * `npm run bench:fill`: fills an empty PostgreSQL with a large installation: a million users, two million
 * memberships, ten million audit entries, and the related rows (world.ts).
 *
 *   --users N      a different number of users; everything else in proportion
 *   --keep FOLDER  starts a PostgreSQL in that folder, created if missing, instead of using DATABASE_URL
 *   --serve        keeps that PostgreSQL running until interrupted
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openPostgres } from '../server/src/database/connections/postgres.ts'
import { startPostgres } from '../server/test/support/postgres.ts'
import { stepsOf } from './world.ts'

/** Rows per statement, which takes some seconds. */
const BATCH = 250_000
/** Settings for a server of this size; the defaults of PostgreSQL are for a small one. */
export const SETTINGS = [
  'shared_buffers=1GB',
  'effective_cache_size=8GB',
  'max_wal_size=8GB',
  'checkpoint_timeout=15min',
]

const print = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`
const round = (count: number) => count.toLocaleString('en')

/** Fills an empty, migrated database. A failure is not rolled back: start again with an empty database. */
export async function fill(client: pg.Client, users: number): Promise<void> {
  const began = performance.now()
  // Disables the triggers of foreign keys; requires a superuser.
  await client
    .query('set session_replication_role = replica')
    .catch(() => print('Not a superuser: every foreign key is checked.'))
  await client.query(
    `set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off; set jit = off`,
  )
  const indexes = await dropIndexes(client)
  for (const { table, rows, statement, whole } of await stepsOf(users)) {
    const since = performance.now()
    for (let from = 1; from <= rows; from += BATCH) {
      const to = whole ? rows : Math.min(rows, from + BATCH - 1)
      await client.query(statement(from, to))
      if (rows >= 4 * BATCH && to < rows)
        print(`  ${table}: ${round(to)} of ${round(rows)} after ${seconds(since)}`)
      if (whole) break
    }
    print(`${table}: about ${round(rows)} rows in ${seconds(since)}`)
  }
  for (const { name, definition } of indexes) {
    const since = performance.now()
    await client.query(definition)
    print(`${name} in ${seconds(since)}`)
  }
  const since = performance.now()
  // Index-only scans require an up-to-date visibility map.
  await client.query('vacuum (analyze)')
  await client.query('checkpoint').catch(() => {})
  print(`vacuum in ${seconds(since)}\nFilled in ${seconds(began)}.`)
}

/** Builds indexes without a constraint afterwards, which is faster than inserting each row into them. */
async function dropIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select c.relname as name, pg_get_indexdef(i.indexrelid) || coalesce((
      select string_agg(format('; alter index %I alter column %s set statistics %s', c.relname, a.attnum, a.attstattarget), '')
      from pg_attribute a where a.attrelid = c.oid and a.attstattarget >= 0), '') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and not i.indisunique order by i.indrelid::regclass::text, c.relname`)
  if (rows.length > 0) await client.query(`drop index ${rows.map(({ name }) => `"${name}"`).join()}`)
  return rows
}

/** Whether the database contains more than a first start creates. */
async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'select from systems where not platform union all (select from users offset 1) limit 1',
  )
  return rows.length === 0
}

async function report(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; rows: number | null; bytes: number }>(`
    select c.relname as name, case when c.relkind = 'r' then c.reltuples::float8 end as rows, pg_relation_size(c.oid)::float8 as bytes
    from pg_class c left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > 1000000
    order by coalesce(i.indrelid, c.oid)::regclass::text, c.relkind desc, pg_relation_size(c.oid) desc`)
  for (const { name, rows: count, bytes } of rows) {
    const size = `${(bytes / 1_000_000).toFixed(0).padStart(7)} MB`
    print(count === null ? `${size}    ${name}` : `${size}  ${name}: ${round(count)} rows`)
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '1000000' },
      keep: { type: 'string' },
      serve: { type: 'boolean' },
    },
  })
  const users = Number(values.users)
  const given = process.env.DATABASE_URL
  if (!Number.isInteger(users) || users < 1_000)
    throw new Error('--users must be a whole number of at least 1000')
  if (!given && !values.keep) throw new Error('Set --keep FOLDER or DATABASE_URL.')
  const postgres = values.keep
    ? await startPostgres({ durable: true, keep: values.keep, settings: SETTINGS })
    : undefined
  const url = postgres?.url ?? given!
  try {
    await (await openPostgres(url, 1)).close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      if (await isEmpty(client)) {
        await fill(client, users)
        await report(client)
      } else {
        print('The database is not empty. Nothing was inserted.')
        if (!values.serve) process.exitCode = 1
      }
    } finally {
      await client.end() // before the server stops, which would end the process with an error of its own
    }
    if (postgres && values.serve) {
      print(`DATABASE_URL=${postgres.url}`)
      const staying = setInterval(() => {}, 60_000)
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
      clearInterval(staying)
    }
  } finally {
    await postgres?.close()
  }
}

if (import.meta.main) await main()
