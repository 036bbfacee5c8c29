/**
 * A page of a list, newest first, and how many there are, as fast in a million rows as in a hundred (decision
 * 0021): a statement for the ids of the page, one for their rows.
 *
 * However much matches, a bounded part of it is looked at. In a list that is searched the newest rows come
 * first: where these are all, or as many as are counted, it is done. What is rare among them is gathered by
 * an index, in no order, and sorted. Only pages far back are walked to.
 */

import { and, or, type PgColumn, type SQL, sql, type Table } from '../tuning/drizzle.ts'
import type { Db } from './database.ts'
import { containing, type PageRequest, slice } from './pages.ts'
import { pieces } from './schema.ts'

/** So many are counted. */
const COUNTED_MAX = 10_000
/**
 * So many of the newest rows are looked through first, by an index that has all
 * that is asked of them: some 3 ms.
 */
const NEAR = COUNTED_MAX + 1
/** What so many of those match is sooner found among the newest rows than by an index of what matches. */
const FREQUENT = 600
/** Among so many, some 50 ms. */
const FAR = 200_000
/** So many are sorted at most; with more the list is walked. */
const SORTED_MAX = 50_000

export type Listed<Row> = { rows: Row[]; total: number }

/** Statements that select an `id` and a `time` each. */
export type Matching = {
  /** All that matches, in no order. */
  all: SQL
  /** For long lists of which a part may match. */
  near?: {
    /**
     * What matches among so many of the newest rows; no more of these rows than it takes to
     * know that it can't be counted.
     */
    among: (newest: number) => SQL
    /** So many rows, matching or not. */
    rows: (limit: number) => SQL
    /** All that matches, as it is found by going through the list. */
    walk: SQL
  }
}

/**
 * `read` reads the rows of some ids, in any order. `total` is exact up to COUNTED_MAX and on the last page;
 * else there are at least so many, and always more than the pages so far hold.
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

// How many match, and the ids of the page with one more, to know whether there is a next page. What is named
// in such a statement PostgreSQL runs when it comes to read it, as far as it reads it, and once.

const cutOf = (offset: number, limit: number) => (from: SQL) =>
  sql`array(select m.id::text from ${from} m order by m.time desc, m.id desc limit ${limit + 1} offset ${offset})`

function idsOfAll({ all }: Matching, offset: number, limit: number): SQL {
  const cut = cutOf(offset, limit)
  return sql`with found as materialized (select id, time from (${all}) m limit ${COUNTED_MAX + 1}),
      counted as (select count(*)::int as total from found)
    select total, case when total <= ${COUNTED_MAX} then ${cut(sql`found`)} else ${cut(sql`(${all})`)} end as ids from counted`
}

/**
 * Among the newest, where they are all or fill the page; what is frequent among more of them, so that no
 * estimate of PostgreSQL's is trusted with it; the rest by an index of what matches.
 */
function idsNearFirst({ all, near }: Matching, offset: number, limit: number): SQL {
  const { among, rows, walk } = near!
  const cut = cutOf(offset, limit)
  const end = Math.min(offset + limit, SORTED_MAX + 1) // an integer to PostgreSQL
  return sql`with near as materialized (${among(NEAR)}), far as materialized (${among(FAR)}),
      found as materialized (select id, time from (${all}) m limit ${SORTED_MAX + 1}),
      counted as materialized (select near, case
          when near > ${COUNTED_MAX} or (select count(*) from (${rows(NEAR + 1)}) r) <= ${NEAR} then least(near, ${COUNTED_MAX + 1})
          when near > ${FREQUENT} and (select count(*) from far) > ${COUNTED_MAX} then ${COUNTED_MAX + 1}
          else (select count(*)::int from (select from found limit ${COUNTED_MAX + 1}) m) end as total
        from (select count(*)::int as near from near) n)
    select total, case
      when near > ${end} or near = total and total <= ${COUNTED_MAX} then ${cut(sql`near`)}
      when total <= ${COUNTED_MAX} then ${cut(sql`found`)}
      when near > ${FREQUENT} then case
        when ${end <= COUNTED_MAX} and (select count(*) from far) > ${end} then ${cut(sql`far`)} else ${cut(sql`(${walk})`)} end
      when ${end <= SORTED_MAX} and (select count(*) from found) <= ${SORTED_MAX} then ${cut(sql`found`)}
      else ${cut(sql`(${walk})`)} end as ids
    from counted`
}

