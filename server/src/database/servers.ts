import pg from 'pg'
import type { PostgresServers } from '../config/postgres-url.ts'
import { DatabaseUnavailable } from '../errors.ts'

/** A connection to one of the servers of DATABASE_URL. */
export type ServerClient = pg.Client & {
  /** Whether its server was rejected after the connection was opened: it must not be used again. */
  readonly isStale: boolean
  /** Its server has become read-only: connections opened so far are stale, new ones try the next server. */
  reject(): void
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
    /**
     * PostgreSQL reports both without a statement when a connection opens, and again when they change. A
     * pooler may not report them; then a refused write shows that the server is read-only.
     */
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

    reject() {
      if (this.isStale) return
      generation += 1
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

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect()
        if (!needsWritable || this.#readOnly.size === 0) return this
      } catch (error) {
        skip(this.#server)
        throw error
      }
      skip(this.#server)
      this.end().catch(ignore)
      throw new DatabaseUnavailable({ cause: new Error(`${this.host}:${this.port} is read-only`) })
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
