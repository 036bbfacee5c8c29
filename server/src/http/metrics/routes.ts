/** GET /metrics on the port of the server, for a caller with METRICS_TOKEN. */
import type { FastifyPluginAsync } from 'fastify'
import { sameText } from '../../crypto/seal.ts'
import { Failure } from '../../errors.ts'
import { TYPE } from './port.ts'
import type { Scrape } from './workers.ts'

const BEARER = /^bearer (.+)$/i

export const metricsRoutes: FastifyPluginAsync<{ token: string; scrape: Scrape }> = async (
  app,
  { token, scrape },
) => {
  app.get('/metrics', { config: { authority: 'public' } }, async ({ headers }, reply) => {
    const given = BEARER.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!sameText(given, token)) throw new Failure('invalid_token')
    return reply.type(TYPE).send(await scrape())
  })
}
