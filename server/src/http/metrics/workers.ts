/**
 * The metrics of all processes of WORKERS together. The primary asks each worker, and keeps the last numbers
 * of each: a counter of the sum never falls when a worker is late or ends, since a fall is a restart to
 * Prometheus, which would then count everything again.
 */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { Failure } from '../../errors.ts'
import type { ReadNumbers, Snapshot } from './numbers.ts'

/** Returns the metrics in the text format of Prometheus. */
export type Scrape = () => Promise<string>

/** 1 s, in ms: how long the primary waits for the numbers of a worker. */
const WAIT_MAX = 1_000
/** 5 s, in ms: how long a worker waits for the text of the primary. */
const TEXT_MAX = 5_000

type Message =
  | { metrics: 'read'; id: number; withShared: boolean }
  | { metrics: 'numbers'; id: number; numbers: Snapshot }
  | { metrics: 'scrape'; id: number }
  | { metrics: 'text'; id: number; text: string | undefined }

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'metrics' in message

export const textOf = (snapshots: Snapshot[]): Promise<string> =>
  AggregatorRegistry.aggregate(snapshots as unknown as object[]).metrics()

/** The scrape of a worker, which the primary answers, and the answers to the primary. */
export function joinPrimary(read: ReadNumbers): Scrape {
  const waiting = new Map<number, (text: string | undefined) => void>()
  let scrapes = 0
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'read') {
      const { id, withShared } = message
      // Without an answer the primary continues after WAIT_MAX.
      read(withShared).then(
        (numbers) => process.send?.({ metrics: 'numbers', id, numbers }),
        () => {},
      )
    }
    if (message.metrics === 'text') waiting.get(message.id)?.(message.text)
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = scrapes++
      const late = setTimeout(() => end(undefined), TEXT_MAX)
      const end = (text: string | undefined) => {
        clearTimeout(late)
        waiting.delete(id)
        if (text === undefined) reject(new Failure('unavailable'))
        else resolve(text)
      }
      waiting.set(id, end)
      process.send?.({ metrics: 'scrape', id } satisfies Message)
    })
}

/** Counters and distributions, which do not end with their process. */
const isLasting = ({ type }: MetricObject) => String(type) === 'counter' || String(type) === 'histogram'

const gaugeOf = (name: string, help: string, values: object[]) =>
  ({ name, help, type: 'gauge', aggregator: 'sum', values }) as unknown as MetricObject

/** The scrape of the primary. Answers those of the workers as well. */
export function collectWorkers(): Scrape {
  const last = new Map<number, Snapshot>()
  const waiting = new Map<number, (numbers: Snapshot) => void>()
  let retired: Snapshot = []
  let asked = 0
  let retiring = Promise.resolve()
  let running: Promise<string> | undefined

  /** Numbers move from `last` to `retired` in one turn, so that no scrape misses them or has them twice. */
  async function retire({ id }: Worker): Promise<void> {
    const numbers = last.get(id)?.filter(isLasting)
    const sum = AggregatorRegistry.aggregate([retired, numbers ?? []] as unknown as object[])
    retired = (await sum.getMetricsAsJSON()) as Snapshot
    last.delete(id)
  }

  const ask = (worker: Worker, withShared: boolean): Promise<boolean> =>
    new Promise((resolve) => {
      const id = asked++
      const end = (isAnswered: boolean) => {
        clearTimeout(late)
        waiting.delete(id)
        resolve(isAnswered)
      }
      const late = setTimeout(end, WAIT_MAX, false)
      waiting.set(id, (numbers) => {
        last.set(worker.id, numbers)
        end(true)
      })
      worker.send({ metrics: 'read', id, withShared } satisfies Message, (error) => error && end(false))
    })

  async function collect(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((each) => each?.isConnected()) as Worker[]
    const answered = await Promise.all(workers.map((worker, index) => ask(worker, index === 0)))
    const silent = new Set(workers.filter((_, index) => !answered[index]).map(({ id }) => id))
    const states = gaugeOf('tenantry_workers', 'Server processes, by whether they answered in time.', [
      { labels: { state: 'running' }, value: workers.length - silent.size },
      { labels: { state: 'silent' }, value: silent.size },
    ])
    const current = [...last].map(([id, each]) => (silent.has(id) ? each.filter(isLasting) : each))
    return textOf([[states], retired, ...current])
  }

  const scrape: Scrape = () => {
    running ??= collect().finally(() => {
      running = undefined
    })
    return running
  }
  cluster.on('exit', (worker) => {
    retiring = retiring.then(() => retire(worker))
  })
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'numbers') waiting.get(message.id)?.(message.numbers)
    if (message.metrics === 'scrape') {
      const answer = (text: string | undefined) =>
        worker.isConnected() && worker.send({ metrics: 'text', id: message.id, text } satisfies Message)
      scrape().then(answer, () => answer(undefined))
    }
  })
  return scrape
}
