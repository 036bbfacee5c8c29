/** Refused attempts are in the audit too: a caller who is known, and asked for what it never may do. */
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../errors.ts'
import type { Caller } from '../../http/authority.ts'
import { type AuditEntry, record } from './record.ts'

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
    await record(db, caller.actor, {
      action: 'access.denied',
      outcome: 'failure',
      target: targetOf(request),
      systemId: caller.systemId,
      accountId: caller.accountId,
      changes: { method: [null, method], route: [null, route], code: [null, failure.code] },
    }).catch((fault) => request.log.error({ err: fault }, 'a refused attempt could not be recorded'))
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the last id of the address names, where it has one: an id of another form may be any text. */
function targetOf({ params, method, routeOptions }: FastifyRequest): NonNullable<AuditEntry['target']> {
  const [name = '', id = ''] = Object.entries((params ?? {}) as Record<string, string>).at(-1) ?? []
  if (name.endsWith('Id') && UUID.test(id)) return { type: name.slice(0, -2), id: id.toLowerCase() }
  return { type: 'route', id: `${method} ${routeOptions.url ?? ''}`.trim() }
}
