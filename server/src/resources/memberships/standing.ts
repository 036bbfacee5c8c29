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
 * Whether a membership is closed: the account requires single sign-on, so that only a login by one of its
 * connections opens the membership, and none with a credential of the user. `requiredBy`: `ssoRequiredBy` of
 * the account.
 */
export const isClosed = (requiredBy: Value): SQL<boolean> => sql<boolean>`(${requiredBy} is not null)`

/** The same for a membership of an account that the statement does not read. */
export const isClosedIn = (accountId: Value): SQL<boolean> =>
  sql<boolean>`(select ${isClosed(sql`requiring.sso_required_by`)} from accounts requiring where requiring.id = ${accountId})`

/**
 * The condition for a statement that row-locks the membership `m` and its account `a`: after it has waited
 * for a lock, PostgreSQL checks columns of the locked rows again, but no subquery.
 */
export const IS_USABLE_LOCKED = sql.raw(`m.status = 'active' and a.suspended_by = '{}'`)
