/** Measures the requests: by route for all, and by system for those that METRICS_SYSTEMS names. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { durations } from '../../measurements.ts'
import type { Caller } from '../authority.ts'

/** A token request takes 1 ms, a sign-in 20 ms (password hash), and database requests time out after 5 s. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

const requestTime = durations(
  'http_request_duration_seconds',
  'Response time in seconds, by route pattern.',
  { labels: ['method', 'route', 'status'], bounds: BOUNDS },
)

const systemTime = durations(
  'tenantry_system_request_duration_seconds',
  'Response time in seconds of the systems in METRICS_SYSTEMS: requests of the protocol and of the admin API.',
  { labels: ['system', 'status'], bounds: [0.01, 0.05, 0.1, 0.5, 1, 5] },
)

/** The methods of routes. Any other one is answered with 404 or 405. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']
const classOf = (status: number) => CLASSES[Math.floor(status / 100)] ?? 'none'

const watched = new Set<string>()

/** The systems that have series of their own. Chosen by the operator: a tenant cannot add any. */
export function watchSystems(ids: readonly string[]): void {
  for (const id of ids) watched.add(id)
}

export function measureSystem(systemId: string | undefined, status: number, ms: number): void {
  if (systemId !== undefined && watched.has(systemId))
    systemTime(ms, { system: systemId, status: classOf(status) })
}

/** Call it before the routes are registered: a hook applies only to routes registered after it. */
export function measureRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request: FastifyRequest, { statusCode, elapsedTime }, done) => {
    const { method, routeOptions } = request
    // A stream of events ends when its reader leaves.
    if (routeOptions.config?.share !== 'none') {
      requestTime(elapsedTime, {
        method: METHODS.has(method) ? method : 'other',
        route: routeOptions.url ?? 'none',
        status: classOf(statusCode),
      })
      measureSystem((request.caller as Caller | undefined)?.systemId, statusCode, elapsedTime)
    }
    done()
  })
}
