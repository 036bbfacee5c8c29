/** Health and metrics. Open to anyone, so nothing here says more than whether we work, and how fast. */
import cluster from 'node:cluster'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { VERSION } from '../../config.ts'
import type { Db } from '../../database/database.ts'
import { databaseAnswers } from './queries.ts'

const State = Type.Enum(['ok', 'unavailable'])
const Health = Type.Object({
  status: State,
  version: Type.String(),
  checks: Type.Object({ database: State }),
})

export const healthRoutes: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.get(
    '/health',
    { config: { authority: 'public' }, schema: { response: { 200: Health, 503: Health } } },
    async (_request, reply) => {
      const state = (await databaseAnswers(db)) ? 'ok' : 'unavailable'
      const health = { status: state, version: VERSION, checks: { database: state } } as const
      return state === 'ok' ? reply.send(health) : reply.code(503).header('retry-after', '2').send(health)
    },
  )

  // For a supervisor that restarts what does not answer: a restart brings no database back.
  app.get(
    '/health/live',
    { config: { authority: 'public' }, schema: { response: { 200: Type.Object({ status: State }) } } },
    async () => ({ status: 'ok' as const }),
  )
}

/**
 * GET /metrics and what it tells: of the process, and how long each route took. Call it before the routes, since a hook
 * sees only what is registered after it. With several workers each answers for itself, under its label.
 */
export async function mountMetrics(app: FastifyInstance): Promise<void> {
  const { collectDefaultMetrics, Histogram, Registry } = await import('prom-client') // only where it is turned on
  const registry = new Registry()
  registry.setDefaultLabels({ worker: String(cluster.worker?.id ?? 1) })
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    // Token requests take 1 ms, sign-ins 20 ms (a password hash), and 5 s is where we give up on a database.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000)
  })
  app.get('/metrics', { config: { authority: 'public' } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
