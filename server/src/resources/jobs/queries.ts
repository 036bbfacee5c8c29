/** SQL statements that read background jobs. jobs/background writes them. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { backgroundJobs } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'

const columns = {
  id: backgroundJobs.id,
  kind: backgroundJobs.kind,
  systemId: backgroundJobs.systemId,
  target: { type: backgroundJobs.targetType, id: backgroundJobs.targetId },
  status: sql<'queued' | 'running' | 'finished'>`case when ${backgroundJobs.finishedAt} is not null
    then 'finished' when ${backgroundJobs.startedAt} is not null then 'running' else 'queued' end`,
  done: backgroundJobs.done,
  total: backgroundJobs.total,
  error: backgroundJobs.error,
  createdAt: backgroundJobs.createdAt,
  startedAt: backgroundJobs.startedAt,
  finishedAt: backgroundJobs.finishedAt,
}

export type ListedJob = Awaited<ReturnType<typeof findJob>>

const inReach = (reach: Reach) => within(reach, { system: backgroundJobs.systemId, account: 'none' })

/** A page of the jobs in reach, newest first, and their number. */
export async function listJobs(
  db: Db,
  reach: Reach,
  { systemId, unfinished, ...page }: PageRequest & { systemId?: string; unfinished?: boolean },
): Promise<Listed<ListedJob>> {
  const found = and(
    inReach(reach),
    systemId === undefined ? undefined : eq(backgroundJobs.systemId, systemId),
    unfinished ? sql`finished_at is null` : undefined,
  )
  const matching = {
    all: sql`select id, ${backgroundJobs.createdAt} as time from ${backgroundJobs} where ${found ?? sql`true`}`,
  }
  return listPage(db, page, matching, (ids) =>
    db.select(columns).from(backgroundJobs).where(inArray(backgroundJobs.id, ids)),
  )
}

/** Throws `job_not_found`, also if the job is out of reach. */
export async function findJob(db: Db, reach: Reach, id: string) {
  const [job] = await db
    .select(columns)
    .from(backgroundJobs)
    .where(and(eq(backgroundJobs.id, id), inReach(reach)))
  if (!job) throw new Failure('job_not_found')
  return job
}
