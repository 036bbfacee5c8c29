/**
 * A page of a list, newest or oldest first, and the number of its items, as fast with a million rows as with
 * a hundred (decision 0021): one statement for the ids of the page, one for its rows.
 *
 * The work is limited, however many rows match. A search scans the first rows in the order of the list, and
 * is done if these are all rows, or contain as many matches as are counted. Rare matches are collected by an
 * index, unordered, and sorted. Only distant pages are read by a scan in the order of the list.
 *
 * A page after a place (a cursor, decision 0210) is read in the same way as the first one, of the rows after
 * that place: the statements contain the place, so that an index finds it.
 */

import { invalid } from '../errors.ts'
import type { Db } from './database.ts'
import { and, or, type PgColumn, type SQL, sql, type Table } from './drizzle.ts'
import { containing, type ListPlace, type PageRequest, slice } from './pages.ts'
import { pieces } from './schema.ts'

/** The greatest number of matches that is counted. */
const COUNTED_MAX = 10_000
/**
 * The number of rows that are scanned first, by an index with all columns of the search: about 3 ms.
 */
const NEAR = COUNTED_MAX + 1
/**
 * With more matches than this among the NEAR rows, scanning more rows is faster than an index of the matches.
 */
const FREQUENT = 600
/** The number of rows that are scanned for frequent matches: about 50 ms. */
const FAR = 200_000
/** The number of rows that are scanned first if an index of another table finds the matches. */
const NEAR_INDEXED = 2_000
/** Keys of another table: so few are looked up, more are a sample. */
const FEW = 1_000
/** The number of first rows that are a sample. */
const SAMPLE = 100
/** The greatest number of matches that is sorted. With more, the list is scanned in its order. */
const SORTED_MAX = 50_000

/** `next`: the last row of the page, if there is a next page. */
export type Listed<Row> = { rows: Row[]; total: number; next: ListPlace | null }
export const NONE_LISTED: Listed<never> = { rows: [], total: 0, next: null }

/** The order of a list, and the place after which a page begins. */
export type Walk = {
  order: (time: PgColumn | SQL, id: PgColumn | SQL) => SQL
  /** The rows after the place; undefined for a page that is found by its number. */
  beyond?: (time: PgColumn | SQL, id: PgColumn | SQL) => SQL
}

/** Statements that select an `id` and a `time` each. */
export type Matching = {
  /** All matches, unordered. */
  all: SQL
  /** Some of all matches, without a gap from the first one: those of the page with one more, if possible. */
  first?: SQL | undefined
  /** A long list that can be searched has it. */
  near?: {
    /** Matches among this number of first rows: no more than it takes to exceed COUNTED_MAX. */
    among: (first: number, walk: Walk) => SQL
    /** This number of rows, matching or not. */
    rows: (limit: number, walk: Walk) => SQL
    /** All matches, by a scan in the order of the list. */
    walk: SQL
    /** Rows are compared with another table: whether its index finds the matches faster than a scan. */
    isIndexed?: ((walk: Walk) => SQL) | undefined
  }
  /** The `time` is an integer. */
  isPosition?: true
  /** The `id` is a text; otherwise a UUID. */
  isText?: true
}

/**
 * The cost: a search for a rare word, a page far behind or an exact count reads a whole table, and one caller
 * could occupy the database. PostgreSQL would choose the plan by an estimate, which is wrong for a part of a
 * text. So the statement counts as it reads, and each step is read only if the one before does not suffice:
 *
 * 1. the first NEAR rows: done if these are all rows or fill the page;
 * 2. frequent matches: the first FAR rows; rare ones: an index of all matches, sorted, up to SORTED_MAX;
 * 3. otherwise a scan in the order of the list;
 * 4. a second statement reads the rows of the at most 100 ids, with their joins.
 *
 * `read` returns the rows of the given ids, in any order. `total` is exact up to COUNTED_MAX and on the last
 * page; otherwise it is a lower bound that is greater than the number of rows on the pages so far. A page
 * after a place has the total that was counted before, or the number of rows so far if that is more.
 */
