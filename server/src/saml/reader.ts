/**
 * Reads responses and metadata in one thread of the process, which starts at the first one: whoever can send
 * a document has no time of the thread that answers requests. Systems take turns, and the accounts of each.
 */
import { Worker } from 'node:worker_threads'
import { busy, inTurn, queueInTurns } from '../crypto/gate.ts'
import { giveBackSlot } from '../request-time.ts'
import type { Outcome, Task } from './reading.ts'

/** `id`: of the connection, or what else has its own 20 that wait. */
type Of = { systemId: string; accountId: string; id: string }

export type SamlReader = {
  /** Throws `unavailable` if too much waits. */
  read<Given extends Task>(of: Of, task: Given): Promise<Outcome<Given>>
  close(): Promise<void>
}

/** In ms: one reading, and the start of the thread. */
const READING_MAX = 1_000
const START_MAX = 20_000
/** Documents of one connection that wait or are read. */
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
  const ofSystem = new Map<string, typeof queue>()
  const waiting = new Map<string, number>()
  let thread: Promise<Worker> | undefined
  let isClosed = false

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

  async function readNow<Given extends Task>(task: Given): Promise<Outcome<Given>> {
    if (isClosed) throw busy()
    thread ??= start()
    const worker = await thread
    const { promise, resolve } = Promise.withResolvers<Outcome<Given>>()
    const late = setTimeout(() => resolve(TOO_LONG as Outcome<Given>), readingMax)
    const fail = () => resolve(FAILED as Outcome<Given>)
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

  /** A system has one document at a time in the queue of all, so that many accounts are no advantage. */
  function takeTurn<T>({ systemId, accountId }: Of, work: () => Promise<T>): Promise<T> {
    const own = ofSystem.get(systemId) ?? queueInTurns(1)
    ofSystem.set(systemId, own)
    const turn = () => inTurn(queue, work, { tenant: systemId })
    return inTurn(own, turn, { tenant: accountId }).finally(() => {
      if (own.size + own.pending === 0) ofSystem.delete(systemId)
    })
  }

  return {
    async read(of, task) {
      const { id } = of
      giveBackSlot()
      const count = waiting.get(id) ?? 0
      if (count >= WAITING_MAX) throw busy()
      waiting.set(id, count + 1)
      try {
        return await takeTurn(of, () => readNow(task))
      } finally {
        const left = (waiting.get(id) ?? 1) - 1
        if (left > 0) waiting.set(id, left)
        else waiting.delete(id)
      }
    },
    async close() {
      isClosed = true
      await (await thread?.catch(() => undefined))?.terminate()
    },
  }
}
