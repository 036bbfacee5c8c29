/** The profile of a user: standard claims of OpenID Connect Core section 5.1. */
import {
  isContact,
  type PostalAddress,
  PROFILE,
  type StatedProfile,
  type systemUsers,
  users,
} from '../../database/schema.ts'
import { invalid } from '../../errors.ts'
import { type PgColumn, type SQL, sql } from '../../tuning/drizzle.ts'

type Field = (typeof PROFILE)[number]
type TextField = Exclude<Field, 'phoneNumberVerified' | 'address'>
const TEXTS = PROFILE.filter(
  (field): field is TextField => field !== 'phoneNumberVerified' && field !== 'address',
)

/** The profile as somebody reads it. */
export type Profile = Required<StatedProfile>

/** The columns of a system's row. */
type Row = Record<'profile' | 'enteredAt', PgColumn> | typeof systemUsers

const key = (name: Field) => sql.raw(`'${name}'`)

/** The value that the system states, else the user's own if `isRead`. */
const text = (row: Row, name: TextField, isRead: SQL) =>
  sql<
    string | null
  >`case when ${row.profile} ? ${key(name)} then ${row.profile} ->> ${key(name)} when ${isRead} then ${users[name]} end`

/**
 * The profile in a system: its own statements, and the user's profile once they have entered it. The user's
 * phone number and address are read if `readsContact`: only in tokens, whose scopes the user has allowed.
 * A verification is valid for the number of those who stated it.
 */
export const profileColumns = (row: Row, readsContact: SQL) => {
  const hasEntered = sql`${row.enteredAt} is not null`
  const read = (name: TextField) => text(row, name, isContact(name) ? readsContact : hasEntered)
  return {
    ...(Object.fromEntries(TEXTS.map((name) => [name, read(name)])) as Record<
      TextField,
      ReturnType<typeof text>
    >),
    phoneNumberVerified: sql<boolean>`case when ${row.profile} ? ${key('phoneNumber')} then coalesce((${row.profile} ->> ${key('phoneNumberVerified')})::boolean, false)
      else ${readsContact} and ${users.phoneNumberVerified} end`,
    address: sql<PostalAddress | null>`case when ${row.profile} ? ${key('address')} then nullif(${row.profile} -> ${key('address')}, 'null')
      when ${readsContact} then ${users.address} end`,
  }
}

/**
 * How a system names a user to others: by the name that it reads, or by the address. It does not read the
 * user's own name before they have entered it.
 */
export const nameIn = (systemId: PgColumn, userId: PgColumn) =>
  sql<string>`(select coalesce(case when r.profile ? 'name' then r.profile ->> 'name'
      when r.entered_at is not null then u.name end, u.email)
    from users u left join system_users r on r.user_id = u.id and r.system_id = ${systemId}
    where u.id = ${userId})`

type Phone = Pick<Profile, 'phoneNumber' | 'phoneNumberVerified'>
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
