/** Limits the time that a request waits for the database and for its turn. */
import type { FastifyInstance } from 'fastify'
import { RequestTime, withRequestTime } from '../request-time.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request that takes seconds, or does not end by itself. */
    waitingTime: RequestTime | undefined
  }
}

export function limitWaiting(app: FastifyInstance): void {
  app.decorateRequest('waitingTime')
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.share) return done()
    const time = new RequestTime()
    request.waitingTime = time
    reply.raw.once('close', () => time.end())
    withRequestTime(time, done)
  })
  // Again: the body is read by events of the socket, which do not belong to the request.
  app.addHook('preValidation', ({ waitingTime }, _reply, done) =>
    waitingTime ? withRequestTime(waitingTime, done) : done(),
  )
}
