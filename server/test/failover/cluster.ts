/**
 * Three PostgreSQL servers with Patroni, one etcd and HAProxy on this machine, with the configuration of
 * `ops/high-availability`. A "machine" is the processes of one Patroni and its PostgreSQL.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort, unprivileged } from '../support/postgres.ts'

const CONFIGURATION = join(import.meta.dirname, '../../../ops/high-availability')
/** In ms: the start of a cluster, and its recovery after a fault. */
const PATIENCE = 120_000

export type Programs = { patroni: string; etcd: string; haproxy: string; postgresBin: string }

export type Machine = {
  name: string
  /** Patroni, PostgreSQL and their child processes. */
  pids(): number[]
  postmaster(): number
  /** The processes of a primary that send changes to the standbys. */
  walSenders(): number[]
  signal(signal: NodeJS.Signals): void
  start(): void
  api: string
}

export type Cluster = {
  /** Through HAProxy. */
  url: string
  machines: Machine[]
  leader(): Promise<Machine>
  /** Moves the primary to another machine, as an operator does. */
  switchOver(): Promise<void>
  /** Waits until there is one primary with its synchronous standby, and all machines run. */
  settled(): Promise<void>
  /** Removes the folder, unless its logs are kept. */
  close(keep?: 'keep logs'): Promise<void>
}

type Member = { name: string; role: string; state: string; timeline: number }

/** Resolves with the first value that is not undefined. */
export async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE
  while (performance.now() < end) {
    const value = await read().catch(() => undefined)
    if (value !== undefined) return value
    await pause(200)
  }
  throw new Error(`Not in time: ${what}`)
}

function launch(folder: string, name: string, program: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, {
    ...unprivileged(),
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  return child
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
    return children.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return [] // it has ended
  }
}

const titleOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

type MachineOptions = {
  folder: string
  name: string
  programs: Programs
  ports: { postgres: number; api: number }
  env: NodeJS.ProcessEnv
}

function createMachine({ folder, name, programs, ports, env }: MachineOptions): Machine {
  const data = join(folder, name)
  let patroni: ChildProcess | undefined
  const postmaster = () => {
    const file = join(data, 'postmaster.pid')
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
    return titleOf(pid).includes(data) ? pid : 0
  }
  const pids = () =>
    [patroni?.pid ?? 0, postmaster()].filter((pid) => pid > 0).flatMap((pid) => [pid, ...childrenOf(pid)])
  const own = {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${ports.api}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${ports.api}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${ports.postgres}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${ports.postgres}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
    PATRONI_POSTGRESQL_BIN_DIR: programs.postgresBin,
  }
  const signal = (sent: NodeJS.Signals) => {
    for (const pid of new Set(pids())) {
      try {
        process.kill(pid, sent)
      } catch {} // it has ended with its parent
    }
  }
  return {
    name,
    api: `http://127.0.0.1:${ports.api}`,
    pids,
    postmaster,
    walSenders: () => childrenOf(postmaster()).filter((pid) => titleOf(pid).includes('walsender')),
    signal,
    start() {
      patroni = launch(folder, name, programs.patroni, [join(folder, 'patroni.yml')], { ...env, ...own })
    },
  }
}

const SUPERUSER = { name: 'postgres', password: 'superuser-of-the-test' }

