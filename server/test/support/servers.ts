/** The server as operators start it: `main.ts` in its own process, with its own folder and port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { freePort } from './postgres.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
/** Shared by all servers of the tests, whose data folders are new. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/compiled')
/** Timeout of a start, in ms. */
const START_MAX = 90_000

type Env = Record<string, string>
export type Exit = { code: number | null; signal: string | null; stdout: string; stderr: string }

/** A minimal environment, equal on every machine. */
const plainEnv = (): Env => ({
  PATH: process.env.PATH ?? '',
  LOG_LEVEL: 'warn',
  DRAIN_DELAY: '0',
  NODE_COMPILE_CACHE: COMPILE_CACHE,
})

type Launched = { child: ChildProcess; output: Exit; ended: Promise<Exit> }

function launch(env: Env, main: string, args: string[] = [], detached = false): Launched {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...plainEnv(), ...env },
    detached,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Exit = { code: null, signal: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => Object.assign(output, { code, signal }))
  return { child, output, ended }
}

/**
 * Starts a server that exits by itself or is killed after `killAfter` ms or when `killed` aborts, or runs a
 * command: `args`. Returns its output.
 */
export function startToEnd(
  env: Env,
  { killAfter = START_MAX, killed, args = [], main = MAIN }: ToEnd = {},
): Promise<Exit> {
  const { child, ended } = launch(env, main, args)
  const kill = () => child.kill('SIGKILL')
  const late = setTimeout(kill, killAfter)
  killed?.addEventListener('abort', kill)
  return ended.finally(() => clearTimeout(late))
}

type ToEnd = { killAfter?: number; killed?: AbortSignal; args?: string[]; main?: string }

export type TestServer = {
  url: string
  dataDir: string
  /** Its output since the last start. */
  output(): string
  pid(): number
  /** Ids of its child processes; Linux only. */
  children(): number[]
  /** Resolves when it has ended, by itself or not. */
  ended(): Promise<Exit>
  /** Sends the signal and waits for the exit. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): Promise<Exit>
  /** Sends the signal and does not wait. */
  signal(signal: NodeJS.Signals): void
  /**
   * Restarts with the same port, folder and settings, except those given. `main`: the entry point of another
   * version (versions.ts). Resolves when it is ready.
   */
  restart(env?: Env, main?: string): Promise<void>
  /** Stops it and removes its folder. */
  close(): Promise<void>
}

let emptyDatabase: Promise<string> | undefined

/** The folder of an embedded database without rows, created once per process: that takes seconds. */
function createEmptyDatabase(): Promise<string> {
  emptyDatabase ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenantry-database-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const database = join(folder, 'database')
    await (await openPglite(database)).close()
    return database
  })()
  return emptyDatabase
}

/**
 * Starts a server and resolves when it is ready. `DATABASE_URL` is set only by `env`.
 * `createsDatabase`: the server creates its embedded database itself, as at a first start.
 */
export async function startServer({
  env = {},
  createsDatabase = false,
  main: ownMain = MAIN,
  startMax = START_MAX,
  ownGroup = false,
}: {
  env?: Env
  createsDatabase?: boolean
  /** `kill` signals all processes of the server, as systemd does by default. */
  ownGroup?: boolean
  /** In ms: how long each start may take. */
  startMax?: number
  /** The entry point of another version (versions.ts). */
  main?: string
} = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tenantry-server-'))
  if (!createsDatabase && !env.DATABASE_URL && !env.DATA_DIR)
    cpSync(await createEmptyDatabase(), join(dataDir, 'database'), { recursive: true })
  const port = await freePort()
  const location = { PORT: String(port), DATA_DIR: dataDir }
  let server: Launched

  async function start(more: Env, main = ownMain): Promise<void> {
    server = launch({ ...location, ...env, ...more }, main, [], ownGroup)
    const { child, output, ended } = server
    const late = setTimeout(() => child.kill('SIGKILL'), startMax)
    const ready = new Promise<void>((resolve) => {
      child.stdout!.on('data', () => output.stdout.includes('is ready at') && resolve())
    })
    const failed = ended.then(({ stderr, signal }) => {
      throw new Error(`The server ended (${signal ?? 'by itself'}) before it was ready: ${stderr}`)
    })
    failed.catch(() => {}) // a later exit is no error
    await Promise.race([ready, failed]).finally(() => clearTimeout(late))
  }

  async function kill(signal: NodeJS.Signals): Promise<Exit> {
    const { pid, exitCode, signalCode } = server.child
    if (!ownGroup) server.child.kill(signal)
    else if (exitCode === null && signalCode === null) process.kill(-pid!, signal)
    return server.ended
  }

  await start({}).catch((error) => {
    rmSync(dataDir, { recursive: true, force: true })
    throw error
  })
  return {
    url: `http://localhost:${port}`,
    dataDir,
    output: () => server.output.stdout + server.output.stderr,
    pid: () => server.child.pid!,
    children: () =>
      readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    ended: () => server.ended,
    kill,
    signal: (signal) => void server.child.kill(signal),
    restart: (more = {}, main) => start(more, main),
    async close() {
      await kill('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
