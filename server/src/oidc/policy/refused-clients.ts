/**
 * The audit entries `sign_in.refused` of requests that are refused before their user is known: an unknown
 * client, a wrong secret, and a grant, a redirect URI or a scope that is not allowed. The response does not
 * distinguish the first two; the entry does. Anyone can repeat such a request: the first of a client and
 * reason has an entry of its own, and those of the next minute have one together, with their number.
 */
import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import type { Actor } from '../../http/authority.ts'
import { basicClientOf } from '../../http/basic-client.ts'
import { limitOf, REFUSALS_RECORDED } from '../../http/limits/guard.ts'
import { type Limit, reserve } from '../../http/limits/queries.ts'
import { masked, printable } from '../../http/sent-values.ts'
import { type AuditEntry, record } from '../../journal/audit/record.ts'
import { requestState } from './request-state.ts'
import type { Storage } from './storage.ts'

const ROUTES = new Set([
  'authorization',
  'device_authorization',
  'introspection',
  'pushed_authorization_request',
  'revocation',
  'token',
])

type Reason = 'client' | 'secret' | 'grant' | 'redirect_uri' | 'scope'

/** `secret`: also a wrong key, or another method of authentication than that of the client. */
function reasonOf({ oidc }: KoaContextWithOIDC, refusal: errors.OIDCProviderError): Reason | undefined {
  const { error, error_description: description = '' } = refusal
  switch (error) {
    case 'invalid_client':
      return oidc.client ? 'secret' : 'client'
    case 'invalid_redirect_uri':
      return 'redirect_uri'
    case 'invalid_scope':
      return 'scope'
    case 'unauthorized_client':
      return 'grant'
    default:
      // The library answers a grant that a client may not use as a malformed request.
      return GRANT_REFUSED.test(description) ? 'grant' : undefined
  }
}

const GRANT_REFUSED = /^(?:requested grant type|\S+) is not allowed for this client$/

/** Registered redirect URIs in an entry. */
const REGISTERED_MAX = 3

type Changes = NonNullable<AuditEntry['changes']>

/** The id of an unknown client is what the sender has chosen: by mistake, it may be a secret. */
const clientIdOf = ({ oidc: { client, params }, headers: { authorization = '' } }: KoaContextWithOIDC) =>
  client?.clientId ?? masked(String(params?.client_id ?? basicClientOf(authorization) ?? ''))

function changesOf(ctx: KoaContextWithOIDC, reason: Reason, error: string): Changes {
  const { client, params } = ctx.oidc
  const changes: Changes = { reason: [null, reason], error: [null, error], clientId: [null, clientIdOf(ctx)] }
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string') changes[name] = [null, printable(value)]
  }
  if (reason === 'grant') add('grantType', params?.grant_type ?? 'authorization_code')
  if (reason === 'scope' || reason === 'redirect_uri') {
    add('redirectUri', params?.redirect_uri)
    add('scope', params?.scope)
  }
  if (reason === 'redirect_uri')
    changes.registered = [null, client?.redirectUris?.slice(0, REGISTERED_MAX).map(printable) ?? []]
  return changes
}

type Refused = { entry: AuditEntry; sender: Actor }
/** The refusals of one client and reason that have no entry yet, of which `last` is the latest. */
type Count = { limit: Limit; times: number; since: Date; last: Refused; timer: NodeJS.Timeout }

/** 61 s, in ms: a little longer than REFUSALS_RECORDED, which the database measures. */
const WINDOW = 61_000

export type RefusedClients = {
  /** Records a refused request of a client, or counts it for the entry of this minute. */
  note(ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError): Promise<void>
  /** Records what has no entry yet. */
  close(): Promise<void>
}

type Parts = Pick<Storage, 'db' | 'seal'> & { log: FastifyBaseLogger }

export function noteRefusedClients({ db, seal, log }: Parts): RefusedClients {
  const onFault = (error: unknown) => log.error({ err: error }, 'refused requests are not in the audit log')
  const counts = new LRUCache<string, Count>({ max: 10_000, dispose: ({ timer }) => clearInterval(timer) })

  function begin(limit: Limit, last: Refused): Count {
    const timer = setInterval(() => void endMinute(limit.key).catch(onFault), WINDOW).unref()
    const count = { limit, times: 0, since: new Date(), last, timer }
    counts.set(limit.key, count)
    return count
  }

  function repeat(count: Count, last: Refused): void {
    if (count.times === 0) count.since = new Date()
    Object.assign(count, { last, times: count.times + 1 })
  }

  /** Another process may have the entry of this minute: then the refusals wait for the next one. */
  async function endMinute(key: string): Promise<void> {
    const count = counts.peek(key)
    if (count?.times === 0) counts.delete(key)
    if (!count || count.times === 0 || !(await reserve(db, count.limit))) return
    const counted = { ...count }
    count.times = 0
    await write(counted)
  }

  async function write({ times, since, last: { entry, sender } }: Count): Promise<void> {
    const repeated: Changes = times > 1 ? { times: [null, times], since: [null, since.toISOString()] } : {}
    await record(db, sender, { ...entry, changes: { ...entry.changes, ...repeated } })
  }

  return {
    async note(ctx, refusal) {
      const reason = ROUTES.has(ctx.oidc?.route ?? '') ? reasonOf(ctx, refusal) : undefined
      if (reason === undefined) return
      const systemId = ctx.oidc.client?.tenantry.systemId ?? null
      const changes = changesOf(ctx, reason, refusal.error)
      const { sender } = requestState(ctx)
      const entry: AuditEntry = { action: 'sign_in.refused', outcome: 'failure', systemId, changes }
      const limit = limitOf(seal, 'refused', REFUSALS_RECORDED, systemId ?? '', reason)
      const before = counts.get(limit.key)
      if (before) return repeat(before, { entry, sender })
      const count = begin(limit, { entry, sender })
      if (await reserve(db, limit)) await record(db, sender, entry)
      else repeat(count, { entry, sender })
    },
    async close() {
      const all = [...counts.values()].filter(({ times }) => times > 0)
      counts.clear()
      for (const count of all) await write(count).catch(onFault)
    },
  }
}
