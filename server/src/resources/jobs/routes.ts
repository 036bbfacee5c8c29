/**
 * Background jobs: what a change has left to be done after its response. Mounted at /admin/jobs, behind the
 * admin guard. They are executed by jobs/background.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { JOB_KINDS } from '../../database/schema.ts'
import { failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, oneOf, PageOf, PageQuery, pathId, Time } from '../../http/schemas.ts'
import { DOCS } from './docs.ts'
import { findJob, type ListedJob, listJobs } from './queries.ts'

const Job = Type.Object(
  {
    id: Id,
    kind: oneOf(JOB_KINDS, { title: 'JobKind', description: 'What the job does.' }),
    status: oneOf(['queued', 'running', 'finished'], {
      title: 'JobStatus',
      description: '`queued`: no batch has begun.',
    }),
    systemId: Nullable(
      Type.String({ format: 'uuid', description: 'The system that sees the job; null: the platform only.' }),
    ),
    target: Type.Object(
      { type: Type.String({ description: 'As in the audit log.' }), id: Type.String() },
      { title: 'JobTarget', description: 'What the change was about.' },
    ),
    done: Type.Integer({ description: 'The number of rows that are done.' }),
    total: Type.Integer({ description: 'The number of rows, as far as it is known.' }),
    error: Nullable(
      Type.String({
        description:
          'Why the last batch failed, which is repeated; null if it succeeded. `unavailable` for callers other than ' +
          'the platform.',
      }),
    ),
    createdAt: Time,
    startedAt: Nullable(Time),
    finishedAt: Nullable(Time),
  },
  { title: 'Job' },
)

/** The error is that of the database or the driver, which is not a system's to read. */
const answerOf = (caller: Caller, { createdAt, startedAt, finishedAt, error, ...job }: ListedJob) => ({
  ...job,
  error: error !== null && caller.authority !== 'platform' ? 'unavailable' : error,
  createdAt: createdAt.toISOString(),
  startedAt: startedAt?.toISOString() ?? null,
  finishedAt: finishedAt?.toISOString() ?? null,
})

type Parts = { db: Db }
const OPERATORS = { authority: ['platform', 'system'] } as const

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...OPERATORS, docs: DOCS.listJobs },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        systemId: Type.Optional(Id),
        unfinished: Type.Optional(
          Type.Boolean({ description: 'If true, returns only jobs that are not finished.' }),
        ),
      }),
      response: { 200: PageOf(Job, 'JobList'), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listJobs(db, reachOf(request.caller), { ...request.query, ...page })
      const answers = listed.rows.map((row) => answerOf(request.caller, row))
      return pageOf(page, listed, answers)
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:jobId',
    config: { ...OPERATORS, docs: DOCS.getJob },
    schema: {
      params: Type.Object({ jobId: pathId('job') }),
      response: { 200: Job, ...failures('job_not_found') },
    },
    handler: async ({ caller, params }) => answerOf(caller, await findJob(db, reachOf(caller), params.jobId)),
  })

export const jobsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, get])
