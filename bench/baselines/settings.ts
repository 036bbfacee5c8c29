/** What a baseline is told at its start, as JSON in the environment variable BASELINE. */
import { once } from 'node:events'
import type { Server } from 'node:http'

export type BaselineSettings = {
  issuer: string
  port: number
  databaseUrl: string
  client: { id: string; secret: string }
  redirectUri: string
  resource: string
  /** The people who can sign in, with one password. */
  emails: string[]
  password: string
}

/** As long as our server keeps a connection, 65 s in ms: else the driver would have to open them anew. */
const KEEP_ALIVE = 65_000

export async function listenAs(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = KEEP_ALIVE
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
