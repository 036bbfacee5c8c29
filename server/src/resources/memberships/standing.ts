/**
 * Whether a membership may be used now. Its status alone does not say it: while an account is suspended, none
 * of its memberships and service accounts may be used. Every surface decides by this file: sign-ins, tokens,
 * sessions, acting, the admin API, the console and the pages of an organization.
 */
import { type AnyPgColumn, type SQL, sql } from '../../database/drizzle.ts'
import type { MembershipStatus } from './states.ts'

/** The status of a membership, but `suspended` if it is active in a suspended account. */
export type Standing = MembershipStatus | 'suspended'

type Value = SQL | AnyPgColumn

/**
 * Whether an account is suspended. A scalar subquery: the planner reads the account of each row by its id,
 * and never joins all accounts.
 */
export const isSuspended = (accountId: Value): SQL<boolean> =>
  sql<boolean>`(select suspendable.suspended_by <> '{}' from accounts suspendable where suspendable.id = ${accountId})`

export const standingOf = (status: Value, accountId: Value): SQL<Standing> =>
  sql<Standing>`case when ${status} = 'active' and ${isSuspended(accountId)} then 'suspended' else ${status} end`

/** The memberships that may be used. */
export const isUsable = (status: Value, accountId: Value): SQL<boolean> =>
  sql<boolean>`(${status} = 'active' and not ${isSuspended(accountId)})`

/**
 * The condition for a statement that row-locks the membership `m` and its account `a`: after it has waited
 * for a lock, PostgreSQL checks columns of the locked rows again, but no subquery.
 */
export const IS_USABLE_LOCKED = sql.raw(`m.status = 'active' and a.suspended_by = '{}'`)
