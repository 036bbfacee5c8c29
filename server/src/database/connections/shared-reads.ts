import type pg from 'pg'
import { inRequestTime } from '../../request-time.ts'
import { tracedStatement } from '../../tracing.ts'
import { isLockTimeout, isStaleStatement } from '../faults.ts'
import { type Queries, rethrowConnectError, rethrowDriverError } from './driver-errors.ts'
import { type ServerClient, type Servers, tryEach } from './servers.ts'

/**
 * In ms. A read waits for a lock only while another session changes the table itself;
 * the reads behind it wait as well.
 */
const SHARED_LOCK_TIMEOUT = 50
/** In ms: how long reads use the pool after a lock timeout. */
const SHARED_PAUSE = 1_000

/**
 * One connection for the short reads of many requests, pipelined: a statement is sent without waiting for the
 * answers to earlier ones (decision 0035). It is opened at the first read, and again after it was lost. Reads
 * that hit a lock timeout are repeated through the pool.
 */
export function openSharedReads(servers: Servers, settings: pg.ClientConfig, pool: Queries) {
  type Opened = { client: ServerClient; connected: Promise<pg.Client>; leave(): void }
  let current: Opened | undefined
  let pausedUntil = 0
  let ended = false
  const open = (): Opened => {
    const client = new servers.Client({ ...settings, pipeline: true, lock_timeout: SHARED_LOCK_TIMEOUT })
    const opened: Opened = {
      client,
      connected: client.connect(),
      leave() {
        if (current === opened) current = undefined
        void client.end() // statements already sent are answered first
      },
    }
    client.on('error', opened.leave).on('end', opened.leave)
    opened.connected.catch(opened.leave)
    return opened
  }
  const connect = async (): Promise<Opened> => {
    current ??= open()
    const opened = current
    await inRequestTime(() => opened.connected)
    return opened
  }
  const shared = {
    async query(statement: pg.QueryConfig, values: unknown[], isFirst = true): Promise<pg.QueryResult> {
      if (ended || performance.now() < pausedUntil) return pool.query(statement, values)
      if (current?.client.isStale) current.leave()
      const { client, leave } = await tryEach(servers, connect).catch(rethrowConnectError)
      try {
        return await tracedStatement(statement, () =>
          inRequestTime(() => client.query(statement, values)).catch(rethrowDriverError),
        )
      } catch (error) {
        client.report(error)
        if (isLockTimeout(error)) {
          pausedUntil = performance.now() + SHARED_PAUSE
          return pool.query(statement, values)
        }
        if (!isFirst || !isStaleStatement(error)) throw error
        leave()
        return shared.query(statement, values, false)
      }
    },
    /**
     * Does not wait until the connection is closed: a database that does not answer would delay the shutdown.
     */
    end(): void {
      ended = true
      current?.leave()
    },
  }
  return shared
}
