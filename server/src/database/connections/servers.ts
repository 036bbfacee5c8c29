import pg from 'pg'
import type { PostgresServers } from '../../config/postgres-url.ts'
import { DatabaseUnavailable } from '../../errors.ts'
import { isLoginRefused, isReadOnlyServer, isServerGone } from '../faults.ts'
import { demandBinding, isSocket, refusesWay, settingsOf, waysOf } from './tls.ts'

/** A connection to one of the servers of DATABASE_URL. */
export type ServerClient = pg.Client & {
  /** Whether its server was rejected after the connection was opened: it must not be used again. */
  readonly isStale: boolean
  /**
   * Reports the error of a statement. After a connection was lost, new ones try the next server. After a
   * write was refused because the server is read-only, the connections opened so far are stale as well: at
   * most once in `REPLACED_AGAIN` for each server.
   */
  report(error: unknown): void
}

export type Servers = {
  /** Names what the next connection tries: after a failure something else, if there is anything. */
  attempt(): string
  /** Throws the last refusal of a login shortly after it, unless the setting has changed since. */
  demandLogin(): void
  /** Called with the error after which nothing else is left to try. */
  giveUp(error: unknown): void
  /** Opens connections to the current server; a failure makes the next one current. */
  Client: new (
    config: pg.ClientConfig,
  ) => ServerClient
}

/** An error event without a listener ends the process; the next statement reports the error. */
const ignore = () => {}

/**
 * A server, and which way of connecting to it is used: that which worked last, at first the first one.
 * `leftAt`: when it was left because it was read-only, by the clock of the process.
 */
type Server = { url: string; ways: readonly boolean[]; way: number; wasRefused: boolean; leftAt: number }

const serverOf = (url: string, { tls }: PostgresServers): Server => ({
  url,
  ways: isSocket(url) ? [false] : waysOf(tls.mode),
  way: 0,
  wasRefused: false,
  leftAt: Number.NEGATIVE_INFINITY,
})

/**
 * 1 s, in ms: after a refused login, whose password may be being replaced. Otherwise each request would send
 * the password that was refused, and a server may lock out those who do.
 */
const REFUSED_PAUSE = 1_000

/**
 * 1 s, in ms: as long as a database is read-only, each write and each health check is refused. Otherwise each
 * of them would open the connections of the process again.
 */
const REPLACED_AGAIN = 1_000

/**
 * The servers of DATABASE_URL, of which one is current. When a login is refused, `reread` returns the setting
 * as it is now in its file.
 */
export function createServers(given: PostgresServers, reread?: () => PostgresServers | undefined): Servers {
  let setting = given
  let servers = setting.urls.map((url) => serverOf(url, setting))
  /** The version of the setting. */
  let version = 0
  let current = 0
  let generation = 0
  let refused: { error: unknown; until: number } | undefined
  /** Whether the setting has changed since a version. */
  const hasChanged = (since: number): boolean => {
    if (since !== version) return true
    const next = reread?.()
    if (!next || JSON.stringify(next) === JSON.stringify(setting)) return false
    setting = next
    servers = next.urls.map((url) => serverOf(url, next))
    current = 0
    version += 1
    refused = undefined
    return true
  }
  const demandLogin = () => {
    if (refused && performance.now() < refused.until && !hasChanged(version)) throw refused.error
  }
  const skip = (server: Server) => {
    if (server === servers[current]) current = (current + 1) % servers.length
  }
  /** The other way of a server that refuses this one; the next server after both, or if it is not reached. */
  const leave = (server: Server, isEncrypted: boolean, error: unknown) => {
    if (server.ways.length === 1 || !refusesWay(error, isEncrypted)) return skip(server)
    if (server.ways[server.way] !== isEncrypted) return // another connection was refused before
    if (server.wasRefused) skip(server)
    server.way = 1 - server.way
    server.wasRefused = !server.wasRefused
  }

  class Client extends pg.Client implements ServerClient {
    readonly #server: Server
    readonly #isEncrypted: boolean
    readonly #needsWritable: boolean
    readonly #version = version
    readonly #generation = generation
    /** The parameters that PostgreSQL reports without a statement, when a connection opens and later. */
    readonly #readOnly = new Set<string>()

    constructor(config: pg.ClientConfig) {
      const { tls, needsWritable } = setting
      const server = servers[current]!
      const isEncrypted = server.ways[server.way]!
      super({
        ...config,
        connectionString: server.url,
        ...(isEncrypted ? settingsOf(tls) : { ssl: false }),
      })
      this.#server = server
      this.#isEncrypted = isEncrypted
      this.#needsWritable = needsWritable
      if (tls.isBound) demandBinding(this)
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
      if (isReadOnly) {
        if (performance.now() - this.#server.leftAt < REPLACED_AGAIN) return
        this.#server.leftAt = performance.now()
        generation += 1
      }
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
      demandLogin() // refused meanwhile: the pool opens a connection for each request that waits
      try {
        await super.connect()
        this.#server.wasRefused = false
      } catch (error) {
        if (!isLoginRefused(error) || !hasChanged(this.#version))
          leave(this.#server, this.#isEncrypted, error)
        throw error
      }
      if (!this.#needsWritable) return this
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
  return {
    attempt: () => `${version} ${current} ${servers[current]!.way}`,
    demandLogin,
    giveUp(error) {
      if (isLoginRefused(error)) refused = { error, until: performance.now() + REFUSED_PAUSE }
    },
    Client,
  }
}

/**
 * Connects; where that fails, tries the other way of the server and the next server, each once, and all of
 * them again if the setting has changed.
 */
export async function tryEach<T>(servers: Servers, connect: () => Promise<T>): Promise<T> {
  const tried = new Set<string>()
  servers.demandLogin()
  for (;;) {
    tried.add(servers.attempt())
    try {
      return await connect()
    } catch (error) {
      if (!tried.has(servers.attempt())) continue
      servers.giveUp(error)
      throw error
    }
  }
}
