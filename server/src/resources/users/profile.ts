/** The profile of a user: standard claims of OpenID Connect Core section 5.1. */
import {
  type PostalAddress,
  PROFILE,
  type StatedProfile,
  type systemUsers,
  users,
} from '../../database/schema.ts'
import { invalid } from '../../errors.ts'
import { type PgColumn, sql } from '../../tuning/drizzle.ts'

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

/** The value that the system states, else the user's own once they have entered the system. */
const text = (row: Row, name: TextField) =>
  sql<
    string | null
  >`case when ${row.profile} ? ${key(name)} then ${row.profile} ->> ${key(name)} when ${row.enteredAt} is not null then ${users[name]} end`

/** The profile as a system reads it. A verification is valid for the number of those who stated it. */
export const profileColumns = (row: Row) => ({
  ...(Object.fromEntries(TEXTS.map((name) => [name, text(row, name)])) as Record<
    TextField,
    ReturnType<typeof text>
  >),
  phoneNumberVerified: sql<boolean>`case when ${row.profile} ? ${key('phoneNumber')} then coalesce((${row.profile} ->> ${key('phoneNumberVerified')})::boolean, false)
    else ${row.enteredAt} is not null and ${users.phoneNumberVerified} end`,
  address: sql<PostalAddress | null>`case when ${row.profile} ? ${key('address')} then nullif(${row.profile} -> ${key('address')}, 'null')
    when ${row.enteredAt} is not null then ${users.address} end`,
})

type Phone = Pick<Profile, 'phoneNumber' | 'phoneNumberVerified'>
const NO_PHONE: Phone = { phoneNumber: null, phoneNumberVerified: false }

/**
 * A patch with a phone number together with its verification: a new number is not verified unless the patch
 * says so, and a verification is stated with the number that it is about. Throws `invalid_request`.
 */
export function withPhone<Patch extends StatedProfile>(patch: Patch, before: Phone = NO_PHONE): Patch {
  const { phoneNumber = before.phoneNumber, phoneNumberVerified: verified } = patch
  if (patch.phoneNumber === undefined && verified === undefined) return patch
  if (phoneNumber === null && verified) throw invalid('/phoneNumberVerified', 'requires a phoneNumber')
  const isSame = phoneNumber === before.phoneNumber && before.phoneNumberVerified
  return { ...patch, phoneNumber, phoneNumberVerified: verified ?? isSame }
}
