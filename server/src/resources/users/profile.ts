/** The profile of a user as a system reads it. */
import { type StatedProfile, type systemUsers, users } from '../../database/schema.ts'
import { type PgColumn, sql } from '../../tuning/drizzle.ts'

/** The columns of a system's row. */
type Row = Record<'profile' | 'enteredAt', PgColumn> | typeof systemUsers

/** The value that the system states, else the user's own once they have entered the system. */
const field = (row: Row, name: keyof StatedProfile) =>
  sql<
    string | null
  >`case when ${row.profile} ? ${sql.raw(`'${name}'`)} then ${row.profile} ->> ${sql.raw(`'${name}'`)} when ${row.enteredAt} is not null then ${users[name]} end`

export const profileColumns = (row: Row) => ({
  name: field(row, 'name'),
  givenName: field(row, 'givenName'),
  familyName: field(row, 'familyName'),
  locale: field(row, 'locale'),
})
