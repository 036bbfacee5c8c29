/**
 * A page of a list, newest first, and how many there are: in two statements, as fast in a million rows as in a hundred
 * (decision 0021).
 *
 * The ids of what matches are gathered up to a bound, in the order in which an index yields them. When that was all, the
 * page is sorted out of them and their number is known. When there is more, it is looked for among the newest; only where
 * these do not fill the page all that matches is sorted.
 */
import type { Db } from './db.ts'
import { and, type PgColumn, type SQL, sql, type Table } from './drizzle.ts'
import { pieces } from './schema.ts'
import { containing, type PageRequest, slice } from './shapes.ts'

/** So many are counted. */
const COUNTED_MAX = 10_000
/** So many of the newest rows are looked through first, by an index that has all that is asked of them: some 3 ms. */
const NEAR = COUNTED_MAX + 1
/** What so many of those match is sooner found among the newest rows than by an index of what matches. */
const FREQUENT = 600
/** Among so many, some 50 ms. */
const FAR = 200_000
/** So many are sorted at most; with more the newest are walked, wherever they are. */
const SORTED_MAX = 50_000

export type Listed<Row> = { rows: Row[]; total: number }

/** Statements that select an `id` and a `time` each. */
export type Matching = {
  /** All that matches, in no order. */
  all: SQL
  /** For long lists of which a part may match. */
  near?: {
    /** What matches among so many of the newest rows, and no less than COUNTED_MAX and one of it, if there is so much. */
    among: (newest: number) => SQL
    /** So many rows, matching or not. */
    rows: (limit: number) => SQL
  }
}

/**
 * `read` reads the rows of some ids, in any order. `total` is exact up to COUNTED_MAX and on the last page; else there are at
 * least so many, and always more than the pages so far hold.
 */
export async function listNewest<Row extends { id: string }>(
  db: Db,
  page: PageRequest,
  matching: Matching,
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Listed<Row>> {
  const { limit, offset } = slice(page)
  const found = await db
    .select({ total: sql<number>`total`, ids: sql<string[]>`ids` })
    .from(sql`(${(matching.near ? idsNearFirst : idsOfAll)(matching, offset, limit)}) as page`)
  const { total, ids } = found[0]!
  const taken = ids.slice(0, limit)
  const rows = new Map(taken.length === 0 ? [] : (await read(taken)).map((row) => [row.id, row]))
  return { rows: taken.flatMap((id) => rows.get(id) ?? []), total: totalOf(total, offset, ids.length, limit) }
}

// How many match, and the ids of the page with one more, to know whether there is a next page. What is named in such a
// statement PostgreSQL runs when it comes to read it, as far as it reads it, and once.

const cutOf = (offset: number, limit: number) => (from: SQL) =>
  sql`array(select m.id::text from ${from} m order by m.time desc, m.id desc limit ${limit + 1} offset ${offset})`

function idsOfAll({ all }: Matching, offset: number, limit: number): SQL {
  const cut = cutOf(offset, limit)
  return sql`with found as materialized (select id, time from (${all}) m limit ${COUNTED_MAX + 1}),
      counted as (select count(*)::int as total from found)
    select total, case when total <= ${COUNTED_MAX} then ${cut(sql`found`)} else ${cut(sql`(${all})`)} end as ids from counted`
}

/**
 * Among the newest, where they are all or fill the page; what is frequent among more of them, so that no estimate of
 * PostgreSQL's is trusted with it; the rest by an index of what matches.
 */
function idsNearFirst({ all, near }: Matching, offset: number, limit: number): SQL {
  const { among, rows } = near!
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
      when near > ${FREQUENT} and ${end <= COUNTED_MAX} and (select count(*) from far) > ${end} then ${cut(sql`far`)}
      when ${end <= SORTED_MAX} and (select count(*) from found) <= ${SORTED_MAX} then ${cut(sql`found`)}
      else ${cut(sql`(${all})`)} end as ids
    from counted`
}

function totalOf(counted: number, offset: number, found: number, limit: number): number {
  if (counted <= COUNTED_MAX || found === 0) return counted
  return found > limit ? Math.max(counted, offset + found) : offset + found
}

/** The rows of a scope, which has an index with `time` and with all that is selected or asked of them. */
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

/** Three letters or digits in a row are what the index of parts of words knows. */
const KNOWN_PART = /[\p{L}\p{N}]{3}/u

/** The rows whose text holds a part, in any letter case, or all. */
export function holding(part: string | undefined, { from, scope, id, time, text, also, last }: Rows): Matching {
  const holds = part ? sql`strpos(lower(${text}), ${part.toLowerCase()}) > 0` : undefined
  const among = (count: number) => sql`select ${id} as id, ${time} as time
    from (select * from ${from} where ${scope ?? sql`true`} order by ${time} desc fetch first ${count} rows with ties) ${from}
    where ${and(holds, also) ?? sql`true`} order by time desc, id desc limit ${(last ? 2 : 1) * (COUNTED_MAX + 1)}`
  const indexed = and(scope, holds && found(text, part!, holds), also, last)
  return {
    all: sql`select ${id} as id, ${time} as time from ${from} where ${indexed ?? sql`true`}`,
    near: {
      among: (count) => (last ? sql`select id, max(time) as time from (${among(count)}) m group by id` : among(count)),
      rows: (limit) => sql`select from ${from} where ${scope ?? sql`true`} limit ${limit}`,
    },
  }
}

/** The same, found by an index: of parts of words, or where the part is too short for it of pieces. */
function found(text: PgColumn, part: string, holds: SQL): SQL {
  if (KNOWN_PART.test(part)) return sql`lower(${text}) like ${containing(part)}`
  const letters = [...part.toLowerCase()]
  const pairs = letters.slice(1).map((letter, before) => letters[before] + letter)
  const known = pairs.filter((pair) => !pair.includes('\n'))
  // Beside a `like` PostgreSQL would read the whole index of parts of words.
  return sql`${pieces(text)} @> ${sql.param(known.length > 0 ? known : letters)}::text[] and ${holds}`
}
