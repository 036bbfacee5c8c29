/**
 * Each table is written by one folder: the statements that insert, update or
 * delete its rows are all found there.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { getTableConfig, is, PgTable } from './database/drizzle.ts'
import * as schema from './database/schema.ts'

/** The folder, or the file, that writes each table of database/schema.ts. */
const WRITERS: Record<string, string[]> = {
  systems: ['resources/systems'],
  system_ids: ['resources/systems'],
  roles: ['resources/roles'],
  operators: ['resources/operators'],
  profiles: ['resources/profiles'],
  // Two writers: the statements of a sign-in store its time.
  users: ['resources/sign-ins', 'resources/users'],
  system_users: ['resources/users'],
  stated_addresses: ['resources/users'],
  asked_addresses: ['resources/users'],
  passwords: ['resources/credentials'],
  unconfirmed_credentials: ['resources/credentials'],
  accounts: ['resources/accounts'],
  images: ['resources/images'],
  email_texts: ['jobs/email'],
  blocks: ['resources/memberships'],
  kept_decisions: ['resources/memberships'],
  memberships: ['resources/memberships'],
  membership_roles: ['resources/memberships'],
  membership_profiles: ['resources/memberships'],
  sessions: ['resources/sessions'],
  session_ends: ['resources/sessions'],
  background_jobs: ['jobs/background'],
  consents: ['resources/consents'],
  artifacts: ['resources/artifacts'],
  revoked_tokens: ['resources/sessions'],
  signing_keys: ['oidc/keys'],
  installation: ['platform.ts'],
  audit: ['journal/audit', 'journal/audit/chain'],
  audit_links: ['journal/audit/chain'],
  audit_blocks: ['journal/audit/chain'],
  audit_head: ['journal/audit/chain'],
  counters: ['journal/stats'],
  activity: ['journal/stats'],
  daily: ['journal/stats'],
  events: ['journal/events'],
  event_log: ['journal/events'],
  // Two writers: administrators configure a webhook and requeue its deliveries, the worker sends them.
  webhooks: ['jobs/webhooks', 'resources/webhooks'],
  deliveries: ['jobs/webhooks', 'resources/webhooks'],
  delivery_attempts: ['jobs/webhooks'],
  mail: ['jobs/email'],
  one_time_tokens: ['resources/credentials'],
  invitations: ['resources/invitations'],
  service_accounts: ['resources/service-accounts'],
  service_account_roles: ['resources/service-accounts'],
  service_account_keys: ['resources/service-accounts'],
  domains: ['resources/domains'],
  connections: ['resources/connections'],
  connection_roles: ['resources/connections'],
  connection_attempts: ['resources/connections'],
  connection_links: ['resources/connections'],
  test_sign_ins: ['resources/test-sign-ins'],
  registrations: ['resources/registrations'],
  totp_factors: ['resources/factors'],
  passkeys: ['resources/factors'],
  recovery_codes: ['resources/factors'],
  identities: ['resources/identities'],
  logout_deliveries: ['jobs/backchannel-logout'],
  idempotency_keys: ['http/idempotency'],
  limits: ['http/limits'],
  migrations: ['database/migrations'],
  processes: ['database/migrations'],
}

/** Deletes expired rows of any table, by statements that take the table as a parameter. */
const CLEANUP = 'jobs/cleanup/queries.ts'

const tables = Object.entries(schema).flatMap(([name, table]) =>
  is(table, PgTable) ? [[name, getTableConfig(table).name] as const] : [],
)
const tableNames = new Map<string, string>([...tables, ...tables.map(([, name]) => [name, name] as const)])

const ORM = /\.(?:insert|update|delete)\((\w+)\)/g
const SQL = /\b(?:insert into|delete from|update(?=\s+\S+\s+(?:\w\s+)?set\b))\s+(?:\$\{(\w+)\}|(\w+))/gi

/** The tables that a source text writes, by their name in the database. */
const writtenTables = (text: string): string[] =>
  [...text.matchAll(ORM), ...text.matchAll(SQL)].flatMap(([, first, second]) => {
    const name = tableNames.get(first ?? second ?? '')
    return name === undefined ? [] : [name]
  })

/** The files that write a table although WRITERS names another folder. */
function violations(sources: { file: string; text: string }[]): string[] {
  return sources
    .filter(({ file }) => file !== CLEANUP)
    .flatMap(({ file, text }) =>
      [...new Set(writtenTables(text))]
        .filter((table) => !WRITERS[table]?.some((writer) => writer === file || writer === dirname(file)))
        .map((table) => `${file} writes ${table}`),
    )
}

const sources = globSync('**/*.ts', { cwd: import.meta.dirname })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(import.meta.dirname, file), 'utf8') }))

test('each table is written by the folder that is declared for it', () => {
  assert.deepEqual(Object.keys(WRITERS).sort(), tables.map(([, name]) => name).sort())
  assert.deepEqual(violations(sources), [])
})

test('each declared writer writes its table', () => {
  const idle = Object.entries(WRITERS).flatMap(([table, writers]) =>
    writers
      .filter((writer) => {
        const own = sources.filter(({ file }) => file === writer || dirname(file) === writer)
        return !own.some(({ text }) => writtenTables(text).includes(table))
      })
      .map((writer) => `${writer} does not write ${table}`),
  )

  assert.deepEqual(idle, [])
})

test('a second writer is found, by the query builder and by SQL text', () => {
  const statements = [
    'await tx.insert(users).values(user)',
    'db\n    .update(users)\n    .set(patch)',
    'await tx.delete(users).where(one)',
    'sql`insert into users (id) values (1)`',
    `sql\`update \${users} u set name = null\``,
    `sql\`with gone as (delete from \${users} where id = 1) select 1\``,
  ]

  for (const text of statements) {
    assert.deepEqual(violations([{ file: 'recovery/routes.ts', text }]), ['recovery/routes.ts writes users'])
    assert.deepEqual(violations([{ file: 'resources/users/queries.ts', text }]), [])
  }
  assert.deepEqual(writtenTables('select 1 from users for update skip locked'), [])
})
