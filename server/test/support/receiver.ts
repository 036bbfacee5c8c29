/** A webhook receiver. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'

type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
export type Received = { at: number; path: string; headers: IncomingHttpHeaders; text: string; event: Event }
type Options = { port?: number; answer?: RequestListener }

/** Answers 200 by default and records every message in the order of completion. */
export async function startReceiver(
  t: TestContext,
  { port = 0, answer = (_, response) => response.end() }: Options = {},
) {
  const received: Received[] = []
  const receiver = { answer, open: 0, most: 0 }
  const server = createServer(async (request, response) => {
    receiver.open += 1
    receiver.most = Math.max(receiver.most, receiver.open)
    response.on('close', () => {
      receiver.open -= 1
    })
    const text = (await request.toArray()).join('')
    received.push({
      at: performance.now(),
      path: request.url ?? '',
      headers: request.headers,
      text,
      event: JSON.parse(text),
    })
    receiver.answer(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  t.after(close)
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${address}/hook`,
    received,
    close,
    /** Replaces its response. */
    answering: (next: RequestListener) => {
      receiver.answer = next
    },
    /** The maximum number of concurrent requests. */
    most: () => receiver.most,
    ids: () => received.map(({ headers }) => String(headers['webhook-id'])),
    types: () => received.map(({ event }) => event.type),
  }
}

/** Verifies a message with the Standard Webhooks library. Throws if it is not genuine. */
export const verify = (secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>)