export async function listPage<Row extends { id: string }>(
  db: Db,
  page: PageRequest,
  matching: Matching,
  read: (ids: string[]) => Promise<Row[]>,
): Promise<Listed<Row>> {
  const { limit, offset } = slice(page)
  const walk = walkOf(page, matching)
  const [found] = await db
    .select({ total: sql<number | null>`total`, places: sql<string[]>`places` })
    .from(sql`(${placesOf(matching, walk, offset, limit)}) as page`)
  const count = found!.places.length
  const taken = found!.places.slice(0, limit).map((place) => place.split(' ') as [time: string, id: string])
  const ids = taken.map(([, id]) => id)
  const rows = new Map(ids.length === 0 ? [] : (await read(ids)).map((row) => [row.id, row]))
  const seen = (page.after?.seen ?? offset) + taken.length
  const total = page.after
    ? totalAfter(page.after, seen, count > limit)
    : totalOf(found!.total!, seen, count, limit)
  const [time = '', id = ''] = taken.at(-1) ?? []
  return {
    rows: ids.flatMap((id) => rows.get(id) ?? []),
    total,
    next: count > limit ? { time, id, seen, total } : null,
  }
}

function totalOf(counted: number, seen: number, found: number, limit: number): number {
  if (counted <= COUNTED_MAX || found === 0) return counted
  return found > limit ? Math.max(counted, seen + 1) : seen
}

/** Rows may have been added or deleted since they were counted. */
const totalAfter = ({ total }: ListPlace, seen: number, hasNext: boolean) =>
  hasNext ? Math.max(total, seen + 1) : seen

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The walk of a page. Throws `invalid_request` if the place cannot be one of this list. */
export function walkOf({ order, after }: PageRequest, { isPosition, isText }: Partial<Matching> = {}): Walk {
  const [direction, sign] = order === undefined ? [' desc', '<'] : ['', '>']
  const walk: Walk = {
    order: (time, id) => sql`${time}${sql.raw(direction)}, ${id}${sql.raw(direction)}`,
  }
  if (!after) return walk
  if (!isText && !UUID.test(after.id)) throw invalid('/query/cursor', 'is not a cursor of this list')
  const at = isPosition ? sql`${after.time}::bigint` : sql`${timestampOf(after)}::timestamptz`
  return { ...walk, beyond: (time, id) => sql`(${time}, ${id}) ${sql.raw(sign)} (${at}, ${after.id})` }
}

