/** GET /metrics on the port of the server, unless METRICS_PORT serves it. */
import type { FastifyPluginAsync } from 'fastify'
import { Failure } from '../../errors.ts'
import { type Metrics, mayReadMetrics, TYPE } from './port.ts'

export const metricsRoutes: FastifyPluginAsync<Metrics> = async (app, metrics) => {
  app.get('/metrics', { config: { authority: 'public' } }, async ({ headers }, reply) => {
    if (!mayReadMetrics(metrics, headers.authorization)) throw new Failure('invalid_token')
    return reply.type(TYPE).send(await metrics.scrape())
  })
}
