/**
 * Before a process stops, it still accepts requests for DRAIN_DELAY: `GET /health` fails, and each response
 * closes its connection (RFC 9112 section 9.6), so that a load balancer continues at another process.
 */
import type { FastifyInstance } from 'fastify'

export type Draining = { isOn: boolean }

/** Call it before the routes are registered, because a hook applies only to routes registered after it. */
export function closeConnections(app: FastifyInstance, draining: Draining): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    if (draining.isOn) raw.setHeader('connection', 'close')
    done()
  })
}
