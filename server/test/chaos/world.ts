/**
 * The servers of a chaos run and their database, on a small file system of their own if root can mount one:
 * on PostgreSQL two servers that reach it through a proxy, on the embedded database one.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { type NetworkProxy, startProxy } from './proxy.ts'

/** The library of Debian's package `faketime`. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
/** In MB: the database, with room for about an hour of changes. */
const DISK = 1_500

export const CLIENT = { id: 'chaos-platform', secret: 'a-secret-of-the-chaos' }

export const ENGINES = ['postgres', 'embedded'] as const
export type Engine = (typeof ENGINES)[number]

export type World = {
  engine: Engine
  servers: TestServer[]
  urls: string[]
  postgres?: Postgres
  proxy?: NetworkProxy
  /** Runs statements on PostgreSQL, without the proxy. */
  query(statement: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** The file system of the database; undefined if it could not be mounted. */
  disk?: string
  /** The environment in which a server has another time; undefined without libfaketime. */
  clock?: (seconds: number) => Record<string, string>
  close(): Promise<void>
}

/** Mounts a file system of its own; undefined without the right to do so. */
function mountDisk(folder: string): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}m`, 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    return undefined
  }
}

const clockBy = (seconds: number) => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME: `${seconds >= 0 ? '+' : ''}${seconds}s`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})
/** Overrides `clockBy`. */
export const USUAL_TIME = { LD_PRELOAD: '', FAKETIME: '' }

const settings = (databaseUrl?: string) => ({
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  SECRET_KEY: 'a key for the chaos, 32 characters or more',
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
  TTL_SERVICE_TOKEN: '86400',
  TTL_REFRESH_GRACE: '300', // a repeated refresh succeeds although the clock has moved by 120 s meanwhile
  TTL_ACCESS_TOKEN: '86400',
  LOG_LEVEL: 'error',
})

/** 2 minutes, in ms: also on a machine that does other work. */
const START_MAX = 120_000

export async function openWorld(engine: Engine): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-chaos-'))
  execFileSync('chmod', ['a+rx', folder])
  const disk = mountDisk(folder)
  const closing: (() => unknown)[] = [
    () => disk && execFileSync('umount', ['-l', disk]),
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  ].reverse()
  const close = async () => {
    for (const each of closing.reverse()) await each()
  }
  const shared = {
    engine,
    ...(disk && { disk }),
    ...(existsSync(FAKETIME) && { clock: clockBy }),
    close,
  }
  try {
    if (engine === 'embedded') {
      const server = await startServer({
        env: { ...settings(), DATA_DIR: join(folder, 'data') },
        createsDatabase: true,
        startMax: START_MAX,
      })
      closing.push(() => server.close())
      const query = () => Promise.reject(new Error('The embedded database is open in its server'))
      return { ...shared, servers: [server], urls: [server.url], query }
    }
    const postgres = await startPostgres({ durable: true, keep: join(folder, 'postgres') })
    closing.push(() => postgres.close())
    const database = await createDatabase(postgres.url)
    const proxy = await startProxy(Number(new URL(postgres.url).port))
    closing.push(() => proxy.close())
    const through = new URL(database.url)
    through.port = String(proxy.port)
    const env = settings(through.href)
    const first = await startServer({ env, startMax: START_MAX })
    closing.push(() => first.close())
    const second = await startServer({ env: { ...env, BASE_URL: first.url }, startMax: START_MAX })
    closing.push(() => second.close())
    const servers = [first, second]
    const query = async (statement: string, values: unknown[] = []) => {
      const client = new pg.Client({ connectionString: database.url })
      client.on('error', () => {}) // the statement fails
      await client.connect()
      const result = values.length > 0 ? client.query(statement, values) : client.query(statement)
      return (await result.finally(() => client.end())).rows
    }
    return { ...shared, servers, urls: servers.map(({ url }) => url), postgres, proxy, query }
  } catch (error) {
    await close()
    throw error
  }
}
