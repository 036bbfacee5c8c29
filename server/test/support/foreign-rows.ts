/** The rows that a tenant must not change: of another account, of users elsewhere, and of the systems. */
import assert from 'node:assert/strict'
import { getTableConfig, is, PgTable, type SQL, sql } from '../../src/database/drizzle.ts'
import * as schema from '../../src/database/schema.ts'
import type { Driver } from './testing.ts'

const tables = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .map((table) => {
    const { name, columns } = getTableConfig(table)
    const snakeCase = (each: string) => each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return { name, columns: columns.map((column) => snakeCase(column.name)) }
  })

/** Whatever signs in a user. An admin of an account makes none of it, also for own members. */
const CREDENTIALS = [
  'passwords',
  'totp_factors',
  'one_time_tokens',
  'passkeys',
  'identities',
  'recovery_codes',
  'unconfirmed_credentials',
  'sessions',
  'artifacts',
]

/** Settings of a system, which the admins of accounts share. */
const OF_SYSTEM = ['roles', 'profiles', 'webhooks']

export type Foreign = {
  /** The account of the tenant who acts; `other` has that of the other one. */
  accountId: string
  other: { accountId: string; systemIds: string[] }
  /** Users who are not the tenant's. */
  users: string[]
}

function conditionOf(name: string, columns: string[], { accountId, other, users }: Foreign): SQL | undefined {
  const among = (values: string[]) => sql`any(${sql.param(values)}::text[])`
  if (name === 'users') return sql`x.id::text = ${among(users)}`
  if (name === 'accounts') return sql`x.id = ${other.accountId}::uuid`
  if (name === 'systems') return sql`x.id::text = ${among(other.systemIds)}`
  if (OF_SYSTEM.includes(name)) return sql`x.system_id::text = ${among(other.systemIds)}`
  const ofUser = columns.includes('user_id') ? sql`x.user_id::text = ${among(users)}` : undefined
  const ofAccount = sql`x.account_id = ${other.accountId}::uuid`
  if (columns.includes('account_id')) {
    if (!ofUser) return ofAccount
    // The tenant may add a user of the other, but never signs in as one.
    if (CREDENTIALS.includes(name)) return sql`(${ofAccount} or ${ofUser})`
    return sql`(${ofAccount} or (${ofUser} and x.account_id is distinct from ${accountId}::uuid))`
  }
  if (ofUser) return ofUser
  if (columns.includes('membership_id'))
    return sql`x.membership_id in (select id from memberships where account_id = ${other.accountId}::uuid)`
  if (columns.includes('service_account_id'))
    return sql`x.service_account_id in (select id from service_accounts where account_id = ${other.accountId}::uuid)`
  return undefined
}

/** Every such row, except those of the other's users in the tenant's own account. */
export async function foreignRows(app: Driver, foreign: Foreign): Promise<string[]> {
  const parts = tables.flatMap(({ name, columns }) => {
    const condition = conditionOf(name, columns, foreign)
    // Reading the event log assigns positions to events.
    const row = sql`${name}::text || ' ' || (to_jsonb(x) - 'position')::text as row`
    return condition ? [sql`select ${row} from ${sql.identifier(name)} x where ${condition}`] : []
  })
  assert.ok(parts.length > 25, String(parts.length))
  return rowsOf(app, parts)
}

/** All that signs in a user. */
export const credentialsOf = (app: Driver, userId: string): Promise<string[]> =>
  rowsOf(
    app,
    CREDENTIALS.map(
      (name) =>
        sql`select ${name}::text || ' ' || to_jsonb(x)::text as row from ${sql.identifier(name)} x where user_id::text = ${userId}`,
    ),
  )

async function rowsOf(app: Driver, parts: SQL[]): Promise<string[]> {
  const { rows } = (await app.db.execute(sql.join(parts, sql` union all `))) as { rows: { row: string }[] }
  return rows.map(({ row }) => row).sort()
}
