/**
 * The cost of a run: CPU time from /proc, statements from pg_stat_statements, and the current speed of the
 * machine.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type pg from 'pg'

const { ENOENT, ESRCH } = constants.errno
/** Clock ticks per second in /proc (getconf CLK_TCK): always 100 on Linux. */
const TICKS = 100

type Stat = { parent: number; own: number; ended: number }

/** User and system time of a process and its reaped children, in seconds. */
function statOf(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The name is in brackets and may contain spaces. After it: state, ppid, …; utime is field 14 (proc(5)).
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return {
    parent: fields[1]!,
    own: (fields[11]! + fields[12]!) / TICKS,
    ended: (fields[13]! + fields[14]!) / TICKS,
  }
}

/** A process and its descendants, with the CPU time of each. */
function treeOf(root: number): Map<number, Stat> {
  const all = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    if (stat) all.set(Number(name), stat)
  }
  const tree = new Map<number, Stat>()
  const add = (pid: number) => {
    const stat = all.get(pid)
    if (!stat) return
    tree.set(pid, stat)
    for (const [child, { parent }] of all) if (parent === pid) add(child)
  }
  add(root)
  return tree
}

/** CPU seconds of a process and its descendants, including those that have ended. */
export const cpuOf = (root: number): number =>
  [...treeOf(root).values()].reduce((sum, { own, ended }) => sum + own + ended, 0)

/**
 * Raises the priority of a process and its descendants (root only); 0 restores it. Linux distributes CPU time
 * among sessions first (sched(7), autogroup), and every PostgreSQL process has its own session.
 */
export function changePriority(root: number, nice: number): void {
  for (const pid of treeOf(root).keys()) {
    try {
      setPriority(pid, nice)
      writeFileSync(`/proc/${pid}/autogroup`, String(nice))
    } catch (error) {
      const { errno = 0 } = error as NodeJS.ErrnoException
      // These two: the process has ended, or autogroups are not supported.
      if (-errno !== ENOENT && -errno !== ESRCH) throw error
    }
  }
}

/** CPU seconds of all processes since boot, including time stolen by the host. */
export function busyTime(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .split('\n', 1)[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / TICKS
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const CONTENT = Buffer.alloc(400, 'x')

/** Mean of 1,000 P-256 signatures in microseconds: the speed of the machine at the time of a run. */
export function calibrate(): number {
  const begun = performance.now()
  for (let n = 0; n < 1_000; n += 1) sign('sha256', CONTENT, privateKey)
  return performance.now() - begun
}

/**
 * Number of statements of a database so far. `brackets` are those that begin and end transactions; WAL in
 * bytes.
 */
export type Asked = { statements: number; brackets: number; wal: number }

const OF_DATABASE = 'from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1'

export async function askedOf(client: pg.Client, database: string): Promise<Asked> {
  const { rows } = await client.query<Record<keyof Asked, string>>(
    `select coalesce(sum(calls) filter (where not bracket), 0) as statements, coalesce(sum(calls) filter (where bracket), 0) as brackets,
       coalesce(sum(wal_bytes), 0) as wal
     from (select *, query ~* '^\\s*(begin|commit|rollback|savepoint|release)' as bracket ${OF_DATABASE})`,
    [database],
  )
  const { statements, brackets, wal } = rows[0]!
  return { statements: Number(statements), brackets: Number(brackets), wal: Number(wal) }
}

/** A statement of a database since the last reset: its total time in ms, and its WAL in bytes. */
export type Stated = { query: string; calls: number; ms: number; wal: number }

/** The statements in the order of their total time. */
export async function statementsOf(client: pg.Client, database: string): Promise<Stated[]> {
  const { rows } = await client.query<{ query: string; calls: string; ms: number; wal: string }>(
    `select query, calls, total_exec_time + total_plan_time as ms, wal_bytes as wal ${OF_DATABASE} order by ms desc`,
    [database],
  )
  return rows.map(({ query, calls, ms, wal }) => ({
    query: query.replace(/\s+/g, ' '),
    calls: Number(calls),
    ms,
    wal: Number(wal),
  }))
}

/** Resident memory of a process, in MB. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
