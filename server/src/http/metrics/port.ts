/** GET /metrics on METRICS_PORT, which only this machine reaches, for any caller. */
import { createServer } from 'node:http'
import type { Scrape } from './workers.ts'

/** The media type of the text format of Prometheus. */
export const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Listens on the loopback address. */
export async function serveMetrics(port: number, scrape: Scrape): Promise<void> {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== 'GET' || url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    const text = await scrape().catch(() => undefined)
    if (text === undefined) return void response.writeHead(503).end()
    response.writeHead(200, { 'content-type': TYPE, 'cache-control': 'no-store' }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  server.unref() // it ends with the process
}
