/** The clients, in a separate process: workers that send the next request when the response arrives. */
import { prepare, type Target } from './paths.ts'

export type Order =
  | { do: 'prepare'; target: Target; path: string; workers: number }
  | { do: 'run'; seconds: number }
  | { do: 'end' }
/** Durations in ms of the operations that started within the measured time. */
export type Ran = { count: number; failed: number; elapsed: number; p50: number; p99: number }
export type Report = { done: true; ran?: Ran } | { failed: string }

let prepared: Awaited<ReturnType<typeof prepare>> | undefined

async function run(seconds: number): Promise<Ran> {
  const times: number[] = []
  const faults: unknown[] = []
  const begun = performance.now()
  const end = begun + seconds * 1_000
  const work = async (operation: () => Promise<unknown>) => {
    for (let start = performance.now(); start < end; ) {
      const failed = await operation().then(
        () => false,
        (error) => faults.push(error) > 0,
      )
      const now = performance.now()
      if (!failed) times.push(now - start)
      start = now
    }
  }
  await Promise.all(prepared!.operations.map(work))
  const elapsed = performance.now() - begun
  if (faults.length > times.length) throw faults[0]
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { count: times.length, failed: faults.length, elapsed, p50: at(0.5), p99: at(0.99) }
}

async function execute(order: Order): Promise<Report> {
  if (order.do === 'run') return { done: true, ran: await run(order.seconds) }
  prepared?.close()
  prepared = undefined
  if (order.do === 'prepare') prepared = await prepare(order.target, order.path, order.workers)
  return { done: true }
}

process.on('message', (order: Order) => {
  void execute(order)
    .catch((error): Report => ({ failed: String(error?.stack ?? error) }))
    .then((report) => process.send?.(report))
})
process.once('disconnect', () => process.exit())
