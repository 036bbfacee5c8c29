/**
 * The SQL of the limits. `expire` is when a row has no effect any more, by the database clock: for a growing
 * limit the last attempt plus `forgottenAfter`, for a steady one the time when its whole burst is available
 * again. The time of the next attempt follows from it.
 */
import type { Db } from '../../database/database.ts'
import { and, inArray, or, type SQL, sql } from '../../database/drizzle.ts'
import { prepared, preparedRead } from '../../database/prepared.ts'
import { limits } from '../../database/schema.ts'

/**
 * `growing`: the nth consecutive attempt is followed by the nth of `waits`, later ones by the last; reset
 * after `forgottenAfter` without an attempt. `steady`: `burst` attempts at once, then one per `every`.
 * `counts`: every attempt, before it is checked, or only failures. `onSuccess`: `forget` resets the limit,
 * `reduce` (of a steady one) undoes the attempts that the forgotten limits have counted, `giveBack` undoes
 * the count of the attempt, `leave` changes nothing.
 */
export type Rule = (
  | { kind: 'growing'; waits: readonly number[]; forgottenAfter: number }
  | { kind: 'steady'; burst: number; every: number }
) & { counts: 'attempts' | 'failures'; onSuccess: 'forget' | 'reduce' | 'giveBack' | 'leave' }

/** `about`: the user whose credentials are guessed, and the system where these attempts are counted. */
export type Limit = { key: string; rule: Rule; about?: { userId: string | null; systemId: string | null } }

/** In ms since 1970. */
export const now = sql`(extract(epoch from now()) * 1000)::bigint`
/** It is not now(): a statement that waited for a row lock began before the row was written. */
const clock = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const ms = (seconds: number) => sql.raw(`${seconds * 1_000}::bigint`)

/** The wait after so many attempts, in ms. */
function waitAfter(waits: readonly number[], points: SQL): SQL {
  const [list, count] = [sql.raw(waits.join()), sql.raw(String(waits.length))]
  return sql`1000::bigint * coalesce((array[${list}])[least(${points}, ${count})], 0)`
}

/** When the next attempt may be made, in ms since 1970. */
export const nextOf = (rule: Rule): SQL =>
  rule.kind === 'growing'
    ? sql`${limits.expire} - ${ms(rule.forgottenAfter)} + ${waitAfter(rule.waits, sql`${limits.points}`)}`
    : sql`${limits.expire} - ${ms((rule.burst - 1) * rule.every)}`

/** One prepared statement per list of rules, whose numbers are part of its text. There are few lists. */
function byRules<Statement>(
  make: (rules: readonly Rule[], nth: number) => Statement,
): (rules: readonly Rule[]) => Statement {
  const made: { rules: readonly Rule[]; statement: Statement }[] = []
  return (rules) => {
    const known = made.find(
      (each) => each.rules.length === rules.length && each.rules.every((rule, n) => rule === rules[n]),
    )
    if (known) return known.statement
    const statement = make(rules, made.length)
    made.push({ rules, statement })
    return statement
  }
}

const reserving = byRules(([rule], nth) => reservation(rule!, nth))

function reservation(rule: Rule, nth: number) {
  const span = rule.kind === 'growing' ? rule.forgottenAfter : rule.every
  return prepared((db) =>
    db
      .insert(limits)
      .values({
        key: sql.placeholder('key'),
        points: 1,
        expire: sql`${now} + ${ms(span)}`,
        userId: sql.placeholder('userId'),
        systemId: sql.placeholder('systemId'),
      })
      .onConflictDoUpdate({
        target: limits.key,
        set: {
          points: sql`case when ${limits.expire} <= ${now} then 1 else ${limits.points} + 1 end`,
          userId: sql`excluded.user_id`,
          expire:
            rule.kind === 'growing'
              ? sql`excluded.expire`
              : sql`excluded.expire + greatest(${limits.expire} - ${now}, 0)`,
        },
        setWhere: sql`${nextOf(rule)} <= ${now}`,
      })
      .returning({ key: limits.key })
      .prepare(`reserve_${nth}`),
  )
}

