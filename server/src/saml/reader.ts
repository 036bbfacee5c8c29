/**
 * Reads responses in one thread of the process, which starts at the first one: whoever can send a response
 * has no time of the thread that answers requests. Accounts take turns.
 */
import { Worker } from 'node:worker_threads'
import { busy, inTurn, queueInTurns } from '../crypto/gate.ts'
import type { ReadingTask, SamlOutcome } from './reading.ts'

export type SamlReader = {
  /** Throws `unavailable` if too much waits. */
  read(of: { accountId: string; id: string }, task: ReadingTask): Promise<SamlOutcome>
  close(): Promise<void>
}

/** In ms: one reading, and the start of the thread. */
const READING_MAX = 1_000
const START_MAX = 20_000
/** Responses of one connection that wait or are read. */
const WAITING_MAX = 20
/** In MB: a reading takes a few. */
const MEMORY_MAX = 192

/** The packed program has JavaScript. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
const FAILED = { code: 'saml_invalid', message: 'the thread has failed' } as const
const TOO_LONG = { code: 'saml_invalid', message: 'it takes too long' } as const

/** `readingMax`: in ms. */
export function createSamlReader(readingMax = READING_MAX): SamlReader {
  const queue = queueInTurns(1)
  const waiting = new Map<string, number>()
  let thread: Promise<Worker> | undefined

  function start(): Promise<Worker> {
    const { promise, resolve, reject } = Promise.withResolvers<Worker>()
    const worker = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX } })
    worker.unref()
    const late = setTimeout(() => reject(busy()), START_MAX).unref()
    const forget = () => {
      if (thread === promise) thread = undefined
      reject(busy())
    }
    worker.once('message', () => resolve(worker))
    worker.on('error', forget)
    worker.on('exit', forget)
    promise.then(() => clearTimeout(late)).catch(() => void worker.terminate())
    return promise
  }

  async function readNow(task: ReadingTask): Promise<SamlOutcome> {
    thread ??= start()
    const worker = await thread
    const { promise, resolve } = Promise.withResolvers<SamlOutcome>()
    const late = setTimeout(() => resolve(TOO_LONG), readingMax)
    const fail = () => resolve(FAILED)
    worker.once('message', resolve)
    worker.once('error', fail)
    worker.once('exit', fail)
    worker.postMessage(task)
    const reading = await promise
    clearTimeout(late)
    worker.off('message', resolve)
    worker.off('error', fail)
    worker.off('exit', fail)
    if (reading === TOO_LONG || reading === FAILED) {
      thread = undefined
      await worker.terminate()
    }
    return reading
  }

  return {
    async read({ accountId, id }, task) {
      const count = waiting.get(id) ?? 0
      if (count >= WAITING_MAX) throw busy()
      waiting.set(id, count + 1)
      try {
        return await inTurn(queue, () => readNow(task), { tenant: accountId })
      } finally {
        const left = (waiting.get(id) ?? 1) - 1
        if (left > 0) waiting.set(id, left)
        else waiting.delete(id)
      }
    },
    async close() {
      await (await thread?.catch(() => undefined))?.terminate()
    },
  }
}
