/** Settings of a baseline, as JSON in the environment variable BASELINE. */
import { once } from 'node:events'
import type { Server } from 'node:http'

export type BaselineSettings = {
  issuer: string
  port: number
  databaseUrl: string
  client: { id: string; secret: string }
  redirectUri: string
  resource: string
  /** The users who can sign in, all with the same password. */
  emails: string[]
  password: string
}

/** Keep-alive timeout of our server, in ms. With a shorter one the driver would have to reconnect. */
const KEEP_ALIVE = 65_000

export async function listenAs(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = KEEP_ALIVE
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
