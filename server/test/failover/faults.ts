/** What can happen to the machines of a cluster, and the end of it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster, Machine } from './cluster.ts'

/** 40 s, in ms: longer than Patroni needs to promote another machine. */
const FREEZE = 40_000
/** 3 s, in ms: how long nothing is replicated. */
const DELAY = 3_000

/** Causes the fault. Resolves with its end, which is called when changes are acknowledged again. */
export type Fault = { name: string; cause(cluster: Cluster): Promise<() => Promise<void>> }

const nothing = async () => {}

const restart = (machine: Machine) => async () => machine.start()

/** Ends Patroni and PostgreSQL of a machine at once, as a power failure does. */
const lose = (machine: Machine) => machine.signal('SIGKILL')

/** The primary sends nothing to the standbys, and then is lost with what only it has. */
async function loseUnreplicated(cluster: Cluster): Promise<() => Promise<void>> {
  const primary = await cluster.leader()
  for (const pid of primary.walSenders()) process.kill(pid, 'SIGSTOP')
  await pause(DELAY)
  lose(primary)
  return restart(primary)
}

export const UNREPLICATED: Fault = {
  name: 'replication delayed, then the primary lost',
  cause: loseUnreplicated,
}

export const FAULTS: Fault[] = [
  {
    name: 'PostgreSQL of the primary killed',
    async cause(cluster) {
      process.kill((await cluster.leader()).postmaster(), 'SIGKILL')
      return nothing
    },
  },
  {
    name: 'switchover',
    async cause(cluster) {
      await cluster.switchOver()
      return nothing
    },
  },
  {
    name: 'machine of the primary lost',
    async cause(cluster) {
      const primary = await cluster.leader()
      lose(primary)
      return restart(primary)
    },
  },
  {
    name: 'machine of the primary frozen',
    async cause(cluster) {
      const primary = await cluster.leader()
      primary.signal('SIGSTOP')
      const until = performance.now() + FREEZE
      return async () => {
        await pause(Math.max(0, until - performance.now()))
        primary.signal('SIGCONT')
      }
    },
  },
  UNREPLICATED,
]
