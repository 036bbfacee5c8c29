/**
 * The caller of a request and its reach. Every route declares the authorities that it allows (deny by
 * default: app.ts does not start with a route that declares none), oidc/bearer.ts determines the caller from
 * the access token, and `within` limits queries to the caller's reach.
 *
 * | authority | token                                                           | reach                   |
 * |-----------|-----------------------------------------------------------------|-------------------------|
 * | platform  | of a user or a service client of a platform system, or of a     | everything              |
 * |           | client that SERVICE_TOKEN_REACH names                           |                         |
 * | system    | service token of any other system that allows client credentials | that system             |
 * | account   | user token of any other system, with a role that is admin       | one account of a system |
 */

import type { FastifyContextConfig } from 'fastify'
import type { PgColumn } from '../database/drizzle.ts'
import { and, eq, type SQL, sql } from '../database/drizzle.ts'
import { Failure } from '../errors.ts'
import type { RefusalNote } from './refusals.ts'

export type Authority = 'platform' | 'system' | 'account'

/** The authority of a decision; `user` if users decide for themselves. Highest first. */
const RANKS = ['platform', 'system', 'account', 'user'] as const
export type Rank = (typeof RANKS)[number]

/** The ranks whose decisions cannot be undone by this one. */
export const ranksAbove = (rank: Rank): Rank[] => RANKS.slice(0, RANKS.indexOf(rank))

export const highestFirst = <Of extends Rank>(ranks: Iterable<Of>): Of[] =>
  [...ranks].sort((one, other) => RANKS.indexOf(one) - RANKS.indexOf(other))

/** The actor of an audit entry. `server` is the process itself. */
export type Actor = {
  type: 'user' | 'service' | 'anonymous' | 'server'
  id: string | null
  ip: string | null
  userAgent: string | null
  requestId: string | null
  /** The place where a user acts without a token and outside of a sign-in. */
  via?: 'console' | 'account_pages'
  /** Where the right to act of a caller of the admin API comes from. */
  authority?: Authority
  /** Where the refusal of a request is noted, for the log. */
  refusalNote?: RefusalNote
}

/** The actor of jobs, the start of the server and its command line. */
export const SERVER: Actor = { type: 'server', id: null, ip: null, userAgent: null, requestId: null }

/**
 * A caller of the admin API, from its access token and the current state of its session or system. `none`: a
 * user without an admin role, or an account admin whose system has closed the admin API to them.
 */
export type Caller = {
  authority: Authority | 'none'
  actor: Actor
  systemId: string
  accountId: string | null
  /** The expiry of the token, or of the browser session. */
  expiresAt: Date
  /** Seconds since 1970, by `authTimeOf`; null: no login counts; undefined: a service. */
  authenticatedAt?: number | null
  /** The connection of an organization that has signed the user in; null or absent: none. */
  connectionId?: string | null
  /** When a long-lived request was last checked again, in ms since 1970. */
  checkedAt?: number
}

/**
 * The rows that a caller can access: all, those of one system, or those of one account of a system. Each is
 * made by its name below and states every field: an object without one is no reach, so that a field that is
 * forgotten never means the rows of all tenants.
 */
export type Reach =
  | { readonly of: 'everything'; readonly systemId: undefined; readonly accountId: undefined }
  | { readonly of: 'system'; readonly systemId: string; readonly accountId: undefined }
  | { readonly of: 'account'; readonly systemId: string; readonly accountId: string }

/** The reach of the platform, and of the server itself. */
export const EVERYTHING: Reach = { of: 'everything', systemId: undefined, accountId: undefined }

export const ofSystem = (systemId: string): Reach => ({ of: 'system', systemId, accountId: undefined })

export const ofAccount = (systemId: string, accountId: string): Reach => ({
  of: 'account',
  systemId,
  accountId,
})

/** The reach of a scope. */
export const ofScope = (scope: Scope): Reach => (scope === null ? EVERYTHING : ofSystem(scope))

export type Declared = { method: string; url: string } & Pick<FastifyContextConfig, 'authority' | 'reach'>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only on routes whose authority is a list. */
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
    /** Exceptions to the reach of an authority on this route, in words, for docs/authority.md. */
    reach?: Partial<Record<Authority, string>>
  }
  interface FastifyInstance {
    /** The declarations of all routes. */
    declared: Declared[]
  }
}

/** Throws `insufficient_authority` for a user without an admin role. */
export function authorityOf({ authority }: Caller): Authority {
  if (authority === 'none') throw new Failure('insufficient_authority')
  return authority
}

/**
 * Where a credential or a statement about a user is valid: in one system, or everywhere (null). A caller
 * writes for the system that it reaches; only the platform writes for all.
 */
export type Scope = string | null

export const scopeOf = (caller: Caller): Scope => reachOf(caller).systemId ?? null

export function reachOf(caller: Caller): Reach {
  const authority = authorityOf(caller)
  if (authority === 'platform') return EVERYTHING
  if (authority === 'system') return ofSystem(caller.systemId)
  return ofAccount(caller.systemId, caller.accountId ?? '')
}

/**
 * The condition that limits a query to a reach. `account: 'none'`: no row is within the reach of an account.
 * `account: 'any'`: every row of the system is, as a role can be read by the admin of any account.
 */
export function within(
  reach: Reach,
  columns: { system: PgColumn; account: PgColumn | 'any' | 'none' },
): SQL | undefined {
  if (reach.of === 'everything') return undefined
  const inSystem = eq(columns.system, reach.systemId)
  if (reach.of === 'system' || columns.account === 'any') return inSystem
  if (columns.account === 'none') return sql`false`
  return and(inSystem, eq(columns.account, reach.accountId))
}

/** Throws `insufficient_authority` unless the caller has one of the authorities. */
export function demand(caller: Caller, allowed: readonly Authority[]): void {
  if (caller.authority === 'none' || !allowed.includes(caller.authority))
    throw new Failure('insufficient_authority')
}
