/** Requests at the same time: the server answers others in between. */
const CONCURRENCY = 4

export type Fault<T> = { item: T; error: unknown }

/**
 * Calls `change` for each item, a few at a time, until `signal` ends it. Those that fail do not stop the
 * others. `onDone`: after each item.
 */
export async function eachConcurrently<T>(
  items: readonly T[],
  change: (item: T) => Promise<unknown>,
  { onDone, signal }: { onDone?: () => void; signal?: AbortSignal } = {},
): Promise<{ done: T[]; faults: Fault<T>[] }> {
  const waiting = [...items]
  const done: T[] = []
  const faults: Fault<T>[] = []
  const work = async () => {
    while (!signal?.aborted) {
      const item = waiting.shift()
      if (item === undefined) return
      await change(item).then(
        () => done.push(item),
        (error: unknown) => faults.push({ item, error }),
      )
      onDone?.()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { done, faults }
}