async function startEtcd(folder: string, programs: Programs): Promise<{ child: ChildProcess; host: string }> {
  const [client, peer] = [await freePort(), await freePort()]
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  const args = [
    ...['--name', 'etcd1', '--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `etcd1=${peerUrl}`],
  ]
  const child = launch(folder, 'etcd', programs.etcd, args, {})
  await until('etcd', async () => (await fetch(`${clientUrl}/health`)).ok || undefined)
  return { child, host: `127.0.0.1:${client}` }
}

function startHaproxy(folder: string, programs: Programs, port: number, machines: MachineOptions[]) {
  const servers = machines.flatMap(({ ports }, index) => [
    [`DB${index + 1}`, `127.0.0.1:${ports.postgres}`],
    [`DB${index + 1}_API`, String(ports.api)],
  ])
  const env = { LISTEN: `127.0.0.1:${port}`, ...Object.fromEntries(servers) }
  return launch(folder, 'haproxy', programs.haproxy, ['-db', '-f', join(CONFIGURATION, 'haproxy.cfg')], env)
}

/** The reference file, with its sockets in the folder, and asynchronous replication for the control. */
function configurationFor(folder: string, synchronous: boolean): string {
  const text = readFileSync(join(CONFIGURATION, 'patroni.yml'), 'utf8')
  const local = `\npostgresql:\n  parameters:\n    unix_socket_directories: ${folder}\n`
  const here = text.replace('\npostgresql:\n', local)
  const asynchronous = here.replaceAll(/^( +synchronous_mode(?:_strict)?): true$/gm, '$1: false')
  if (here === text || asynchronous === here) throw new Error('ops/high-availability/patroni.yml has changed')
  return synchronous ? here : asynchronous
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {}) // the caller repeats it
  await client.connect()
  return (await client.query(statement).finally(() => client.end())).rows
}

/** With `synchronous` false, a commit is acknowledged before a standby has it. */
export async function startCluster(
  programs: Programs,
  { synchronous }: { synchronous: boolean },
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-cluster-'))
  const user = unprivileged()
  if (user) chownSync(folder, user.uid, user.gid)
  writeFileSync(join(folder, 'patroni.yml'), configurationFor(folder, synchronous), { mode: 0o644 })
  const etcd = await startEtcd(folder, programs)
  const env = {
    PATRONI_ETCD3_HOSTS: etcd.host,
    PATRONI_SUPERUSER_USERNAME: SUPERUSER.name,
    PATRONI_SUPERUSER_PASSWORD: SUPERUSER.password,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: 'replicator-of-the-test',
  }
  const options: MachineOptions[] = []
  for (const name of ['db1', 'db2', 'db3']) {
    const ports = { postgres: await freePort(), api: await freePort() }
    options.push({ folder, name, programs, ports, env })
  }
  const machines = options.map(createMachine)
  const port = await freePort()
  const haproxy = startHaproxy(folder, programs, port, options)
  for (const machine of machines) machine.start()
  const url = `postgres://${SUPERUSER.name}:${SUPERUSER.password}@127.0.0.1:${port}/postgres`

  const members = async (): Promise<Member[]> => {
    const answers = machines.map(({ api }) => fetch(`${api}/cluster`, { signal: AbortSignal.timeout(2_000) }))
    return ((await (await Promise.any(answers)).json()) as { members: Member[] }).members
  }
  const leader = () =>
    until('a leader', async () => {
      const name = (await members()).find(({ role, state }) => role === 'leader' && state === 'running')?.name
      return machines.find((machine) => machine.name === name)
    })
  const settled = async () => {
    await until('three machines and a primary that accepts writes', async () => {
      const all = await members()
      const isComplete =
        all.length === 3 && all.every(({ state }) => ['running', 'streaming'].includes(state))
      const standbys = all.filter(({ role }) => role === (synchronous ? 'sync_standby' : 'replica'))
      return (isComplete && standbys.length > 0) || undefined
    })
    await until('HAProxy', async () => (await query(url, 'select pg_current_xact_id()')).length || undefined)
  }
  const stop = async () => {
    for (const machine of machines) {
      machine.signal('SIGCONT')
      machine.signal('SIGKILL')
    }
    for (const child of [haproxy, etcd.child]) {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
  }
  const close = async (keep?: 'keep logs') => {
    await stop()
    if (keep) process.stderr.write(`The logs are in ${folder}.\n`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const switchOver = async () => {
    const { name, api } = await leader()
    const response = await fetch(`${api}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: name }),
    })
    if (!response.ok) throw new Error(`switchover: ${response.status} ${await response.text()}`)
  }
  try {
    await settled()
  } catch (error) {
    await close('keep logs')
    throw error
  }
  return { url, machines, leader, switchOver, settled, close }
}
