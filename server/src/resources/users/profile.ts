/** The profile of a user: standard claims of OpenID Connect Core section 5.1. */

import { type PgColumn, type SQL, sql } from '../../database/drizzle.ts'
import type { Term } from '../../database/lists.ts'
import { isContact, nameStated, PROFILE, type StatedProfile, users } from '../../database/schema.ts'
import { addressKey } from '../../email-address.ts'
import { invalid } from '../../errors.ts'

type Field = (typeof PROFILE)[number]

/** The profile as somebody reads it. */
export type UserProfile = Required<StatedProfile>

/** The user's own profile. */
export const profileColumns = Object.fromEntries(PROFILE.map((name) => [name, users[name]])) as Pick<
  typeof users,
  Field
>

/** What a system states of a user's profile, and whether the user has entered the system. */
export type Statement = { profile: StatedProfile; hasEntered: boolean }

/**
 * The profile in a system: its own statements, and the user's profile once they have entered it. The user's
 * phone number and address are read if `readsContact`: only in tokens, whose scopes the user has allowed.
 * A verification is valid for the number of those who stated it.
 */
export function profileIn(
  own: UserProfile,
  { profile: stated, hasEntered }: Statement,
  readsContact: boolean,
) {
  const read: Record<string, unknown> = {}
  for (const name of PROFILE) {
    const isRead = hasEntered && (readsContact || !isContact(name))
    read[name] = Object.hasOwn(stated, name) ? stated[name] : isRead ? own[name] : null
  }
  read.phoneNumberVerified = Object.hasOwn(stated, 'phoneNumber')
    ? (stated.phoneNumberVerified ?? false)
    : hasEntered && readsContact && own.phoneNumberVerified
  return read as UserProfile
}

/** The name by the same rule, in SQL: from a row of a system joined with the row of the user. */
export const statedName = (row: SQL, user: SQL) =>
  sql<
    string | null
  >`case when ${row}.profile ? 'name' then ${row}.profile ->> 'name' when ${row}.entered_at is not null then ${user}.name end`

/** The name that a system reads of a user, in a row that has both ids. */
export const nameReadIn = (systemId: PgColumn | SQL, userId: PgColumn | SQL) =>
  sql<
    string | null
  >`(select ${statedName(sql`r`, sql`u`)} from system_users r join users u on u.id = r.user_id
    where r.user_id = ${userId} and r.system_id = ${systemId})`

/** The columns of a row that names a user by what a system reads. */
type ReadRow = { userId: PgColumn; systemId: PgColumn; email: PgColumn }

/**
 * The rows whose address or name contains a text, of what the system of the row reads: the name that it
 * states, or the user's own once they have entered. No caller finds a row by a value that is not in it.
 */
export function namedInSystem(query: string | undefined, row: ReadRow): Term {
  if (!query) return undefined
  const { userId, systemId, email: value } = row
  const isOf = sql`r.system_id = ${systemId}`
  return [
    {
      part: addressKey(query),
      value,
      keys: (contains) => ({
        of: userId,
        ids: [sql`select r.user_id from system_users r where ${contains(sql`r.email`)}`],
      }),
    },
    {
      part: query,
      value: nameReadIn(systemId, userId),
      keys: (contains) => ({
        of: userId,
        ids: [
          sql`select r.user_id from system_users r where r.profile ? 'name' and ${contains(nameStated(sql`r.profile`))}`,
          sql`select u.id from users u where ${contains(sql`u.name`)}`,
        ],
      }),
      found: (contains) => [
        sql`(${userId}, ${systemId}) in (select r.user_id, r.system_id from system_users r
          where r.profile ? 'name' and ${contains(nameStated(sql`r.profile`))})`,
        sql`${userId} in (select u.id from users u where ${contains(sql`u.name`)})
          and (select r.entered_at is not null and not r.profile ? 'name' from system_users r
            where r.user_id = ${userId} and ${isOf})`,
      ],
    },
  ]
}

/** The rows whose user has a text in the address or the name, of what the platform reads. */
export function namedByPlatform(query: string | undefined, userId?: PgColumn): Term {
  if (!query) return undefined
  const own = (column: 'email' | 'name', part: string) => {
    if (userId === undefined) return { part, value: users[column] }
    const value = sql.raw(`u.${column}`)
    const ids = (contains: (indexed: SQL) => SQL) => sql`select u.id from users u where ${contains(value)}`
    return {
      part,
      value: sql`(select ${value} from users u where u.id = ${userId})`,
      found: (contains: (indexed: SQL) => SQL) => [sql`${userId} in (${ids(contains)})`],
      keys: (contains: (indexed: SQL) => SQL) => ({ of: userId, ids: [ids(contains)] }),
    }
  }
  return [own('email', addressKey(query)), own('name', query)]
}

/**
 * How a system names a user to others: by the name that it reads, or by the address. It does not read the
 * user's own name before they have entered it.
 */
export const nameIn = (systemId: PgColumn, userId: PgColumn) =>
  sql<string>`(select coalesce(${statedName(sql`r`, sql`u`)}, r.email, u.email)
    from users u left join system_users r on r.user_id = u.id and r.system_id = ${systemId}
    where u.id = ${userId})`

type Phone = Pick<UserProfile, 'phoneNumber' | 'phoneNumberVerified'>
const NO_PHONE: Phone = { phoneNumber: null, phoneNumberVerified: false }

/**
 * A patch with a phone number together with its verification: a new number is not verified unless the patch
 * says so, and a verification requires the number that it is about. Throws `invalid_request`.
 */
export function withPhone<Patch extends StatedProfile>(patch: Patch, before: Phone = NO_PHONE): Patch {
  const { phoneNumber = before.phoneNumber, phoneNumberVerified: verified } = patch
  if (patch.phoneNumber === undefined && verified === undefined) return patch
  // The user may have changed the number since the caller has verified it.
  if (verified && patch.phoneNumber === undefined)
    throw invalid('/phoneNumberVerified', 'requires the phoneNumber that was verified')
  if (phoneNumber === null && verified) throw invalid('/phoneNumberVerified', 'requires a phoneNumber')
  const isSame = phoneNumber === before.phoneNumber && before.phoneNumberVerified
  return { ...patch, phoneNumber, phoneNumberVerified: verified ?? isSame }
}
