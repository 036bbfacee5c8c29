/** What /metrics consists of. The libraries are loaded only if it is on. */
import cluster from 'node:cluster'
import { type Config, VERSION } from './config/config.ts'
import { hashLoad } from './crypto/password-hash.ts'
import type { Database } from './database/database.ts'
import type { Reading } from './http/metrics/numbers.ts'
import { watchSystems } from './http/metrics/requests.ts'
import type { Scrape } from './http/metrics/workers.ts'
import { backlogReadings } from './jobs/backlog/readings.ts'
import { type CounterName, DIMENSIONS, totalsOf } from './journal/stats/count.ts'

/** Starts to measure. The metrics of this process, in a worker those of all processes. */
export async function openMetrics({
  config,
  database,
}: {
  config: Config
  database: Database
}): Promise<Scrape> {
  const [{ openNumbers }, { joinPrimary, textOf }] = await Promise.all([
    import('./http/metrics/numbers.ts'),
    import('./http/metrics/workers.ts'),
  ])
  watchSystems(config.METRICS_SYSTEMS)
  const build = { version: VERSION, node: process.versions.node, database: database.kind }
  const readings = [...STATISTICS, HASHES, ...connectionReadings(database), ...backlogReadings(database.db)]
  const read = openNumbers(readings, build)
  return cluster.isWorker ? joinPrimary(read) : async () => textOf([await read(true)])
}

/** What the process has counted for /admin/stats. */
const STATISTICS = Object.entries(DIMENSIONS).map(
  ([name, label]): Reading => ({
    name: `tenantry_${name}_total`,
    help: `Number by ${label}, as in /admin/stats.`,
    aggregator: 'sum',
    isCounter: true,
    read: () =>
      totalsOf(name as CounterName).map(({ key, count }) => ({ labels: { [label]: key }, value: count })),
  }),
)

const HASHES: Reading = {
  name: 'tenantry_password_hashes',
  help: 'Password hashes that are computed, and that wait for their turn.',
  aggregator: 'sum',
  read: () => Object.entries(hashLoad()).map(([state, value]) => ({ labels: { state }, value })),
}

function connectionReadings({ connections }: Database): Reading[] {
  if (!connections) return []
  return [
    {
      name: 'tenantry_database_connections',
      help: 'Connections of the pool by state, and requests that wait for one.',
      aggregator: 'sum',
      read() {
        const { inUse, idle, waiting } = connections()
        return Object.entries({ in_use: inUse, idle, waiting }).map(([state, value]) => ({
          labels: { state },
          value,
        }))
      },
    },
    {
      name: 'tenantry_database_connections_max',
      help: 'Connections that the pool may open (DATABASE_POOL).',
      aggregator: 'sum',
      read: () => [{ value: connections().max }],
    },
  ]
}
