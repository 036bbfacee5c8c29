/** SQL of the checks of domains: the next ones, and their results. */
import type { Db } from '../../database/database.ts'
import { and, eq, type PgColumn, sql } from '../../database/drizzle.ts'
import { domains, type FoundRecords } from '../../database/schema.ts'
import { nextInTurn } from '../../jobs/turns.ts'
import { columns, type Domain, FAILING_MAX, MISSING_MAX } from './queries.ts'
import type { Challenge } from './record.ts'

/** 1 minute, in seconds: longer than the two lookups of a check. */
const LEASE = 60
/** Checks at the same time, by all processes. */
const OF_SYSTEM = 5
const OF_ACCOUNT = 2

/** `checks`: identifies the check. */
export type DueDomain = Challenge & Pick<Domain, 'id' | 'accountId'> & { checks: number }

const isDue = sql`next_attempt_at <= now() and coalesce(leased_until <= now(), true)`

/** Leases up to `limit` domains that are due. Systems take turns, and within one the accounts. */
export async function claimDomains(db: Db, limit: number): Promise<DueDomain[]> {
  // Most polls find none: the statement below reads the index of all systems that have domains.
  const { rows } = (await db.execute(sql`select 1 from ${domains} where ${isDue} limit 1`)) as {
    rows: unknown[]
  }
  if (rows.length === 0) return []
  const next = nextInTurn(
    {
      table: sql`${domains}`,
      tenant: sql`${domains.systemId}`,
      open: sql`next_attempt_at is not null`,
      most: OF_SYSTEM,
      part: { column: sql`${domains.accountId}`, most: OF_ACCOUNT },
    },
    limit,
  )
  return db
    .update(domains)
    .set({ leasedUntil: sql`now() + make_interval(secs => ${LEASE})`, checks: sql`${domains.checks} + 1` })
    .where(sql`${domains.id} = any(array(${next}))`)
    .returning({
      id: domains.id,
      accountId: domains.accountId,
      name: domains.name,
      word: domains.word,
      token: domains.token,
      checks: domains.checks,
    })
}

/** What a check has found. `failing`: a name server did not answer, which says nothing about the record. */
export type CheckResult =
  | { outcome: 'verified' | 'failing'; found: null }
  | { outcome: 'missing'; found: FoundRecords }

/** Daily, at a random time: domains that were verified together are not checked together. */
const DAILY = sql`now() + interval '23 hours' + random() * interval '2 hours'`
/**
 * 1, 5 and 15 minutes after a domain was added, then hourly for a week. Later, as a lapsed one, on request.
 */
const WHILE_PENDING = sql`case
  when now() < ${domains.createdAt} + interval '1 minute' then ${domains.createdAt} + interval '1 minute'
  when now() < ${domains.createdAt} + interval '5 minutes' then ${domains.createdAt} + interval '5 minutes'
  when now() < ${domains.createdAt} + interval '15 minutes' then ${domains.createdAt} + interval '15 minutes'
  when now() < ${domains.createdAt} + interval '7 days' then now() + interval '1 hour' end`

/** The row of this check, unless another process has begun a later one. */
const ofCheck = ({ id, checks }: DueDomain) => and(eq(domains.id, id), eq(domains.checks, checks))

/**
 * Stores the result of a check. Returns the domain before and after; undefined if the domain was deleted, or
 * another process has begun a later check.
 */
export async function storeCheck(
  tx: Db,
  due: DueDomain,
  { outcome, found }: CheckResult,
): Promise<{ before: Domain; after: Domain } | undefined> {
  const isOver = {
    missing: olderThan(domains.missingSince, MISSING_MAX),
    failing: olderThan(domains.failingSince, FAILING_MAX),
  }
  const [locked] = await tx
    .select({ ...columns, isOver })
    .from(domains)
    .where(ofCheck(due))
    .for('update')
  if (!locked) return undefined
  const { isOver: over, ...before } = locked
  const status = statusAfter(before.status, outcome, over)
  const [after] = await tx
    .update(domains)
    .set({
      status,
      ...timesAfter(status, outcome),
      nextAttemptAt: { pending: WHILE_PENDING, verified: DAILY, lapsed: null }[status],
      outcome,
      found,
      checkedAt: sql`now()`,
      leasedUntil: null,
      ...(status !== before.status && { updatedAt: sql`now()` }),
    })
    .where(ofCheck(due))
    .returning(columns)
  return { before, after: after! }
}

const olderThan = (since: PgColumn, days: number) =>
  sql<boolean>`coalesce(${since} <= now() - make_interval(days => ${days}), false)`

function statusAfter(
  before: Domain['status'],
  outcome: CheckResult['outcome'],
  isOver: { missing: boolean; failing: boolean },
): Domain['status'] {
  if (outcome === 'verified') return 'verified'
  return before === 'verified' && isOver[outcome] ? 'lapsed' : before
}

/** A failure says nothing about the record: it neither begins nor ends the time in which that is missing. */
function timesAfter(status: Domain['status'], outcome: CheckResult['outcome']) {
  const since = (column: PgColumn) => (status === 'pending' ? null : sql`coalesce(${column}, now())`)
  if (outcome === 'missing') return { missingSince: since(domains.missingSince), failingSince: null }
  if (outcome === 'failing') return { failingSince: since(domains.failingSince) }
  const verifiedAt = sql`case when ${domains.status} = 'verified' then ${domains.verifiedAt} else now() end`
  return { verifiedAt, missingSince: null, failingSince: null }
}
