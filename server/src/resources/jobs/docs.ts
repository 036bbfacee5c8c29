import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const JOB = {
  id: EXAMPLE.job,
  kind: 'end_sessions',
  status: 'running',
  systemId: EXAMPLE.system,
  target: { type: 'system', id: EXAMPLE.system },
  done: 12_000,
  total: 49_000,
  error: null,
  createdAt: TIME,
  startedAt: TIME,
  finishedAt: null,
}

export const DOCS = docsOf('jobs', {
  listJobs: {
    summary: 'List background jobs',
    description: `Returns the jobs that changes have left behind, newest first, until 30 days after they have finished.
      A change of more than about a thousand rows is effective with its response; its job writes the audit entries and
      events of the single rows, and deletes rows. A service token receives the jobs of its system.`,
    success: 'A page of jobs.',
    response: pageWith(JOB),
  },
  getJob: {
    summary: 'Get a background job',
    description: 'Returns a job with its progress. A batch that fails is repeated until it succeeds.',
    success: 'The job.',
    response: JOB,
  },
})