/** Counts an attempt if it is allowed; atomic, so that concurrent attempts cannot exceed the limit. */
export async function reserve(db: Db, { key, rule, about }: Limit): Promise<boolean> {
  const { userId = null, systemId = null } = about ?? {}
  return (await reserving([rule])(db).execute({ key, userId, systemId })).length === 1
}

/** Undoes the count of an attempt that was not checked, or was correct. */
export async function giveBack(db: Db, { key, rule }: Limit): Promise<void> {
  const before = sql`greatest(${limits.points} - 1, 0)`
  const span = rule.kind === 'growing' ? waitAfter(rule.waits, before) : ms(rule.every)
  await db
    .update(limits)
    .set({ points: before, expire: sql`${limits.expire} - ${span}` })
    .where(inArray(limits.key, [key]))
}

const waiting = byRules((rules, nth) =>
  preparedRead((db) => {
    const keys = rules.map((_, n) => sql.placeholder(String(n)))
    const next = sql.join(
      rules.map((rule, n) => sql`when ${keys[n]} then ${nextOf(rule)}`),
      sql` `,
    )
    const wait = sql`case ${limits.key} ${next} end - ${clock}`
    return db
      .select({ seconds: sql<number>`coalesce(max(ceil((${wait}) / 1000.0)), 0)::int` })
      .from(limits)
      .where(inArray(limits.key, keys))
      .prepare(`seconds_to_wait_${nth}`)
  }),
)

/** Seconds until an attempt is allowed by all these limits; 0 if it is. */
export async function secondsToWait(db: Db, limits: readonly Limit[]): Promise<number> {
  const statement = waiting(limits.map(({ rule }) => rule))
  const [row] = await statement(db).execute({ ...limits.map(({ key }) => key) })
  return Math.max(0, row?.seconds ?? 0)
}

/** With arrays of keys, whose length a generic plan does not know, PostgreSQL would plan each execution. */
const forgetting = byRules((rules, nth) => {
  const among = (onSuccess: Rule['onSuccess']) =>
    inArray(
      limits.key,
      rules.flatMap((rule, n) => (rule.onSuccess === onSuccess ? [sql.placeholder(String(n))] : [])),
    )
  const [forgotten, reduced] = [among('forget'), among('reduce')]
  return prepared((db) => {
    const locked = db
      .$with('locked')
      .as(
        db
          .select({ key: limits.key })
          .from(limits)
          .where(or(forgotten, reduced))
          .orderBy(limits.key)
          .for('update'),
      )
    const gone = db.$with('gone').as(
      db
        .delete(limits)
        .where(and(forgotten, inArray(limits.key, sql`(select key from locked)`)))
        .returning({ points: limits.points }),
    )
    const attempts = sql`(select case when ${sql.placeholder('one')}::boolean then 1
    else greatest(coalesce(sum(points), 0), 1) end from gone)`
    return db
      .with(locked, gone)
      .update(limits)
      .set({
        points: sql`greatest(${limits.points} - ${attempts}, 0)`,
        expire: sql`${limits.expire} - ${attempts} * ${sql.placeholder('every')}::bigint`,
      })
      .where(reduced)
      .prepare(`forget_limits_${nth}`)
  })
})

/**
 * Deletes the counts of `forgotten`, whose rules say `forget`, and undoes in `reduced`, whose rules say
 * `reduce`, the attempts that these have counted; only the present attempt if `one`. Rows are locked in the
 * order of `guarded`, to prevent deadlocks.
 */
export async function forget(
  db: Db,
  { forgotten, reduced, one }: { forgotten: readonly Limit[]; reduced: readonly Limit[]; one: boolean },
): Promise<void> {
  const all = [...forgotten, ...reduced]
  const statement = forgetting(all.map((each) => each.rule))
  const [rule] = reduced.map((each) => each.rule)
  const every = rule?.kind === 'steady' ? rule.every * 1_000 : 0
  await statement(db).execute({ ...all.map(({ key }) => key), every, one })
}
