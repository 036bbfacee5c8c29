/** The numbers of this process in the form of prom-client. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObject, Registry } from 'prom-client'
import { measureWith } from '../../measurements.ts'

/** Numbers that are read when metrics are asked for. */
export type Reading = {
  name: string
  help: string
  /** How the numbers of several processes are combined. */
  aggregator: 'sum' | 'max'
  /** Monotonic, since the start of the process. Default: a number that rises and falls. */
  isCounter?: boolean
  /** Read in one of the processes: it is the same in all. */
  isShared?: boolean
  read(): Promise<Value[]> | Value[]
}

export type Value = { labels?: Record<string, string>; value: number }

/** The metrics of one process, as `getMetricsAsJSON` returns them. */
export type Snapshot = MetricObject[]

/** Reads all numbers; `withShared`: also those that are the same in all processes. */
export type ReadNumbers = (withShared: boolean) => Promise<Snapshot>

async function readingOf({ name, help, aggregator, isCounter, read }: Reading): Promise<MetricObject> {
  const values = (await read()).map(({ labels = {}, value }) => ({ labels, value }))
  const type = isCounter ? 'counter' : 'gauge'
  return { name, help, type, values, aggregator } as unknown as MetricObject
}

/** The mean of several processes would hide the one that is late. */
const isWorst = (name: string) => name.startsWith('nodejs_eventloop_lag')

/** Starts to measure the process, and returns how to read everything. */
export function openNumbers(readings: readonly Reading[], build: Record<string, string>): ReadNumbers {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const info = { name: 'tenantry_build_info', help: 'Always 1.', labelNames: Object.keys(build) }
  const gauge = new Gauge({ ...info, aggregator: 'first', registers: [registry] })
  gauge.set(build, 1)
  const measured = measureWith({ Counter, Histogram, Registry })
  return async (withShared) => {
    const [own, counted] = await Promise.all([registry.getMetricsAsJSON(), measured.getMetricsAsJSON()])
    for (const metric of own) if (isWorst(metric.name)) Object.assign(metric, { aggregator: 'max' })
    const read = await Promise.all(readings.filter(({ isShared }) => withShared || !isShared).map(readingOf))
    return [...own, ...counted, ...read] as Snapshot
  }
}
