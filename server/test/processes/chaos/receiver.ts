/** A webhook receiver in its own process: logs each message, then answers 200, or sometimes an error. */
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One line of the log. `status` is the status of the response that follows. */
export type Receipt = { headers: Record<string, string>; text: string; status: number }

/** Percentage of messages that are first answered with an error. */
const FAILING = 3

const file = openSync(process.argv[2]!, 'a')
const server = createServer(async (request, response) => {
  const text = (await request.toArray()).join('')
  const status = Math.random() * 100 < FAILING ? 500 : 200
  writeSync(file, `${JSON.stringify({ headers: request.headers, text, status })}\n`)
  response.writeHead(status).end()
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0)) // the parent process has exited
