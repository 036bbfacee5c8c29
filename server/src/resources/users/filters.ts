/**
 * The filters of the list of users, by the values that its caller reads: those of the platform are the user's
 * own, those of a system what the system states, and the user's own once they have entered it. So a system
 * learns nothing by a filter that it does not read.
 */
import { type Static, Type } from 'typebox'
import { and, type PgColumn, type SQL, sql } from '../../database/drizzle.ts'
import { systemUsers, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Caller } from '../../http/authority.ts'
import { momentOf, uuidsOf } from '../../http/query-values.ts'
import { oneOf, timeOf } from '../../http/schemas.ts'
import { hasSecondFactorOf } from './sign-in-methods.ts'

const IDS_MAX = 100

const flagOf = (description: string) => Type.Optional(Type.Boolean({ description }))
const after = (what: string) => Type.Optional(timeOf(`Returns only users ${what} at this time or later.`))
const before = (what: string) => Type.Optional(timeOf(`Returns only users ${what} before this time.`))
const PLATFORM = 'With platform authority only.'

export const USER_FILTERS = {
  ids: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: `Returns only users with one of these up to ${IDS_MAX} ids, which are separated by commas.`,
    }),
  ),
  emailVerified: flagOf('Returns only users whose `emailVerified` has this value.'),
  disabled: flagOf('Returns only users whose `disabled` has this value.'),
  hasPassword: flagOf(`Returns only users whose \`hasPassword\` has this value. ${PLATFORM}`),
  mfa: flagOf(`Returns only users whose \`mfaEnabled\` has this value. ${PLATFORM}`),
  createdAfter: after('created'),
  createdBefore: before('created'),
  lastLoginAfter: Type.Optional(
    timeOf(`Returns only users who have signed in at this time or later. ${PLATFORM}`),
  ),
  lastLoginBefore: Type.Optional(
    timeOf(
      `Returns only users who have not signed in at this time or later, also those who never have. ${PLATFORM}`,
    ),
  ),
  sort: Type.Optional(
    oneOf(['createdAt', 'lastLoginAt'], {
      title: 'UserSort',
      description: `\`createdAt\`: the newest first (default). \`lastLoginAt\`: the latest sign-in first, users who have never signed in last. ${PLATFORM}`,
    }),
  ),
}

const Given = Type.Object(USER_FILTERS)
type Given = Static<typeof Given>

const OF_PLATFORM = ['mfa', 'hasPassword', 'lastLoginAfter', 'lastLoginBefore'] as const

/** Throws `insufficient_authority` for a filter by what only the platform reads. */
export function demandFilters({ authority }: Caller, given: Given): void {
  const denied: string[] = OF_PLATFORM.filter((name) => given[name] !== undefined)
  if (given.sort === 'lastLoginAt') denied.push('sort')
  if (denied.length > 0 && authority !== 'platform')
    throw new Failure('insufficient_authority', {
      detail: `A list by ${denied.join(', ')} requires platform authority.`,
    })
}

const is = (condition: SQL, value: boolean | undefined): SQL | undefined =>
  value === undefined ? undefined : value ? condition : sql`not ${condition}`

const between = (
  column: PgColumn,
  name: string,
  from: string | undefined,
  to: string | undefined,
): SQL | undefined =>
  and(
    from === undefined ? undefined : sql`${column} >= ${momentOf(`${name}After`, from).toISOString()}`,
    to === undefined ? undefined : sql`${column} < ${momentOf(`${name}Before`, to).toISOString()}`,
  )

const oneOfIds = (column: PgColumn, ids: string | undefined): SQL | undefined =>
  ids === undefined ? undefined : sql`${column} = any(${sql.param(uuidsOf('ids', ids, IDS_MAX))}::uuid[])`

/** Few users may have a password, or none: both are found by an index. */
const password = (value: boolean | undefined): SQL | undefined =>
  value === true
    ? sql`exists (select from passwords w where w.user_id = users.id and w.system_id is null)`
    : is(sql`users.has_password`, value)

/** Few users may have a second factor: they are found by its tables. */
const secondFactor = (value: boolean | undefined): SQL | undefined =>
  value === true
    ? sql`users.id in (select f.user_id from totp_factors f where f.system_id is null and f.confirmed_at is not null
        union all select p.user_id from passkeys p where p.system_id is null)`
    : is(hasSecondFactorOf(null), value)

/** Whether a row of `users` matches, as the platform reads it. */
export const ofPlatform = (given: Given): SQL | undefined =>
  and(
    oneOfIds(users.id, given.ids),
    is(sql`users.email_verified`, given.emailVerified),
    is(sql`users.disabled`, given.disabled),
    password(given.hasPassword),
    secondFactor(given.mfa),
    between(users.createdAt, 'created', given.createdAfter, given.createdBefore),
    given.lastLoginAfter === undefined
      ? undefined
      : between(users.lastLoginAt, 'lastLogin', given.lastLoginAfter, undefined),
    given.lastLoginBefore === undefined
      ? undefined
      : sql`(users.last_login_at is null or ${between(users.lastLoginAt, 'lastLogin', undefined, given.lastLoginBefore)})`,
  )

/** The rare value of each flag. */
const RARE = [
  ['emailVerified', false, sql`not users.email_verified`],
  ['disabled', true, sql`users.disabled`],
  ['hasPassword', false, sql`not users.has_password`],
  ['mfa', true, secondFactor(true)!],
] as const

/**
 * The same of a row of `system_users`. A frequent value is the absence of the rare one: PostgreSQL reads the
 * few users of its index instead of each user. It would turn `not exists` into a join that looks up each.
 */
export function ofPlatformIn(given: Given): SQL | undefined {
  const isOne = (condition: SQL) =>
    sql`exists (select from users where users.id = system_users.user_id and ${condition})`
  const frequent = RARE.filter(([name, rare]) => given[name] === !rare)
  const found = ofPlatform({ ...given, ...Object.fromEntries(frequent.map(([name]) => [name, undefined])) })
  return and(
    found && isOne(found),
    ...frequent.map(([, , rare]) => sql`case when ${isOne(rare)} then false else true end`),
  )
}

/**
 * A flag that the system has set, or, for users who have entered, the user or the platform. Both read an
 * index of few users.
 */
const flag = (name: 'email_verified' | 'disabled') => {
  const isRare = sql`(select from users u where u.id = system_users.user_id
    and ${name === 'disabled' ? sql`u.disabled` : sql`not u.email_verified`})`
  return sql`(system_users.${sql.raw(name)} or (system_users.entered_at is not null
    and ${name === 'disabled' ? sql`exists ${isRare}` : sql`not exists ${isRare}`}))`
}

/** Few users are disabled: they are found by the indexes of disabled users, not among all of the system. */
const disabledIn = (systemId: string, value: boolean | undefined): SQL | undefined =>
  and(
    value
      ? sql`system_users.user_id in (select d.user_id from system_users d where d.system_id = ${systemId} and d.disabled
          union all select u.id from users u where u.disabled)`
      : undefined,
    is(flag('disabled'), value),
  )

/** Whether a row of `system_users` matches, as its system reads the user. */
export const systemFilter = (systemId: string, given: Given): SQL | undefined =>
  and(
    oneOfIds(systemUsers.userId, given.ids),
    is(flag('email_verified'), given.emailVerified),
    disabledIn(systemId, given.disabled),
    between(systemUsers.createdAt, 'created', given.createdAfter, given.createdBefore),
  )

export type UserFilters = Given
