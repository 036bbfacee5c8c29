/** Limits the time that a request waits for the database and for its turn, and traces it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestTime, withRequestTime } from '../request-time.ts'
import { isTracing, startRequestSpan } from '../tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request that takes seconds, or does not end by itself. */
    waitingTime: RequestTime | undefined
  }
}

/** `patience`: how many times as long as usual requests may wait. */
export function limitWaiting(app: FastifyInstance, patience?: number): void {
  app.decorateRequest('waitingTime')
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.share) return done()
    const time = new RequestTime(patience)
    if (isTracing()) traceRequest(request, reply, time)
    request.waitingTime = time
    reply.raw.once('close', () => time.end())
    withRequestTime(time, done)
  })
  // Again: the body is read by events of the socket, which do not belong to the request.
  app.addHook('preValidation', ({ waitingTime }, _reply, done) =>
    waitingTime ? withRequestTime(waitingTime, done) : done(),
  )
}

/** A request is traced even if its client does not wait for the answer. */
function traceRequest(request: FastifyRequest, { raw }: FastifyReply, time: RequestTime): void {
  const { id, method, headers, routeOptions } = request
  const traced = startRequestSpan(method, id, headers.traceparent)
  time.span = traced?.span
  raw.once('close', () => traced?.end(routeOptions.url ?? 'none', raw.statusCode))
}
