/**
 * A page of a list, newest first, and the number of its items, as fast with a million rows as with a hundred
 * (decision 0021): one statement for the ids of the page, one for its rows.
 *
 * The work is limited, however many rows match. A search scans the newest rows first and is done if these are
 * all rows, or contain as many matches as are counted. Rare matches are collected by an index, unordered, and
 * sorted. Only distant pages are read by a scan in the order of the list.
 */

import type { Db } from './database.ts'
import { and, or, type PgColumn, type SQL, sql, type Table } from './drizzle.ts'
import { containing, type PageRequest, slice } from './pages.ts'
import { pieces } from './schema.ts'

/** The greatest number of matches that is counted. */
const COUNTED_MAX = 10_000
/**
 * The number of newest rows that are scanned first, by an index with all columns of the search: about 3 ms.
 */
const NEAR = COUNTED_MAX + 1
/**
 * With more matches than this among the NEAR rows, scanning more rows is faster than an index of the matches.
 */
const FREQUENT = 600
/** The number of newest rows that are scanned for frequent matches: about 50 ms. */
const FAR = 200_000
/** The greatest number of matches that is sorted. With more, the list is scanned in its order. */
const SORTED_MAX = 50_000

export type Listed<Row> = { rows: Row[]; total: number }

/** Statements that select an `id` and a `time` each. */
export type Matching = {
  /** All matches, unordered. */
  all: SQL
  /** Some of all matches, without a gap from the newest one: those of the page with one more, if possible. */
  newest?: SQL | undefined
  /** For long lists that can be searched. */
  near?: {
    /** Matches among this number of newest rows: no more than it takes to exceed COUNTED_MAX. */
    among: (newest: number) => SQL
    /** This number of rows, matching or not. */
    rows: (limit: number) => SQL
    /** All matches, by a scan in the order of the list. */
    walk: SQL
  }
}

/**
 * The cost: a search for a rare word, a page far behind or an exact count reads a whole table, and one caller
 * could occupy the database. PostgreSQL would choose the plan by an estimate, which is wrong for a part of a
 * text. So the statement counts as it reads, and each step is read only if the one before does not suffice:
 *
 * 1. the newest NEAR rows: done if these are all rows or fill the page;
 * 2. frequent matches: the newest FAR rows; rare ones: an index of all matches, sorted, up to SORTED_MAX;
 * 3. otherwise a scan in the order of the list;
 * 4. a second statement reads the rows of the at most 100 ids, with their joins.
 *
 * `read` returns the rows of the given ids, in any order. `total` is exact up to COUNTED_MAX and on the last
 * page; otherwise it is a lower bound that is greater than the number of rows on the pages so far.
 */
