/**
 * Counters and distributions of durations for /metrics, with labels from closed sets. prom-client keeps the
 * numbers. It is loaded only if metrics are on: nothing is measured until `measureWith`.
 */
import type { Counter, Histogram, Registry } from 'prom-client'

type Client = Pick<typeof import('prom-client'), 'Counter' | 'Histogram' | 'Registry'>

export type Measurement = {
  name: string
  help: string
  kind: 'counter' | 'histogram'
  labels: readonly string[]
  /** Creates it in the registry, which gets all numbers from then on. */
  open(client: Client, registry: Registry): void
}

const measurements: Measurement[] = []
let opened: { client: Client; registry: Registry } | undefined

export const allMeasurements = (): readonly Measurement[] => measurements

/** The registry of all measurements, one for the process. */
export function measureWith(client: Client): Registry {
  if (opened) return opened.registry
  opened = { client, registry: new client.Registry() }
  for (const each of measurements) each.open(opened.client, opened.registry)
  return opened.registry
}

function define(measurement: Measurement): void {
  measurements.push(measurement)
  if (opened) measurement.open(opened.client, opened.registry) // by a module that is loaded later
}

/** Returns the function that adds one. */
export function counter<const Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): (labels: Record<Label, string>) => void {
  let counts: Counter<Label> | undefined
  const open = ({ Counter }: Client, registry: Registry) => {
    counts = new Counter({ name, help, labelNames, registers: [registry] })
  }
  define({ name, help, kind: 'counter', labels: labelNames, open })
  return (labels) => counts?.inc(labels)
}

/** Returns the function that adds a duration in ms. `bounds`: upper bounds of the buckets in seconds. */
export function durations<const Label extends string>(
  name: string,
  help: string,
  { labels: labelNames, bounds }: { labels: readonly Label[]; bounds: readonly number[] },
): (ms: number, labels: Record<Label, string>) => void {
  let times: Histogram<Label> | undefined
  const open = ({ Histogram }: Client, registry: Registry) => {
    times = new Histogram({ name, help, labelNames, buckets: [...bounds], registers: [registry] })
  }
  define({ name, help, kind: 'histogram', labels: labelNames, open })
  return (ms, labels) => times?.observe(labels, ms / 1_000)
}
