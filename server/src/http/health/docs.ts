import { VERSION } from '../../config/config.ts'
import { docsOf } from '../docs.ts'

export const DOCS = docsOf('health', {
  getHealth: {
    summary: 'Check readiness',
    description: `Reports whether the process can serve requests, which requires the database. 503 if the database does
      not respond within 2 seconds or is read-only, and from SIGTERM on, while the process still serves requests for \`DRAIN_DELAY\`.
      For a load balancer.`,
    success: 'The process can serve requests.',
    response: { status: 'ok', version: VERSION, checks: { database: 'ok' } },
    others: {
      503: {
        description: 'The database does not respond or is read-only, or the process is stopping.',
        example: { status: 'unavailable', version: VERSION, checks: { database: 'unavailable' } },
      },
    },
  },
  getLiveness: {
    summary: 'Check liveness',
    description: `Reports whether the process responds. The database is not checked, because a restart of the process
      does not repair it. For a supervisor that restarts processes.`,
    success: 'The process responds.',
    response: { status: 'ok' },
  },
})
