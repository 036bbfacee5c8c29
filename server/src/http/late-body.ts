/**
 * Who may send a request is decided when its headers arrive, before its body is read. The body can take as
 * long as its sender likes: a caller who has lost the right meanwhile would use it once more, with any body.
 * So the decision is made again, before the operation, once it is older than ACCEPTED_FOR.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the caller was accepted, in ms of `performance.now()`. */
    acceptedAt: number
  }
}

/** 1 s, in ms: for as long, a token is accepted by what is cached of its system. */
const ACCEPTED_FOR = 1_000

export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** `guard` sets the caller of a request, or throws. Call it after the hooks that read the body or wait. */
export function guardAgain(app: FastifyInstance, guard: Guard): void {
  app.addHook('preHandler', async (request, reply) => {
    if (performance.now() - request.acceptedAt > ACCEPTED_FOR) await guard(request, reply)
  })
}

/** Sets the caller as soon as the headers have arrived. */
export function guardHeaders(app: FastifyInstance, guard: Guard): void {
  app.decorateRequest('acceptedAt', 0)
  app.addHook('onRequest', async (request, reply) => {
    await guard(request, reply)
    request.acceptedAt = performance.now()
  })
}