function totalOf(counted: number, offset: number, found: number, limit: number): number {
  if (counted <= COUNTED_MAX || found === 0) return counted
  return found > limit ? Math.max(counted, offset + found) : offset + found
}

/**
 * The rows of a scope. A long one has an index in the order of its list with all
 * that is selected or asked of them.
 */
type Rows = {
  from: Table
  scope?: SQL | undefined
  id: PgColumn
  time: PgColumn
  /** What is searched. */
  text: PgColumn
  /** Also asked of each. */
  also?: SQL | undefined
  /** Several rows have the same id; the newest counts, by this condition. */
  last?: SQL | undefined
}

/**
 * Three letters or digits in a row are what the index of parts of words knows; letters
 * beyond ASCII only in some locales.
 */
const KNOWN_PART = /[a-z0-9]{3}/i

/** The rows whose text holds a part, in any letter case, or all. */
export function holding(
  part: string | undefined,
  { from, scope, id, time, text, also, last }: Rows,
): Matching {
  const spellings = part ? spellingsOf(part) : []
  const holds = or(...spellings.map((spelling) => has(text, spelling)))
  const found = or(...spellings.map((spelling) => indexed(text, spelling)))
  const select = (rows: SQL, ...conditions: (SQL | undefined)[]) =>
    sql`select ${id} as id, ${time} as time from ${rows} where ${and(...conditions) ?? sql`true`}`
  const all = scope ?? sql`true`
  const newest = (count: number) =>
    last // rows of other ids may have the same time
      ? sql`(select * from ${from} where ${all} order by ${time} desc fetch first ${count} rows with ties) ${from}`
      : sql`(select * from ${from} where ${all} order by ${time} desc, ${id} desc limit ${count}) ${from}`
  const among = (count: number) => sql`${select(newest(count), holds, also)}
    order by time desc, id desc limit ${(last ? 2 : 1) * (COUNTED_MAX + 1)}`
  return {
    all: select(sql`${from}`, scope, found, also, last),
    near: {
      among: (count) =>
        last
          ? sql`select id, max(time) as time from (${among(count)}) m group by id`
          : sql`(${among(count)})`,
      rows: (limit) => sql`select from ${from} where ${all} limit ${limit}`,
      walk: select(sql`${from}`, scope, holds, also, last),
    },
  }
}

/**
 * As it was given, for the database to lower, and as we lower it: a database of locale C
 * leaves all letters beyond ASCII.
 */
const spellingsOf = (part: string) =>
  /^[\0-\x7f]*$/.test(part) ? [part] : [...new Set([part, part.toLowerCase()])]

const has = (text: PgColumn, part: string) => sql`strpos(lower(${text}), lower(${part})) > 0`

/**
 * That a text holds a part, for an index: of parts of words, or where the part is too short for it of pieces.
 */
function indexed(text: PgColumn, part: string): SQL {
  if (KNOWN_PART.test(part)) return sql`lower(${text}) like lower(${containing(part)})`
  // Beside a `like` PostgreSQL would read the whole index of parts of words.
  return sql`(${pieces(text)} @> array_remove(${pieces(sql`${part}::text`)}, '') and ${has(text, part)})`
}

/** Also what another statement selects, few rows. */
export function joined({ all, near }: Matching, other: SQL): Matching {
  const also = (statement: SQL) => sql`${statement} union all ${other}`
  return {
    all: also(all),
    ...(near && { near: { ...near, among: (count) => also(near.among(count)), walk: also(near.walk) } }),
  }
}
