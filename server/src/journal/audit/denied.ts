/**
 * Records rejected requests in the audit log: those of an authenticated caller that are answered with 403.
 */
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import type { Caller } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { recordRefused } from './failures.ts'
import type { AuditEntry } from './record.ts'

/**
 * The onError hook of everything under /admin: it runs when the transaction of the request is rolled back.
 */
export function recordDenied(db: Db) {
  return async (request: FastifyRequest, _reply: unknown, error: Error): Promise<void> => {
    const failure = failureOf(error)
    const caller = request.caller as Caller | undefined
    if (failure?.status !== 403 || !caller) return
    const { method, routeOptions } = request
    const route = routeOptions.url ?? null
    await recordRefused(db, caller.actor, {
      action: 'access.denied',
      outcome: 'failure',
      target: targetOf(request),
      systemId: caller.systemId,
      accountId: caller.accountId,
      changes: { method: [null, method], route: [null, route], code: [null, failure.code] },
    }).catch((fault) =>
      request.log.error({ err: fault }, 'could not record a rejected request in the audit log'),
    )
  }
}

/**
 * The resource that the last id in the path identifies, otherwise the route. A parameter that is not a UUID
 * may contain any text and is not recorded.
 */
function targetOf({ params, method, routeOptions }: FastifyRequest): NonNullable<AuditEntry['target']> {
  const [name = '', id = ''] = Object.entries((params ?? {}) as Record<string, string>).at(-1) ?? []
  if (name.endsWith('Id') && isUuid(id)) return { type: name.slice(0, -2), id: id.toLowerCase() }
  return { type: 'route', id: `${method} ${routeOptions.url ?? ''}`.trim() }
}
