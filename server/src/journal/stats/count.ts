/**
 * Counters and activity, collected in the memory of the process and written by worker.ts, so that no request
 * takes a statement for them. They are for statistics: a process that is killed loses those of ten seconds.
 */
import { LRUCache } from 'lru-cache'

/** What distinguishes the counters of each metric. */
export const DIMENSIONS = {
  sign_ins: 'method',
  failures: 'reason',
  tokens: 'grant',
  deliveries: 'class',
  emails: 'outcome',
} as const

export type CounterName = keyof typeof DIMENSIONS

/** The system of the numbers of all systems together. */
export const ALL_SYSTEMS = '00000000-0000-0000-0000-000000000000'

export type CounterTotal = { systemId: string; name: CounterName; key: string; count: number }
export type Active = { systemId: string; userId: string }

/** Users whose activity of a day is remembered, so that it is written once. */
const REMEMBERED_MAX = 50_000

const pending = new Map<string, CounterTotal>()
const totals = new Map<string, CounterTotal>()
const active = new Map<string, Active>()
const remembered = new LRUCache<string, number>({ max: REMEMBERED_MAX })
const state = { collectors: 0 }

function add(counters: Map<string, CounterTotal>, { systemId, name, key, count }: CounterTotal): void {
  const id = `${systemId} ${name} ${key}`
  const known = counters.get(id)
  if (known) known.count += count
  else counters.set(id, { systemId, name, key, count })
}

/** Adds one to a counter of a system, and to that of all systems. */
export function count(name: CounterName, systemId: string | null, key: string): void {
  add(totals, { systemId: ALL_SYSTEMS, name, key, count: 1 })
  if (state.collectors === 0) return
  add(pending, { systemId: ALL_SYSTEMS, name, key, count: 1 })
  if (systemId !== null) add(pending, { systemId, name, key, count: 1 })
}

/** Notes that a user was active in a system today. */
export function noteActive(systemId: string, userId: string): void {
  if (state.collectors === 0) return
  const key = `${systemId} ${userId}`
  const today = Math.floor(Date.now() / 86_400_000)
  if (remembered.get(key) === today) return
  remembered.set(key, today)
  active.set(key, { systemId, userId })
}

/** The numbers of all systems together since the start of the process, for /metrics. */
export const totalsOf = (name: CounterName): CounterTotal[] =>
  [...totals.values()].filter((each) => each.name === name)

type Collected = { counted: CounterTotal[]; active: Active[] }

/** What has been collected since the last call. */
export function takeCollected(): Collected {
  const taken = { counted: [...pending.values()], active: [...active.values()] }
  pending.clear()
  active.clear()
  return taken
}

/** Returns what could not be written. */
export function giveBackCollected({ counted, active: users }: Collected): void {
  for (const each of counted) add(pending, each)
  for (const each of users) active.set(`${each.systemId} ${each.userId}`, each)
}

/** From now on counters are collected, until the returned function is called. */
export function startCollecting(): () => void {
  state.collectors += 1
  return () => {
    state.collectors -= 1
  }
}
