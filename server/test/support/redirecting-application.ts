/**
 * An application whose callback redirects to another origin, as a backend for frontends does: `cb` of the
 * first origin answers 302 to `/home` of the second one, with the same query.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { SOON } from './waiting.ts'

type Ends = { after(end: () => void): void }

async function listen(t: Ends, host: string, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, host), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Where = {
  /** The host of the callback. */
  host?: string
  /** The target of its redirect. */
  to?: string
}

export async function startRedirectingApplication(t: Ends, { host = 'localhost', to }: Where = {}) {
  /** The paths that the callback's origin has received. */
  const received: string[] = []
  const home = await listen(t, '127.0.0.1', (_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>home</h1>'),
  )
  const origin = await listen(t, host, (request, response) => {
    received.push(String(request.url))
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const query = request.method === 'POST' ? `?${body}` : (/\?.*/.exec(String(request.url))?.[0] ?? '')
      response.writeHead(302, { location: `${to ?? `${home}/home`}${query}` }).end()
    })
  })
  return {
    callback: `${origin}/cb`,
    received,
    /** Waits for the last page of the application. Returns the parameters of the response. */
    arrived: async (page: Page): Promise<Record<string, string>> => {
      await page.waitForURL(`${home}/home**`, SOON)
      return Object.fromEntries(new URL(page.url()).searchParams)
    },
  }
}