/** In ISO 8601, with the microseconds that a Date does not have. */
export function timestampOf({ time }: Pick<ListPlace, 'time'>): string {
  const micros = ((BigInt(time) % 1_000n) + 1_000n) % 1_000n
  const moment = new Date(Number((BigInt(time) - micros) / 1_000n))
  return moment.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

const TIME = sql.raw('m.time')
const ID = sql.raw('m.id')

/**
 * The rows of a statement after the place. PostgreSQL moves the condition into a statement that is not
 * limited.
 */
export const beyond = (statement: SQL, walk: Walk): SQL =>
  walk.beyond ? sql`select id, time from (${statement}) m where ${walk.beyond(TIME, ID)}` : statement

// Each statement returns the number of matches, and the places of the page with one more, which shows whether
// there is a next page. PostgreSQL executes a `with` query only if it is read, only
// as far as it is read, and once.

/** Time and id of each row of the page. The rows that are skipped are not converted to text. */
function placesFrom({ order }: Walk, { isPosition }: Matching, offset: number, limit: number) {
  const time = isPosition ? TIME : sql`(extract(epoch from m.time) * 1000000)::bigint`
  return (from: SQL) =>
    sql`array(select concat(${time}, ' ', m.id) from (select id, time from ${from} m
      order by ${order(TIME, ID)} limit ${limit + 1} offset ${offset}) m)`
}

/** PostgreSQL executes one of the two statements only. */
function placesOf(matching: Matching, walk: Walk, offset: number, limit: number): SQL {
  if (!matching.near) return placesOfAll(matching, walk, offset, limit)
  const nearFirst = placesNearFirst(matching, walk, offset, limit)
  const isIndexed = matching.near.isIndexed?.(walk)
  return isIndexed
    ? sql`with choice as materialized (select ${isIndexed} as "isIndexed")
        select * from (${placesIndexed(matching, walk, offset, limit)}) p where (select "isIndexed" from choice)
        union all select * from (${nearFirst}) p where not (select "isIndexed" from choice)`
    : nearFirst
}

function placesOfAll(matching: Matching, walk: Walk, offset: number, limit: number): SQL {
  const places = placesFrom(walk, matching, offset, limit)
  const all = beyond(matching.all, walk)
  const first = matching.first && beyond(matching.first, walk)
  // The limit is the number of matches that are counted: the planner, which knows neither the place nor how
  // the matches are distributed, takes the index in the order of the list only if it would for so many rows.
  // No more rows than the page has are read.
  if (walk.beyond && !first)
    return sql`select null::int as total, ${places(
      sql`(select id, time from (${all}) m order by ${walk.order(TIME, ID)} limit ${COUNTED_MAX + 1})`,
    )} as places`
  return sql`with found as materialized (select id, time from (${all}) m limit ${COUNTED_MAX + 1}),
      counted as (select count(*)::int as total from found),
      first as materialized (${first ?? sql`select id, time from found limit 0`})
    select total, case when total <= ${COUNTED_MAX} then ${places(sql`found`)}
      when (select count(*) from first) > ${offset + limit} then ${places(sql`first`)}
      else ${places(sql`(${all})`)} end as places
    from counted`
}

/**
 * From the first rows if these are all rows or fill the page. Frequent matches are read from more of the
 * first rows, so that the plan does not depend on an estimate of PostgreSQL; rare ones by an index of the
 * matches. After a place, nothing is counted if the first rows fill the page.
 */
function placesNearFirst(matching: Matching, walk: Walk, offset: number, limit: number): SQL {
  const { among, rows, walk: whole } = matching.near!
  const places = placesFrom(walk, matching, offset, limit)
  const end = Math.min(offset + limit, SORTED_MAX + 1) // fits the integer type of PostgreSQL
  const total = sql`(select total from counted)`
  return sql`with near as materialized (${beyond(among(NEAR, walk), walk)}),
      far as materialized (${beyond(among(FAR, walk), walk)}),
      found as materialized (select id, time from (${beyond(matching.all, walk)}) m limit ${SORTED_MAX + 1}),
      sized as materialized (select count(*)::int as near from near),
      counted as materialized (select case
          when near > ${COUNTED_MAX} or (select count(*) from (${rows(NEAR + 1, walk)}) r) <= ${NEAR}
            then least(near, ${COUNTED_MAX + 1})
          when near > ${FREQUENT} and (select count(*) from far) > ${COUNTED_MAX} then ${COUNTED_MAX + 1}
          else (select count(*)::int from (select from found limit ${COUNTED_MAX + 1}) m) end as total
        from sized)
    select ${walk.beyond ? sql`null::int` : total} as total, case
      when near > ${end} then ${places(sql`near`)}
      when near = ${total} and ${total} <= ${COUNTED_MAX} then ${places(sql`near`)}
      when ${total} <= ${COUNTED_MAX} then ${places(sql`found`)}
      when near > ${FREQUENT} then case
        when ${end <= COUNTED_MAX} and (select count(*) from far) > ${end}
        then ${places(sql`far`)} else ${places(sql`(${beyond(whole, walk)})`)} end
      when ${end <= SORTED_MAX} and (select count(*) from found) <= ${SORTED_MAX} then ${places(sql`found`)}
      else ${places(sql`(${beyond(whole, walk)})`)} end as places
    from sized`
}

/** An index counts the matches. Frequent ones fill the page with the first rows. */
function placesIndexed(matching: Matching, walk: Walk, offset: number, limit: number): SQL {
  const { among, walk: whole } = matching.near!
  const places = placesFrom(walk, matching, offset, limit)
  const end = Math.min(offset + limit, SORTED_MAX + 1)
  const total = sql`(select total from counted)`
  const counts = walk.beyond ? sql`null::int` : total
  return sql`with near as materialized (${beyond(among(NEAR_INDEXED, walk), walk)}),
      found as materialized (select id, time from (${beyond(matching.all, walk)}) m limit ${SORTED_MAX + 1}),
      counted as materialized (select count(*)::int as total from (select from found limit ${COUNTED_MAX + 1}) m)
    select ${counts} as total, case when ${counts} <= ${COUNTED_MAX} then ${places(sql`found`)}
      when (select count(*) from (select from near limit ${end + 1}) m) > ${end} then ${places(sql`near`)}
      when ${end <= SORTED_MAX} and (select count(*) from found) <= ${SORTED_MAX} then ${places(sql`found`)}
      else ${places(sql`(${beyond(whole, walk)})`)} end as places`
}

/** The rows that are searched. A long list has an index in its order with all columns named here. */
type Rows = {
  from: Table | SQL
  scope?: SQL | undefined
  id: PgColumn
  time: PgColumn | SQL
  /** A further condition. */
  also?: SQL | undefined
  /** An index of another table finds the rows that meet it. */
  isIndexed?: boolean | undefined
}

type Contains = (indexed: PgColumn | SQL) => SQL

/** A value of each row, and the part of it that is searched for. */
type Compared = {
  part: string
  value: PgColumn | SQL
  /**
   * The conditions by which indexes find the rows: no row meets two of them, and together they are met by the
   * rows that `contains` describes. Without it, the value has an index itself.
   */
  found?: (contains: Contains) => SQL[]
  /** The value is one of another table: a column, and statements that select it for all matches. */
  keys?: (contains: Contains) => { of: PgColumn; ids: SQL[] }
}

/** A row matches if one of these values contains its part. Undefined: every row does. */
export type Term = readonly Compared[] | undefined

/** A search of one column, which has an index. */
export const termOf = (part: string | undefined, value: PgColumn): Term =>
  part ? [{ part, value }] : undefined

/**
 * Supported by the trigram index: three consecutive letters or digits. Beyond ASCII that depends on the
 * locale.
 */
const HAS_TRIGRAM = /[a-z0-9]{3}/i

/** The rows that match each of the terms, case-insensitively. */
export function rowsContaining(
  terms: readonly Term[],
  { from, scope, id, time, also, isIndexed }: Rows,
): Matching {
  const given = terms.filter((term) => term !== undefined)
  const holds = and(...given.map((term) => or(...term.map(holdsPart))))
  const select = (rows: SQL, ...conditions: (SQL | undefined)[]) =>
    sql`select ${id} as id, ${time} as time from ${rows} where ${and(...conditions) ?? sql`true`}`
  const all = scope ?? sql`true`
  const first = (count: number, { order, beyond }: Walk) =>
    sql`(select * from ${from} where ${and(all, beyond?.(time, id))} order by ${order(time, id)} limit ${count}) ${from}`
  const among = (count: number, walk: Walk) => sql`${select(first(count, walk), holds, also)}
    order by ${walk.order(sql`time`, sql`id`)} limit ${COUNTED_MAX + 1}`
  const found = waysOf(given).map((way) => select(sql`${from}`, scope, way, also))
  // Without an order, PostgreSQL could begin at the wrong end of the table.
  const rows = (limit: number, walk: Walk) =>
    walk.beyond
      ? sql`select from ${first(limit, walk)}`
      : sql`select from ${from} where ${all} limit ${limit}`
  const keys = given.map(keysOf).find((each) => each !== undefined)
  const hasOver = (count: number, walk: Walk) =>
    sql`(select count(*) from (${rows(count + 1, walk)}) r) > ${count}`
  // A list that is not short: if few keys name all rows. A long one: also if keys match more than rows.
  const isFaster = (
    walk: Walk,
  ) => sql`(with sampled as (select count(*) as count from (${among(SAMPLE, walk)}) m),
      keys as materialized (select key from (${unionOf(keys!.ids)}) k (key) limit ${FEW + 1})
    select case when count > ${SAMPLE / 2} or not ${hasOver(FEW, walk)} then false
      when (select count(*) from keys) <= ${FEW} then true
      when not ${hasOver(NEAR, walk)} then false
      else count * ${FEW / SAMPLE} <=
        (select count(*) from ${from} where ${and(all, holds)} and ${keys!.of} in (select key from keys)) end
    from sampled)`
  const always = isIndexed && given.length === 0 ? () => sql`true` : undefined
  return {
    all: unionOf(found),
    near: {
      among: (count, walk) => sql`(${among(count, walk)})`,
      rows,
      walk: select(sql`${from}`, scope, holds, also),
      isIndexed: keys ? isFaster : always,
    },
  }
}

const unionOf = (statements: readonly SQL[]) => sql.join([...statements], sql` union all `)

const indexedPart =
  (part: string): Contains =>
  (indexed) =>
    sql`(${or(...spellingsOf(part).map((spelling) => byIndex(indexed, spelling)))})`

/** The keys of all matches of a term, if each of its values has them; FEW + 1 of each at most. */
function keysOf(term: readonly Compared[]) {
  const each = term.flatMap(({ part, keys }) => keys?.(indexedPart(part)) ?? [])
  const ids = each.flatMap(({ ids }) => ids.map((one) => sql`(${one} limit ${FEW + 1})`))
  return each.length < term.length ? undefined : { of: each[0]!.of, ids }
}

/** The conditions that find the rows by indexes. A row that meets one of them meets no other. */
function waysOf(terms: readonly (readonly Compared[])[]): (SQL | undefined)[] {
  const [term, ...others] = terms
  if (!term) return [undefined]
  const ways = term.flatMap(({ part, value, found }, at) => {
    const contains = indexedPart(part)
    const before = term.slice(0, at).map((other) => sql`(${holdsPart(other)}) is not true`)
    return (found?.(contains) ?? [contains(value)]).map((way) => and(way, ...before))
  })
  return waysOf(others).flatMap((rest) => ways.map((way) => and(way, rest)))
}

/**
 * The text as it is given, which the database converts to lower case, and in lower case: a database of locale
 * C converts only ASCII letters.
 */
const spellingsOf = (part: string) =>
  /^[\0-\x7f]*$/.test(part) ? [part] : [...new Set([part, part.toLowerCase()])]

const holdsPart = ({ part, value }: Compared): SQL =>
  sql`(${or(...spellingsOf(part).map((spelling) => has(value, spelling)))})`

const has = (text: PgColumn | SQL, part: string) => sql`strpos(lower(${text}), lower(${part})) > 0`

/** A condition that an index supports: the trigram index, or that of `pieces` for a shorter part. */
function byIndex(text: PgColumn | SQL, part: string): SQL {
  if (HAS_TRIGRAM.test(part)) return sql`lower(${text}) like lower(${containing(part)})`
  // With `like` as well, PostgreSQL would read the whole trigram index.
  return sql`(${pieces(text)} @> array_remove(${pieces(sql`${part}::text`)}, '') and ${has(text, part)})`
}

/** The `first` of two statements, of which the second selects few rows. */
export function firstOf(many: SQL, few: SQL, page: PageRequest): SQL {
  const walk = walkOf(page)
  const { limit, offset } = slice(page)
  return sql`(select id, time from (${beyond(many, walk)}) m order by ${walk.order(TIME, ID)}
    limit ${offset + limit + 1}) union all ${few}`
}

/** Adds the few rows that another statement selects. */
export function withRows({ all, near }: Matching, other: SQL): Matching {
  const also = (statement: SQL) => sql`${statement} union all ${other}`
  return {
    all: also(all),
    ...(near && {
      near: {
        ...near,
        among: (count: number, walk: Walk) => also(near.among(count, walk)),
        walk: also(near.walk),
      },
    }),
  }
}
