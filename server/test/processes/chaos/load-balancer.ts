/**
 * A small load balancer: round robin over the servers whose `/health` responds with 200, with connections
 * that it keeps open. It repeats no request.
 */
import { Agent, createServer, get, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** In ms, and the number of failed checks in a row after which a server gets no requests. */
const HEALTH = { interval: 100, timeout: 3_000, failures: 3 }

const isHealthy = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const check = get(`${url}/health`, { agent: false, timeout: HEALTH.timeout }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    check.on('timeout', () => check.destroy())
    check.on('error', () => resolve(false))
    check.on('close', () => resolve(false)) // without a response
  })

export type LoadBalancer = {
  url: string
  /** The servers to use, once: after the start, because their BASE_URL is that of the balancer. */
  use(urls: string[]): void
  /** Resolves when it sends requests to all servers. */
  allHealthy(): Promise<void>
  close(): Promise<void>
}

export async function startLoadBalancer(): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const healthy = new Set<string>()
  const failures = new Map<string, number>()
  let [all, turn, isOpen]: [string[], number, boolean] = [[], 0, true]

  const server = createServer((from, to) => {
    const targets = all.filter((url) => healthy.has(url))
    const target = targets[turn++ % targets.length]
    if (target === undefined) return void to.writeHead(502).end('no server')
    const { method, headers } = from
    const forwarded = request(`${target}${from.url}`, { method, headers, agent }, (response) => {
      const { connection: _, 'keep-alive': __, ...passed } = response.headers
      to.writeHead(response.statusCode!, passed)
      response.pipe(to)
      response.on('error', () => to.destroy())
    })
    forwarded.on('error', (error) => {
      if (!to.headersSent) to.writeHead(502).end(`${target}: ${error.message}`)
      else to.destroy()
    })
    from.pipe(forwarded)
  })
  server.keepAliveTimeout = 60_000 // longer than a client leaves a connection idle
  /** Checks one server: the answer of another one, which starts, may take seconds. */
  const check = async (url: string) => {
    while (isOpen) {
      const count = (await isHealthy(url)) ? 0 : (failures.get(url) ?? 0) + 1
      failures.set(url, count)
      if (count === 0) healthy.add(url)
      if (count === HEALTH.failures) healthy.delete(url)
      await wait(HEALTH.interval)
    }
  }
  let checking: Promise<void>[] = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    use: (urls) => {
      all = urls
      checking = urls.map(check)
    },
    async allHealthy() {
      while (!all.every((url) => healthy.has(url))) await wait(HEALTH.interval)
    },
    async close() {
      isOpen = false
      await Promise.all(checking)
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
