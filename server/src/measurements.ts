/**
 * Numbers that the process measures for /metrics: counters, and distributions of durations. Kept in memory by
 * the values of their labels, which must be from a closed set. Nothing is measured unless metrics are on.
 */

type Kind = 'counter' | 'histogram'

type Series = {
  labels: string[]
  /** Of a counter its value, of a distribution the number of durations. */
  count: number
  sum: number
  /** By bound, not cumulated. The last one is for durations beyond all bounds. */
  buckets: number[]
}

export type Measurement = {
  name: string
  help: string
  kind: Kind
  labels: readonly string[]
  /** Upper bounds in seconds. */
  bounds: readonly number[]
  series: Map<string, Series>
}

/** `isOn`: read where measuring has a cost of its own. */
export const measuring = { isOn: false }

const measurements: Measurement[] = []

export const allMeasurements = (): readonly Measurement[] => measurements

function define(measurement: Omit<Measurement, 'series'>): Measurement {
  const defined = { ...measurement, series: new Map<string, Series>() }
  measurements.push(defined)
  if (defined.labels.length === 0) seriesOf(defined, []) // 0 from the start
  return defined
}

function seriesOf({ series, bounds }: Measurement, labels: string[]): Series {
  const key = labels.length === 1 ? (labels[0] ?? '') : labels.join('\n')
  let found = series.get(key)
  if (!found) {
    found = { labels, count: 0, sum: 0, buckets: new Array(bounds.length + 1).fill(0) }
    series.set(key, found)
  }
  return found
}

/** Returns the function that adds one, with the values of the labels. */
export function counter<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
): (...values: { [Label in keyof Labels]: string }) => void {
  const defined = define({ name, help, kind: 'counter', labels, bounds: [] })
  return (...values) => {
    if (measuring.isOn) seriesOf(defined, values as unknown as string[]).count += 1
  }
}

/** Returns the function that adds a duration in ms, with the values of the labels. */
export function durations<const Labels extends readonly string[]>(
  name: string,
  help: string,
  { labels, bounds }: { labels: Labels; bounds: readonly number[] },
): (ms: number, ...values: { [Label in keyof Labels]: string }) => void {
  const defined = define({ name, help, kind: 'histogram', labels, bounds })
  return (ms, ...values) => {
    if (!measuring.isOn) return
    const found = seriesOf(defined, values as unknown as string[])
    const seconds = ms / 1_000
    found.count += 1
    found.sum += seconds
    let at = 0
    while (at < bounds.length && seconds > bounds[at]!) at += 1
    found.buckets[at]! += 1
  }
}
