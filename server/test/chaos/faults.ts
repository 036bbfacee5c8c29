/** What happens to the servers and the database of a chaos run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestServer } from '../support/servers.ts'
import { ENGINES, type Engine, USUAL_TIME, type World } from './world.ts'

export type Fault = {
  name: string
  engines: readonly Engine[]
  /** False if this machine cannot cause it. */
  isPossible?(world: World): boolean
  /** While it lasts, a request may take longer than the 5 s within which it is answered otherwise. */
  stopsAnswers?: boolean
  /** Causes the fault and ends it. */
  happen(world: World): Promise<void>
}

const POSTGRES: Engine[] = ['postgres']
/** 4 s, in ms. */
const DURATION = 4_000

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Signals all processes of PostgreSQL. */
function signalPostgres(world: World, signal: NodeJS.Signals): void {
  const postmaster = world.postgres!.pid()
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, signal)
    } catch {} // a connection has just ended
  }
}

async function restart(server: TestServer, signal: 'SIGKILL' | 'SIGTERM', env = {}): Promise<void> {
  await server.kill(signal)
  await server.restart(env)
}

/** Fills the file system of the database for a while. */
async function fillDisk({ disk, postgres }: World): Promise<void> {
  const file = join(disk!, 'full')
  try {
    await once(spawn('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M'], { stdio: 'ignore' }), 'exit') // until it fails
    await once(spawn('dd', ['if=/dev/zero', `of=${file}.rest`, 'bs=1k'], { stdio: 'ignore' }), 'exit')
    await pause(DURATION)
  } finally {
    for (const each of [file, `${file}.rest`]) rmSync(each, { force: true })
  }
  // PostgreSQL ends if it has no space to recover after a crash. As a service manager does:
  await pause(500)
  if (postgres && !postgres.isRunning()) await postgres.start()
}

export const FAULTS: Fault[] = [
  {
    name: 'server killed (kill -9)',
    engines: ENGINES,
    happen: ({ servers }) => restart(any(servers), 'SIGKILL'),
  },
  {
    name: 'server restarted (SIGTERM)',
    engines: ENGINES,
    happen: ({ servers }) => restart(any(servers), 'SIGTERM'),
  },
  {
    name: 'server frozen',
    engines: ENGINES,
    stopsAnswers: true,
    async happen({ servers }) {
      const server = any(servers)
      server.signal('SIGSTOP')
      await pause(DURATION)
      server.signal('SIGCONT')
    },
  },
  {
    name: 'disk full',
    engines: ENGINES,
    isPossible: ({ disk }) => disk !== undefined,
    happen: fillDisk,
  },
  ...[-120, 120].map(
    (seconds): Fault => ({
      name: `clock of a server moved by ${seconds} s`,
      engines: ENGINES,
      isPossible: ({ clock }) => clock !== undefined,
      async happen({ servers, clock }) {
        const server = any(servers)
        await restart(server, 'SIGKILL', clock!(seconds))
        await pause(DURATION)
        await restart(server, 'SIGKILL', USUAL_TIME)
      },
    }),
  ),
  {
    name: 'PostgreSQL killed (kill -9)',
    engines: POSTGRES,
    async happen({ postgres }) {
      process.kill(postgres!.pid(), 'SIGKILL')
      await pause(500) // its processes notice that the postmaster is gone
      await postgres!.start()
    },
  },
  {
    name: 'PostgreSQL stopped for 4 s',
    engines: POSTGRES,
    async happen({ postgres }) {
      await postgres!.stop('immediate')
      await pause(DURATION)
      await postgres!.start()
    },
  },
  {
    name: 'PostgreSQL frozen for 4 s',
    engines: POSTGRES,
    async happen(world) {
      signalPostgres(world, 'SIGSTOP')
      await pause(DURATION)
      signalPostgres(world, 'SIGCONT')
    },
  },
  {
    name: 'connections terminated',
    engines: POSTGRES,
    async happen({ query }) {
      for (let round = 0; round < 5; round += 1) {
        await query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
        await pause(500)
      }
    },
  },
  {
    name: 'network slow (200 ms)',
    engines: POSTGRES,
    stopsAnswers: true, // several statements of 400 ms each are not waiting for an answer that does not come
    async happen({ proxy }) {
      proxy!.set({ delay: 200 })
      await pause(DURATION)
      proxy!.set()
    },
  },
  {
    name: 'network cut',
    engines: POSTGRES,
    async happen({ proxy }) {
      proxy!.set({ state: 'cut' })
      await pause(DURATION)
      proxy!.set()
    },
  },
  {
    name: 'network silent',
    engines: POSTGRES,
    async happen({ proxy }) {
      proxy!.set({ state: 'silent' })
      await pause(DURATION * 1.5)
      proxy!.set()
    },
  },
  {
    name: 'tables locked, connections used up',
    engines: POSTGRES,
    happen: async ({ query }) => {
      const lock = `begin; lock table users, memberships, sessions in access exclusive mode;
        select pg_sleep(${DURATION / 1_000}); commit`
      // A deadlock with a request may end this transaction instead of the request: then again.
      const failure = () =>
        query(lock).then(
          () => undefined,
          (error: { code?: string }) => error,
        )
      let failed = await failure()
      while (failed?.code === '40P01') failed = await failure()
      if (failed) throw failed
    },
  },
]
