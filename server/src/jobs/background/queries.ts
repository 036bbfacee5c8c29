/** The SQL of background jobs. resources/jobs lists them. */
import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { backgroundJobs } from '../../database/schema.ts'
import type { Actor } from '../../http/authority.ts'

/**
 * 10 s, in seconds: longer than a batch usually takes. Two processes never execute a batch of one job at the
 * same time, because each batch locks the row of its job; the lease only keeps them from trying.
 */
const LEASE = 10

const inSeconds = (seconds: number): SQL => sql`now() + make_interval(secs => ${seconds})`
/** It is no parameter: the planner would not use the partial index. */
const unfinished = sql`finished_at is null`
/** Stands for no system, as in the index. */
const NO_SYSTEM = sql`'00000000-0000-0000-0000-000000000000'::uuid`

export type JobKind = (typeof backgroundJobs.$inferSelect)['kind']

type NewJob = {
  kind: JobKind
  /** The system that sees the job; null: the platform only. */
  systemId: string | null
  target: { type: string; id: string }
  actor: Actor
  /** The number of rows, as far as it is known. */
  total: number
  parameters?: unknown
}

/** Adds a job, and returns its id. Pass the transaction that makes the change effective. */
export async function insertJob(tx: Db, { target, actor, ...job }: NewJob): Promise<string> {
  const [row] = await tx
    .insert(backgroundJobs)
    .values({ ...job, targetType: target.type, targetId: target.id, actor })
    .returning({ id: backgroundJobs.id })
  return row!.id
}

export type LeasedJob = { id: string; kind: JobKind; lease: string }

/**
 * Leases up to `limit` jobs with a batch to do. Systems take turns: first the one of which the fewest jobs
 * are leased, then the one that was served longest ago; of its jobs the least recently served one.
 */
export function claimJobs(db: Db, limit: number): Promise<LeasedJob[]> {
  const isFree = sql`next_batch_at <= now() and coalesce(leased_until <= now(), true)`
  const next = sql`
    with leased as (
      select system_id, count(*) as jobs from ${backgroundJobs}
      where ${unfinished} and leased_until > now() group by system_id
    ), due as (
      select id, system_id, row_number() over of_system as turn
      from ${backgroundJobs} where ${unfinished} and ${isFree}
      window of_system as (partition by system_id order by leased_until nulls first, created_at)
    ), waiting as (
      select due.id as waiting_id, due.turn + coalesce((select jobs from leased
          where leased.system_id is not distinct from due.system_id), 0) as turn,
        greatest((select max(leased_until) from ${backgroundJobs} other where ${unfinished}
            and other.system_id is not distinct from due.system_id),
          (select max(finished_at) from ${backgroundJobs} other where finished_at is not null
            and coalesce(other.system_id, ${NO_SYSTEM}) = coalesce(due.system_id, ${NO_SYSTEM}))) as served
      from due where turn <= ${limit}
    )
    select id from ${backgroundJobs} join waiting on waiting_id = id
    where ${unfinished} and ${isFree}
    order by turn, served nulls first, created_at limit ${limit} for update of ${backgroundJobs} skip locked`
  return db
    .update(backgroundJobs)
    .set({
      lease: sql`gen_random_uuid()`,
      leasedUntil: inSeconds(LEASE),
      startedAt: sql`coalesce(started_at, now())`,
    })
    .where(sql`${backgroundJobs.id} = any(array(${next}))`)
    .returning({
      id: backgroundJobs.id,
      kind: backgroundJobs.kind,
      lease: sql<string>`lease`,
    })
}

const leased = ({ id, lease }: LeasedJob) =>
  and(eq(backgroundJobs.id, id), eq(backgroundJobs.lease, lease), unfinished)

export type Job = {
  id: string
  target: { type: string; id: string }
  systemId: string | null
  actor: Actor
  parameters: unknown
  cursor: unknown
}

/** Locks a leased job for a batch, and extends the lease. Undefined if another process has leased it. */
export async function lockJob(tx: Db, claimed: LeasedJob): Promise<Job | undefined> {
  const [row] = await tx
    .update(backgroundJobs)
    .set({ leasedUntil: inSeconds(LEASE) })
    .where(leased(claimed))
    .returning()
  return (
    row && {
      id: row.id,
      target: { type: row.targetType, id: row.targetId },
      systemId: row.systemId,
      actor: row.actor as Actor,
      parameters: row.parameters,
      cursor: row.cursor,
    }
  )
}

/** What a batch has done, and when the next one is due. */
export type Progress = {
  /** Rows. */
  done: number
  /** The place where the next batch begins. */
  cursor: unknown
  /** Seconds until the next batch; undefined if the job is finished. */
  wait: number | undefined
}

/** Stores the progress in the transaction of the batch. */
export async function storeProgress(tx: Db, id: string, { done, cursor, wait }: Progress): Promise<void> {
  const sum = sql`${backgroundJobs.done} + ${done}`
  await tx
    .update(backgroundJobs)
    .set({
      done: sum,
      total: sql`greatest(${backgroundJobs.total}, ${sum})`, // rows that were added since it was counted
      failures: 0,
      error: null,
      ...(wait === undefined
        ? {
            cursor: null,
            actor: null,
            parameters: null,
            finishedAt: sql`now()`,
            total: sum,
            leasedUntil: null,
          }
        : { cursor: cursor ?? null, nextBatchAt: inSeconds(wait) }),
    })
    .where(eq(backgroundJobs.id, id))
}

/** Ends the lease, so that jobs take turns. */
export async function releaseJob(db: Db, claimed: LeasedJob): Promise<void> {
  await db.update(backgroundJobs).set({ leasedUntil: sql`now()` }).where(leased(claimed))
}

/** Stores why a batch failed, and ends the lease: the batch is repeated after up to a minute. */
export async function postponeJob(db: Db, claimed: LeasedJob, error: string): Promise<void> {
  await db
    .update(backgroundJobs)
    .set({
      leasedUntil: sql`now()`,
      failures: sql`${backgroundJobs.failures} + 1`,
      nextBatchAt: sql`now() + make_interval(secs => least(60, power(2, least(${backgroundJobs.failures}, 10))))`,
      error,
    })
    .where(leased(claimed))
}
