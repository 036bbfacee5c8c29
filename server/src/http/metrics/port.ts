/** GET /metrics on METRICS_PORT, which only this machine reaches. */
import { createServer } from 'node:http'
import { sameText } from '../../crypto/seal.ts'
import type { Scrape } from './workers.ts'

/** The media type of the text format of Prometheus. */
export const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const BEARER = /^bearer (.+)$/i

/** Metrics are read with the token or, if there is none, by anybody. */
export type Metrics = { token: string | undefined; scrape: Scrape }

/** Whether a request with this header `Authorization` may read the metrics. */
export const mayRead = ({ token }: Metrics, authorization = ''): boolean =>
  token === undefined || sameText(BEARER.exec(authorization)?.[1] ?? '', token)

/** Listens on the loopback address. */
export async function serveMetrics(port: number, metrics: Metrics): Promise<void> {
  const server = createServer(async ({ method, url, headers }, response) => {
    if (method !== 'GET' || url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    if (!mayRead(metrics, headers.authorization))
      return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    const text = await metrics.scrape().catch(() => undefined)
    if (text === undefined) return void response.writeHead(503).end()
    response.writeHead(200, { 'content-type': TYPE, 'cache-control': 'no-store' }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  server.unref() // it ends with the process
}
