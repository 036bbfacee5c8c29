import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A server in the place of a provider. */
export async function newServer(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
