import pg from 'pg'
import { inRequestTime } from '../../request-time.ts'
import { tracedStatement } from '../../tracing.ts'
import type { Connections } from '../database.ts'
import { isDatabaseFault, isReadOnlyServer } from '../faults.ts'
import { type Queries, rethrowConnectError, rethrowDriverError } from './driver-errors.ts'
import { measureWait } from './measure.ts'
import { type ServerClient, type Servers, tryEach } from './servers.ts'
import { countWrite } from './written-bytes.ts'

/**
 * A connection that is in use until `release`, which closes it after a database fault. One to a server that
 * is read-only is closed before its next use, when it is stale (servers.ts).
 */
export type Lease = Queries & { client: object; release(fault?: unknown): void }

export type Pool = Queries & {
  lease(): Promise<Lease>
  connections(): Connections
  end(): Promise<void>
}

type PooledClient = ServerClient & pg.PoolClient

/** A pool. Waiting for it is time of the request; a server that has become read-only is left. */
export function openPool(servers: Servers, settings: pg.PoolConfig): Pool {
  const Client = servers.Client as unknown as NonNullable<pg.PoolConfig['Client']>
  const pool = new pg.Pool({ ...settings, Client })
  // An idle connection was lost; the next query opens another, or reports the error.
  pool.on('error', () => {})

  async function connect(): Promise<PooledClient> {
    for (;;) {
      const client = (await tryEach(servers, () => connectInTime(pool))) as PooledClient
      if (!client.isStale) return client
      client.release(true)
    }
  }

  async function lease(): Promise<Lease> {
    const since = performance.now()
    const client = await connect().catch(rethrowConnectError)
    measureWait(performance.now() - since, {})
    return {
      client,
      query: async (statement, values) => {
        countWrite(statement, values)
        return tracedStatement(statement, () =>
          inRequestTime(() => client.query(statement, values)).catch(rethrowDriverError),
        )
      },
      release(fault) {
        client.report(fault)
        client.release(isDatabaseFault(fault) && !isReadOnlyServer(fault))
      },
    }
  }

  return {
    lease,
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: settings.max ?? 0,
    }),
    async query(statement, values) {
      const leased = await lease()
      let fault: unknown
      try {
        return await leased.query(statement, values)
      } catch (error) {
        fault = error
        throw error
      } finally {
        leased.release(fault)
      }
    },
    end: () => pool.end(),
  }
}

/** A connection that arrives too late for the request goes back to the pool. */
async function connectInTime(pool: pg.Pool): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  try {
    return await inRequestTime(() => connecting)
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => {},
    )
    throw error
  }
}
