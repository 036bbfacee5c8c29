/**
 * Who is asking, and how far they reach. Every route declares its authority (deny by default: app.ts
 * refuses to start with one that does not); oidc/bearer.ts works out the caller from the token;
 * queries are limited by `within`.
 *
 * | authority | token                                                           | reach                   |
 * |-----------|-----------------------------------------------------------------|-------------------------|
 * | platform  | of a user or a service client of a platform system              | everything              |
 * | system    | service token of any other system that allows client credentials | that system             |
 * | account   | user token of any other system, with a role that is admin       | one account of a system |
 */

import type { FastifyContextConfig } from 'fastify'
import { Failure } from '../errors.ts'
import type { PgColumn } from '../tuning/drizzle.ts'
import { and, eq, type SQL, sql } from '../tuning/drizzle.ts'

export type Authority = 'platform' | 'system' | 'account'

/** Who acts, for the audit. `server` is the process itself. */
export type Actor = {
  type: 'user' | 'service' | 'anonymous' | 'server'
  id: string | null
  ip: string | null
  userAgent: string | null
  requestId: string | null
}

/** What the process does by itself or for whoever runs it. */
export const SERVER: Actor = { type: 'server', id: null, ip: null, userAgent: null, requestId: null }

/**
 * A caller of the admin API, as its access token and the live state behind it say; `none` is
 * a person without an admin role.
 */
export type Caller = {
  authority: Authority | 'none'
  actor: Actor
  systemId: string
  accountId: string | null
  /** Of the token. */
  expiresAt: Date
}

/** What a query may see: everything, one system, or one account of a system. */
export type Reach = { systemId?: string; accountId?: string }

export type Declared = { method: string; url: string } & Pick<FastifyContextConfig, 'authority' | 'reach'>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route whose authority is a list; elsewhere there is none. */
    caller: Caller
    actor: Actor
  }
  interface FastifyContextConfig {
    /**
     * `public`: anyone. `interaction`: the cookie of the sign-in in progress. `browser-session`: a
     * signed-in browser, for data of its user. A list: an admin token of one of these authorities; others get
     * 403 insufficient_authority.
     */
    authority?: 'public' | 'interaction' | 'browser-session' | readonly Authority[]
    /**
     * Where an authority reaches less here than its rule says, or more: how far. Read by docs/authority.md.
     */
    reach?: Partial<Record<Authority, string>>
  }
  interface FastifyInstance {
    /** Every route of the service, as it declares itself. */
    declared: Declared[]
  }
}

export function reachOf(caller: Caller): Reach {
  if (caller.authority === 'none') throw new Failure('insufficient_authority')
  if (caller.authority === 'platform') return {}
  if (caller.authority === 'system') return { systemId: caller.systemId }
  return { systemId: caller.systemId, accountId: caller.accountId ?? '' }
}

/**
 * The condition that keeps a query within the reach. A table without an account column is out of an
 * account's reach altogether unless the caller passes `account: 'any'` (a role may be read by the admin
 * of any account of its system).
 */
export function within(
  reach: Reach,
  columns: { system: PgColumn; account: PgColumn | 'any' | 'none' },
): SQL | undefined {
  const inSystem = reach.systemId === undefined ? undefined : eq(columns.system, reach.systemId)
  if (reach.accountId === undefined || columns.account === 'any') return inSystem
  if (columns.account === 'none') return sql`false`
  return and(inSystem, eq(columns.account, reach.accountId))
}

/** Refuses a caller whose authority is not among those a route declares. */
export function demand(caller: Caller, allowed: readonly Authority[]): void {
  if (caller.authority === 'none' || !allowed.includes(caller.authority))
    throw new Failure('insufficient_authority')
}
