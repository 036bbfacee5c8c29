/**
 * A tenant that sends many requests, in a thread of its own: `startNoise` in the test, and the program of the
 * thread.
 */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** `*` in the headers and in the body is replaced by a new id in each request. */
type NoisyRequest = { url: string; method: string; headers: Record<string, string>; body?: string }
type Noise = {
  requests: NoisyRequest[]
  /** Concurrent requests. */
  atOnce: number
  /**
   * In ms: each of the concurrent senders sends its next request this long after its last one, but not before
   * the answer has arrived. The senders must leave time of the processor to the server.
   */
  every: number
  /** Sends each request once; by default they are repeated until `stop`. */
  isOnce?: boolean
}

/** Sends nothing until `go`. `stop` waits for the answers and returns the number of each status. */
export async function startNoise(noise: Noise) {
  const worker = new Worker(new URL(import.meta.url), { workerData: noise })
  await once(worker, 'message')
  return {
    go: () => worker.postMessage('go'),
    pause: async () => {
      worker.postMessage('pause')
      await once(worker, 'message')
    },
    stop: async (): Promise<Record<string, number>> => {
      worker.postMessage('stop')
      const [statuses] = await once(worker, 'message')
      await worker.terminate()
      return statuses
    },
  }
}

async function send({ requests, atOnce, every, isOnce = false }: Noise): Promise<void> {
  const statuses: Record<string, number> = {}
  let at = 0
  let going = new AbortController()
  const sender = async () => {
    const { signal } = going
    while (!signal.aborted && !(isOnce && at >= requests.length)) {
      const next = setTimeout(every, undefined, { signal }).catch(() => {})
      const { url, ...request } = requests[at++ % requests.length]!
      const id = crypto.randomUUID()
      const { status, body } = await fetch(url, {
        ...JSON.parse(JSON.stringify(request).replaceAll('*', id)),
        redirect: 'manual',
      })
      await body?.cancel()
      statuses[status] = (statuses[status] ?? 0) + 1
      await next
    }
  }
  let senders: Promise<unknown> = Promise.resolve()
  parentPort!.on('message', async (message: 'go' | 'pause' | 'stop') => {
    going.abort()
    going = new AbortController()
    if (message === 'go') senders = Promise.all(Array.from({ length: atOnce }, sender))
    else parentPort!.postMessage(await senders.then(() => statuses))
  })
  parentPort!.postMessage('ready')
}

if (!isMainThread) await send(workerData)