export async function listNewest<Row extends { id: string }>(
  db: Db,
  page: PageRequest,
  matching: Matching,
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Listed<Row>> {
  const { limit, offset } = slice(page)
  const [found] = await db
    .select({ total: sql<number>`total`, ids: sql<string[]>`ids` })
    .from(sql`(${(matching.near ? idsNearFirst : idsOfAll)(matching, offset, limit)}) as page`)
  const { total, ids } = found!
  const taken = ids.slice(0, limit)
  const rows = new Map(taken.length === 0 ? [] : (await read(taken)).map((row) => [row.id, row]))
  return { rows: taken.flatMap((id) => rows.get(id) ?? []), total: totalOf(total, offset, ids.length, limit) }
}

// Each statement returns the number of matches, and the ids of the page with one more, which shows whether
// there is a next page. PostgreSQL executes a `with` query only if it is read, only
// as far as it is read, and once.

/** The rows that are skipped are not converted to text. */
const idsFrom = (offset: number, limit: number) => (from: SQL) =>
  sql`array(select m.id::text from (select id, time from ${from} m order by m.time desc, m.id desc
    limit ${limit + 1} offset ${offset}) m)`

function idsOfAll({ all, newest }: Matching, offset: number, limit: number): SQL {
  const ids = idsFrom(offset, limit)
  return sql`with found as materialized (select id, time from (${all}) m limit ${COUNTED_MAX + 1}),
      counted as (select count(*)::int as total from found),
      newest as materialized (${newest ?? sql`select id, time from found limit 0`})
    select total, case when total <= ${COUNTED_MAX} then ${ids(sql`found`)}
      when (select count(*) from newest) > ${offset + limit} then ${ids(sql`newest`)}
      else ${ids(sql`(${all})`)} end as ids
    from counted`
}

/**
 * From the newest rows if these are all rows or fill the page. Frequent matches are read from more of the
 * newest rows, so that the plan does not depend on an estimate of PostgreSQL; rare ones by an index of the
 * matches.
 */
function idsNearFirst({ all, near }: Matching, offset: number, limit: number): SQL {
  const { among, rows, walk } = near!
  const ids = idsFrom(offset, limit)
  const end = Math.min(offset + limit, SORTED_MAX + 1) // fits the integer type of PostgreSQL
  return sql`with near as materialized (${among(NEAR)}), far as materialized (${among(FAR)}),
      found as materialized (select id, time from (${all}) m limit ${SORTED_MAX + 1}),
      counted as materialized (select near, case
          when near > ${COUNTED_MAX} or (select count(*) from (${rows(NEAR + 1)}) r) <= ${NEAR}
            then least(near, ${COUNTED_MAX + 1})
          when near > ${FREQUENT} and (select count(*) from far) > ${COUNTED_MAX} then ${COUNTED_MAX + 1}
          else (select count(*)::int from (select from found limit ${COUNTED_MAX + 1}) m) end as total
        from (select count(*)::int as near from near) n)
    select total, case
      when near > ${end} or near = total and total <= ${COUNTED_MAX} then ${ids(sql`near`)}
      when total <= ${COUNTED_MAX} then ${ids(sql`found`)}
      when near > ${FREQUENT} then case
        when ${end <= COUNTED_MAX} and (select count(*) from far) > ${end}
        then ${ids(sql`far`)} else ${ids(sql`(${walk})`)} end
      when ${end <= SORTED_MAX} and (select count(*) from found) <= ${SORTED_MAX} then ${ids(sql`found`)}
      else ${ids(sql`(${walk})`)} end as ids
    from counted`
}

function totalOf(counted: number, offset: number, found: number, limit: number): number {
  if (counted <= COUNTED_MAX || found === 0) return counted
  return found > limit ? Math.max(counted, offset + found) : offset + found
}

/** The rows that are searched. A long list has an index in its order with all columns named here. */
type Rows = {
  from: Table | SQL
  scope?: SQL | undefined
  id: PgColumn
  time: PgColumn | SQL
  /** The column that is searched. */
  text: PgColumn
  /** A further condition. */
  also?: SQL | undefined
}

/**
 * Supported by the trigram index: three consecutive letters or digits. Beyond ASCII that depends on the
 * locale.
 */
const HAS_TRIGRAM = /[a-z0-9]{3}/i

/** The rows whose text contains `part`, case-insensitively; all rows without `part`. */
export function rowsContaining(
  part: string | undefined,
  { from, scope, id, time, text, also }: Rows,
): Matching {
  const spellings = part ? spellingsOf(part) : []
  const holds = or(...spellings.map((spelling) => has(text, spelling)))
  const found = or(...spellings.map((spelling) => indexed(text, spelling)))
  const select = (rows: SQL, ...conditions: (SQL | undefined)[]) =>
    sql`select ${id} as id, ${time} as time from ${rows} where ${and(...conditions) ?? sql`true`}`
  const all = scope ?? sql`true`
  const newest = (count: number) =>
    sql`(select * from ${from} where ${all} order by ${time} desc, ${id} desc limit ${count}) ${from}`
  const among = (count: number) => sql`${select(newest(count), holds, also)}
    order by time desc, id desc limit ${COUNTED_MAX + 1}`
  return {
    all: select(sql`${from}`, scope, found, also),
    near: {
      among: (count) => sql`(${among(count)})`,
      rows: (limit) => sql`select from ${from} where ${all} limit ${limit}`,
      walk: select(sql`${from}`, scope, holds, also),
    },
  }
}

/**
 * As given, which the database converts to lower case, and in lower case: a database of locale C converts
 * only ASCII letters.
 */
const spellingsOf = (part: string) =>
  /^[\0-\x7f]*$/.test(part) ? [part] : [...new Set([part, part.toLowerCase()])]

const has = (text: PgColumn, part: string) => sql`strpos(lower(${text}), lower(${part})) > 0`

/** A condition that an index supports: the trigram index, or that of `pieces` for a shorter part. */
function indexed(text: PgColumn, part: string): SQL {
  if (HAS_TRIGRAM.test(part)) return sql`lower(${text}) like lower(${containing(part)})`
  // With `like` as well, PostgreSQL would read the whole trigram index.
  return sql`(${pieces(text)} @> array_remove(${pieces(sql`${part}::text`)}, '') and ${has(text, part)})`
}

/** The `newest` of two statements, of which the second selects few rows. */
export const newestOf = (many: SQL, few: SQL, { page, pageSize }: PageRequest): SQL =>
  sql`(select id, time from (${many}) m order by time desc, id desc limit ${page * pageSize + 1}) union all ${few}`

/** Adds the few rows that another statement selects. */
export function withRows({ all, near }: Matching, other: SQL): Matching {
  const also = (statement: SQL) => sql`${statement} union all ${other}`
  return {
    all: also(all),
    ...(near && { near: { ...near, among: (count) => also(near.among(count)), walk: also(near.walk) } }),
  }
}
