/** Limits the time that a request waits for the database. */
import type { FastifyInstance } from 'fastify'
import { RequestTime, withRequestTime } from '../database/request-time.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request that takes seconds, or does not end by itself. */
    databaseTime: RequestTime | undefined
  }
}

export function limitDatabaseTime(app: FastifyInstance): void {
  app.decorateRequest('databaseTime')
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.share) return done()
    const time = new RequestTime()
    request.databaseTime = time
    reply.raw.once('close', () => time.end())
    withRequestTime(time, done)
  })
  // Again: the body is read by events of the socket, which do not belong to the request.
  app.addHook('preValidation', ({ databaseTime }, _reply, done) =>
    databaseTime ? withRequestTime(databaseTime, done) : done(),
  )
}
