/** The state of the queues for /metrics, read from the database at most every 10 seconds. */
import type { Db } from '../../database/database.ts'
import type { Reading } from '../../http/metrics/numbers.ts'
import { BACKLOG_COUNTED_MAX, type Backlog, readBacklogs } from './queries.ts'

/** 10 s, in ms: shorter than the usual interval of Prometheus. */
const KEPT = 10_000
/**
 * In ms: a database that does not answer must not delay the other metrics. Shorter than the primary of
 * WORKERS waits for them (http/metrics/workers.ts).
 */
const WAIT_MAX = 500

/** Undefined if the database does not answer. */
type Read = Promise<Backlog[] | undefined>

export function backlogReadings(db: Db): Reading[] {
  let known: { until: number; read: Read } | undefined
  const read = (): Read => {
    if (known && performance.now() < known.until) return known.read
    known = { until: performance.now() + KEPT, read: within(WAIT_MAX, readBacklogs(db)) }
    return known.read
  }
  const reading = (name: string, help: string, field: 'size' | 'oldest' | 'overdue'): Reading => ({
    name,
    help,
    aggregator: 'max',
    isShared: true,
    read: async () =>
      ((await read()) ?? []).map((backlog) => ({ labels: { queue: backlog.queue }, value: backlog[field] })),
  })
  return [
    {
      name: 'tenantry_database_up',
      help: '1 if the database answers, else 0.',
      aggregator: 'max',
      isShared: true,
      read: async () => [{ value: (await read()) ? 1 : 0 }],
    },
    reading(
      'tenantry_queue_size',
      `Entries that are not done yet; at most ${BACKLOG_COUNTED_MAX} are counted.`,
      'size',
    ),
    reading('tenantry_queue_oldest_seconds', 'Age of the oldest of the counted entries.', 'oldest'),
    reading('tenantry_queue_overdue_seconds', 'Time since the first entry could have been done.', 'overdue'),
  ]
}

function within(ms: number, reading: Promise<Backlog[]>): Read {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  return Promise.race([reading.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
