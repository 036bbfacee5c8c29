/** GET /metrics on METRICS_PORT, which only this machine reaches. */
import { createServer } from 'node:http'
import type { Config } from '../../config/config.ts'
import { sameText } from '../../crypto/seal.ts'
import type { Scrape } from './workers.ts'

/** The media type of the text format of Prometheus. */
export const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const BEARER = /^bearer (.+)$/i

/** Metrics are read with the token or, if there is none, by anybody. */
export type Metrics = { tokenNow: () => string | undefined; scrape: Scrape }

/** Whether a request with this header `Authorization` may read the metrics. */
export function mayReadMetrics({ tokenNow }: Metrics, authorization = ''): boolean {
  const token = tokenNow()
  return token === undefined || sameText(BEARER.exec(authorization)?.[1] ?? '', token)
}

/** 1 s, in ms: how long the content of METRICS_TOKEN_FILE is used. */
const TOKEN_MAX = 1_000

/** METRICS_TOKEN. One that was replaced in its file is refused from then on, and the new one is accepted. */
export function tokenOf({ METRICS_TOKEN, reread }: Pick<Config, 'METRICS_TOKEN' | 'reread'>) {
  let token = METRICS_TOKEN
  let until = 0
  return (): string | undefined => {
    if (token === undefined || performance.now() < until) return token
    token = reread('METRICS_TOKEN') ?? token
    until = performance.now() + TOKEN_MAX
    return token
  }
}

/** Listens on the loopback address. */
export async function serveMetrics(port: number, metrics: Metrics): Promise<void> {
  const server = createServer(async ({ method, url, headers }, response) => {
    if (method !== 'GET' || url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    if (!mayReadMetrics(metrics, headers.authorization))
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
