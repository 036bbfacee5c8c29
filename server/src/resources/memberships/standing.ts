/**
 * Whether a membership may be used now. Its status alone does not say it: while an account is suspended, none
 * of its memberships and service accounts may be used. Every surface decides by this file: sign-ins, tokens,
 * sessions, acting, the admin API, the console and the pages of an organization.
 */
import { type AnyPgColumn, type SQL, sql } from '../../database/drizzle.ts'
import { hasFactorSince } from '../users/sign-in-methods.ts'
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

const exemptBy = sql.raw('m.sso_exempt_by')

/** Whether an authority exempts the member for whom none above it requires single sign-on. */
const isExempt = (requiredBy: Value): SQL =>
  sql`(${exemptBy} is not null and (${requiredBy} = 'account' or ${exemptBy} in ('platform', ${requiredBy})))`

/**
 * Of a member who is exempt from the single sign-on that the account requires; null for any other.
 * `without_factor`: no second factor is left that goes back to the time of the exemption, which is then void.
 */
export type Exemption = 'valid' | 'without_factor'

/** `requiredBy`: `ssoRequiredBy` of the account, here and below. The membership has the alias `m`. */
export const exemptionOf = (requiredBy: Value): SQL<Exemption | null> =>
  sql<Exemption | null>`case when ${requiredBy} is null or not ${isExempt(requiredBy)} then null
    when ${hasFactorSince(sql`m.user_id`, sql`m.system_id`, sql`m.sso_exempt_at`)} then 'valid' else 'without_factor' end`

/**
 * Whether a membership `m` is closed: the account requires single sign-on, so that only a login by one of its
 * connections opens the membership, and none with a credential of the user.
 */
export const isClosed = (requiredBy: Value): SQL<boolean> =>
  sql<boolean>`(${requiredBy} is not null and ${exemptionOf(requiredBy)} is distinct from 'valid')`

/** The same for a membership `m` of an account that the statement does not read. */
export const IS_CLOSED = sql<boolean>`(select ${isClosed(sql`requiring.sso_required_by`)} from accounts requiring
    where requiring.id = m.account_id)`

/**
 * Whether credentials of the user open the membership `m` of the account `a`, of which the statement
 * row-locks both: an exempt member has verified a second factor.
 */
export const isOpenToOwn = (hasVerifiedFactor: SQL): SQL<boolean> =>
  sql<boolean>`(a.sso_required_by is null or (${isExempt(sql`a.sso_required_by`)} and ${hasVerifiedFactor}))`

/**
 * The condition for a statement that row-locks the membership `m` and its account `a`: after it has waited
 * for a lock, PostgreSQL checks columns of the locked rows again, but no subquery.
 */
export const IS_USABLE_LOCKED = sql.raw(`m.status = 'active' and a.suspended_by = '{}'`)
