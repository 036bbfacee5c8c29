/** Starts a driver process and sends commands to it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Order, Ran, Report } from './driver.ts'
import type { Target } from './paths.ts'

export type Driver = ReturnType<typeof startDriver>

export function startDriver() {
  const child = fork(join(import.meta.dirname, 'driver.ts'))
  const ended = once(child, 'exit').then((): [Report] => [{ failed: 'the driver ended' }])
  async function order(given: Order): Promise<Ran | undefined> {
    child.send(given)
    const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report]
    if ('failed' in report) throw new Error(report.failed)
    return report.ran
  }
  return {
    pid: child.pid!,
    prepare: async (target: Target, path: string, workers: number) =>
      void (await order({ do: 'prepare', target, path, workers })),
    run: async (seconds: number) => (await order({ do: 'run', seconds }))!,
    end: async () => void (await order({ do: 'end' })),
    stop: () => child.kill(),
  }
}
