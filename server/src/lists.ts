/**
 * A page of a list, newest first, and how many there are: in two statements, as fast in a million rows as in a hundred
 * (decision 0021).
 *
 * The ids of what matches are gathered up to a bound, in the order in which an index yields them. When that was all, the
 * page is sorted out of them and their number is known. When there is more, it is looked for among the newest; only where
 * these do not fill the page all that matches is sorted.
 */
import type { Db } from './db.ts'
import { type AnyPgColumn, type PgColumn, type SQL, sql } from './drizzle.ts'
import { containing, type PageRequest, slice } from './shapes.ts'

/** So many are counted; gathering them takes some 20 ms. */
const COUNTED_MAX = 10_000
/** So many of the newest rows are looked at before all that matches is sorted: some 20 ms. */
const RECENT = 20_000
/** So many are sorted at most; with more the newest are walked, wherever they are. */
const SORTED_MAX = 50_000

export type Listed<Row> = { rows: Row[]; total: number }

/**
 * `matching` selects the `id` and the `time` of all that matches, in no order; `read` reads the rows of some ids, in any
 * order. `total` is exact up to COUNTED_MAX and on the last page; else there are at least so many, and always more than
 * the pages so far hold. `time`: the column it comes of, with an index of its own, where what matches may all be old.
 */
export async function listNewest<Row extends { id: string }>(
  db: Db,
  page: PageRequest,
  matching: SQL,
  read: (ids: string[]) => Promise<Row[]>,
  time?: PgColumn,
): Promise<Listed<Row>> {
  const { limit, offset } = slice(page)
  const cut = sql`order by m.time desc, m.id desc limit ${limit + 1} offset ${offset}`
  // One more is read than asked for, to know whether there is a next page. PostgreSQL runs only the branch it takes.
  const [found] = await db.select({ total: sql<number>`total`, ids: sql<string[]>`ids` }).from(sql`(
    with matches as materialized (select id, time from (${matching}) m limit ${COUNTED_MAX + 1}),
      counted as (select count(*)::int as total from matches)
    select total, case when total <= ${COUNTED_MAX} then array(select m.id::text from matches m ${cut})
      else ${time && offset <= COUNTED_MAX ? lookNearFirst(matching, time, cut, limit) : idsOf(matching, cut)} end as ids
    from counted) as page`)
  const { total, ids } = found!
  const taken = ids.slice(0, limit)
  const rows = new Map(taken.length === 0 ? [] : (await read(taken)).map((row) => [row.id, row]))
  return { rows: taken.flatMap((id) => rows.get(id) ?? []), total: totalOf(total, offset, ids.length, limit) }
}

const idsOf = (matching: SQL, cut: SQL) => sql`array(select m.id::text from (${matching}) m ${cut})`

/** The page out of the newest rows of all; where these don't fill it, out of all that matches, unless that is far too much. */
function lookNearFirst(matching: SQL, time: PgColumn, cut: SQL, limit: number): SQL {
  const since = sql`select ${time} from ${time.table} order by ${time} desc limit 1 offset ${RECENT}`
  const recent = sql`select * from (${matching}) m where m.time >= coalesce((${since}), '-infinity')`
  return sql`(with recent as materialized (select ${idsOf(recent, cut)} as ids),
      more as materialized (select id, time from (${matching}) m limit ${SORTED_MAX + 1})
    select case when cardinality(ids) > ${limit} then ids
      when (select count(*) from more) <= ${SORTED_MAX} then ${idsOf(sql`select * from more`, cut)}
      else ${idsOf(matching, cut)} end
    from recent)`
}

function totalOf(counted: number, offset: number, found: number, limit: number): number {
  if (counted <= COUNTED_MAX || found === 0) return counted
  return found > limit ? Math.max(counted, offset + found) : offset + found
}

/** Three letters or digits in a row are what the index of parts of words knows. */
const KNOWN_PART = /[\p{L}\p{N}]{3}/u

/** That a text holds a part, in any letter case. A part too short for the index of parts is found by its characters. */
export function hasPart(column: AnyPgColumn, part: string): SQL {
  const found = sql`lower(${column}) like ${containing(part)}`
  if (KNOWN_PART.test(part)) return found
  return sql`${found} and string_to_array(lower(${column}), null) @> string_to_array(${part.toLowerCase()}, null)`
}
