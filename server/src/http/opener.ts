/**
 * Applications open a sign-in in a window of their own and wait until it is closed, or until its last page,
 * which is theirs, posts a message to its opener. With Cross-Origin-Opener-Policy on any answer on the way,
 * redirects included, a browser would cut the two windows off from each other (decision 0171).
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Answers that can be in a window that an application has opened. */
export const keepOpener = (response: ServerResponse): void =>
  response.removeHeader('cross-origin-opener-policy')

/** Removes the header for all routes that are added to `app` afterwards. */
export function keepOpeners(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    keepOpener(raw)
    done()
  })
}
