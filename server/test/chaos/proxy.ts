/** A TCP proxy in front of PostgreSQL, which delays, cuts or silences its connections. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** `silent`: connections stay open and pass nothing on. `cut`: they are reset, and new ones refused. */
export type Network = { delay: number; state: 'open' | 'silent' | 'cut' }

export type NetworkProxy = {
  port: number
  /** Changes the network; what is not given is as usual. */
  set(network?: Partial<Network>): void
  close(): Promise<void>
}

export async function startProxy(port: number): Promise<NetworkProxy> {
  const network: Network = { delay: 0, state: 'open' }
  const pairs = new Set<[Socket, Socket]>()

  const pass = (from: Socket, to: Socket) =>
    from.on('data', (chunk) => {
      from.pause() // in order, also with a delay
      const forward = () => {
        if (network.state === 'silent') {
          setTimeout(forward, 50)
          return
        }
        if (!to.destroyed) to.write(chunk)
        from.resume()
      }
      if (network.delay > 0) setTimeout(forward, network.delay)
      else forward()
    })

  const server = createServer((client) => {
    if (network.state === 'cut') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const each of pair) each.destroy()
      })
    }
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reset = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set({ delay = 0, state = 'open' } = {}) {
      Object.assign(network, { delay, state })
      if (state === 'cut') reset()
    },
    async close() {
      reset()
      await new Promise((closed) => server.close(closed))
    },
  }
}
