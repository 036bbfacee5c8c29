import pg from 'pg'
import type { PostgresServers } from '../../config/postgres-url.ts'
import { DatabaseUnavailable } from '../../errors.ts'
import { isReadOnlyServer, isServerGone } from '../faults.ts'

/** A connection to one of the servers of DATABASE_URL. */
export type ServerClient = pg.Client & {
  /** Whether its server was rejected after the connection was opened: it must not be used again. */
  readonly isStale: boolean
  /**
   * Reports the error of a statement. After a connection was lost, new ones try the next server. After a
   * write was refused because the server is read-only, the connections opened so far are stale as well.
   */
  report(error: unknown): void
}

export type Servers = {
  count: number
  /** Opens connections to the current server. A failure makes the next server the current one. */
  Client: new (
    config: pg.ClientConfig,
  ) => ServerClient
}

/** An error event without a listener ends the process; the next statement reports the error. */
const ignore = () => {}

/** The servers of DATABASE_URL, of which one is current. */
export function createServers({ urls, needsWritable }: PostgresServers): Servers {
  let current = 0
  let generation = 0
  const skip = (server: number) => {
    if (server === current) current = (server + 1) % urls.length
  }

  class Client extends pg.Client implements ServerClient {
    readonly #server = current
    readonly #generation = generation
    /** Of the parameters that PostgreSQL reports without a statement, when a connection opens and later. */
    readonly #readOnly = new Set<string>()

    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: urls[current] })
      this.on('error', ignore)
      this.connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
        if (name !== 'in_hot_standby' && name !== 'default_transaction_read_only') return
        if (value === 'on') this.#readOnly.add(name)
        else this.#readOnly.delete(name)
      })
    }

    get isStale() {
      return this.#generation !== generation
    }

    report(error: unknown) {
      const isReadOnly = isReadOnlyServer(error)
      if (this.isStale || !(isReadOnly || isServerGone(error))) return
      if (isReadOnly) generation += 1
      skip(this.#server)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      const call = callback as (error: unknown, client?: pg.Client) => void
      connected.then(() => call(null, this), call)
      return undefined
    }

    /** A pooler reports what was true when it opened its first connection, so the server is asked as well. */
    async #isReadOnly(): Promise<boolean> {
      if (this.#readOnly.size === 0) return false
      const { rows } = await this.query<{ transaction_read_only: string }>('show transaction_read_only')
      return rows[0]?.transaction_read_only === 'on'
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect()
      } catch (error) {
        skip(this.#server)
        throw error
      }
      if (!needsWritable) return this
      try {
        if (!(await this.#isReadOnly())) return this
        throw new DatabaseUnavailable({ cause: new Error(`${this.host}:${this.port} is read-only`) })
      } catch (error) {
        skip(this.#server)
        this.end().catch(ignore)
        throw error
      }
    }
  }
  return { count: urls.length, Client }
}

/** Connects; where a server cannot be used, tries the next one, each once. */
export async function tryEach<T>({ count }: Servers, connect: () => Promise<T>): Promise<T> {
  for (let left = count - 1; ; left -= 1) {
    try {
      return await connect()
    } catch (error) {
      if (left === 0) throw error
    }
  }
}
