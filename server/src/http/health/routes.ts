/** Health checks and metrics. Public: they contain no data of a user or a system. */
import cluster from 'node:cluster'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { VERSION } from '../../config.ts'
import type { Db } from '../../database/database.ts'
import { addOperations, operation } from '../operation.ts'
import { oneOf } from '../schemas.ts'
import { DOCS } from './docs.ts'
import type { Draining } from './draining.ts'
import { databaseAnswers } from './queries.ts'

const State = oneOf(['ok', 'unavailable'])
const Health = Type.Object(
  {
    status: oneOf(['ok', 'unavailable', 'stopping']),
    version: Type.String(),
    checks: Type.Object({ database: State }),
  },
  { title: 'Health' },
)
const Liveness = Type.Object({ status: State }, { title: 'Liveness' })

type Parts = { db: Db; draining: Draining }

const get = ({ db, draining }: Parts) =>
  operation({
    method: 'GET',
    url: '/health',
    config: { authority: 'public', docs: DOCS.getHealth },
    schema: { response: { 200: Health, 503: Health } },
    handler: async (_request, reply) => {
      const database = (await databaseAnswers(db)) ? 'ok' : 'unavailable'
      const status = draining.isOn ? 'stopping' : database
      const health = { status, version: VERSION, checks: { database } } as const
      return status === 'ok' ? reply.send(health) : reply.code(503).header('retry-after', '2').send(health)
    },
  })

const getLiveness = () =>
  operation({
    method: 'GET',
    url: '/health/live',
    config: { authority: 'public', docs: DOCS.getLiveness },
    schema: { response: { 200: Liveness } },
    handler: async () => ({ status: 'ok' as const }),
  })

export const healthRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [get, getLiveness])

/** A number that something else counts, since the start of the process. */
export type Numbers = { name: string; label: string; read(): { key: string; count: number }[] }

/**
 * GET /metrics: metrics of the process, and the response time of each route. Call it before the
 * routes are registered, because a hook applies only to routes registered after it. Each worker has
 * metrics of its own, with its label.
 */
export async function mountMetrics(app: FastifyInstance, numbers: Numbers[]): Promise<void> {
  // only if metrics are enabled
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  registry.setDefaultLabels({ worker: String(cluster.worker?.id ?? 1) })
  collectDefaultMetrics({ register: registry })
  for (const { name, label, read } of numbers)
    new Counter({
      name,
      help: `Number by ${label}, as in /admin/stats.`,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset()
        for (const { key, count } of read()) this.inc({ [label]: key }, count)
      },
    })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Response time in seconds, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    // A token request takes 1 ms, a sign-in 20 ms (password hash), and database requests time out after 5 s.
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
