/** The kind of a migration, in its name, is checked against its statements. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { kindFaults } from '../../../test/support/migration-kinds.ts'
import { VERSION } from '../../config/config.ts'
import { readMigration, readProgram } from './program.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')

/** The faults of migrations that are given by their kind and their statements. */
const faultsOf = (...given: [string, string][]) =>
  kindFaults(
    given.map(([kind, text], at) =>
      readMigration(`000${at + 1}_${kind}_test`, `-- Says what it does.\n${text}`),
    ),
  )

test('each migration has only statements of its kind, a comment, and the next number', () => {
  const { migrations, releases } = readProgram()

  assert.deepEqual(kindFaults(migrations, releases), [])
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, at) => at),
  )
  assert.deepEqual(
    migrations.map(({ name }) => `${name}.sql`),
    globSync('*.sql', { cwd: FOLDER }).sort(),
  )
})

test('a released migration is the newest one of its release until the version changes', () => {
  const { migrations, releases } = readProgram(FOLDER, 'none')
  const newest = migrations.at(-1)!.number
  const released = readProgram(FOLDER, VERSION).releases.length < releases.length

  assert.ok(releases.every((number, at) => number <= newest && number >= (releases[at - 1] ?? 0)))
  if (released) assert.equal(releases.at(-1), newest)
})

const ALLOWED: [string, string][] = [
  ['expand', 'create table news (id uuid primary key, text text not null)'],
  ['expand', 'create table news (id int); --> statement-breakpoint\ncreate unique index n on news (id)'],
  ['expand', 'alter table users add column nick text, add column rank int not null default 0'],
  ['expand', "alter table users add column tags text[] not null default '{}'::text[]"],
  ['expand', 'create index concurrently if not exists users_nick on users (nick)'],
  ['expand', 'alter table users add constraint c check (nick is not null) not valid'],
  ['expand', 'alter table a add constraint f foreign key (b) references b (id) not valid'],
  ['expand', 'alter table a drop constraint kind, add constraint kind check (kind in (1, 2)) not valid'],
  ['expand', 'create trigger t before insert on users execute function f()'],
  ['expand', 'alter table users alter column nick drop not null'],
  ['fill', '-- key: users.id\nupdate users set nick = name where id between $1 and $2 and nick is null'],
  ['fill', '-- key: users.id\ninsert into news select id from users where id between $1 and $2'],
  ['fill', '-- key: users.id\ndelete from users where id between $1 and $2 and nick is null'],
  ['contract', 'alter table users drop column nick'],
  ['contract', 'drop table news'],
  ['contract', 'drop trigger t on users; --> statement-breakpoint\ndrop function f()'],
  ['contract', 'drop index concurrently if exists users_nick'],
  ['contract', 'alter table users validate constraint c'],
  ['contract', 'create unique index concurrently if not exists u on users (name)'],
]

test('statements that the version before tolerates are an expand, those that it does not are a contract', () => {
  for (const given of ALLOWED) assert.deepEqual(faultsOf(given), [], given.join(': '))
})

const REFUSED: [string, string, RegExp][] = [
  ['expand', 'alter table users drop column name', /AT_DropColumn is not allowed/],
  ['expand', 'alter table users rename column name to nick', /RenameStmt is not allowed/],
  ['expand', 'alter table users alter column name type varchar(9)', /AT_AlterColumnType is not allowed/],
  ['expand', 'alter table users alter column name set not null', /AT_SetNotNull is not allowed/],
  ['expand', 'alter table users add column rank int not null', /NOT NULL without a default/],
  ['expand', 'alter table users add column token uuid default gen_random_uuid()', /not a constant/],
  ['expand', 'alter table users add column nick text unique', /constraint of its own/],
  ['expand', 'alter table users add column rank int check (rank > 0)', /constraint of its own/],
  ['expand', 'alter table users add constraint c check (name > 1)', /not NOT VALID/],
  ['expand', 'alter table users add constraint u unique (name)', /created concurrently/],
  ['expand', 'alter table users drop constraint kind', /dropped and not added again/],
  ['expand', 'create index users_name on users (name)', /CONCURRENTLY IF NOT EXISTS/],
  ['expand', 'create index concurrently users_name on users (name)', /CONCURRENTLY IF NOT EXISTS/],
  ['expand', 'create unique index concurrently if not exists u on users (name)', /refuses rows/],
  ['expand', 'drop table users', /DropStmt is not allowed/],
  ['expand', 'update users set name = 1', /UpdateStmt is not allowed/],
  ['expand', 'truncate users', /TruncateStmt is not allowed/],
  ['expand', 'lock table users', /LockStmt is not allowed/],
  ['expand', 'vacuum full users', /VacuumStmt is not allowed/],
  ['expand', 'alter table a add b int; --> statement-breakpoint\nalter table c add d int', /several tables/],
  ['expand', 'select 1; select 2', /not one statement/],
  [
    'expand',
    'alter table a add b int; --> statement-breakpoint\ncreate index concurrently if not exists i on a (b)',
    /migration of their own/,
  ],
  ['expand', "alter table users add column nick text default 'concurrently'", /outside a transaction/],
  ['fill', 'update users set name = 1 where id between $1 and $2', /no line "-- key/],
  ['fill', '-- key: users.id\nupdate users set name = 1', /BETWEEN \$1 AND \$2/],
  ['fill', '-- key: users.id\nupdate users set name = 1 where id between $1 and $2 or true', /BETWEEN/],
  ['fill', '-- key: users.id\nupdate users set name = 1 where id between $2 and $1', /BETWEEN/],
  [
    'fill',
    '-- key: users.id\nupdate roles set name = 1 where id between $1 and $2',
    /follow the table users/,
  ],
  ['fill', '-- key: users.id\nalter table users add nick text', /AlterTableStmt is not allowed/],
  ['contract', 'drop index users_name', /CONCURRENTLY IF EXISTS/],
  ['contract', 'alter table users alter column nick set not null', /no validated CHECK/],
  ['contract', 'alter table users add column nick text', /AT_AddColumn is not allowed/],
  ['contract', 'delete from users', /DeleteStmt is not allowed/],
  ['init', 'create table again (id int)', /only the first/],
]

test('a statement that blocks or breaks the version before is refused, with the reason', () => {
  for (const [kind, text, reason] of REFUSED) assert.match(faultsOf([kind, text]).join(), reason, text)
})

test('SET NOT NULL needs a validated constraint, a unique index of an expand needs a new column', () => {
  const check = 'alter table users add constraint c check (nick is not null) not valid'
  const notNull: [string, string] = ['contract', 'alter table users alter column nick set not null']

  const valid = faultsOf(['expand', check], ['contract', 'alter table users validate constraint c'], notNull)
  assert.deepEqual(valid, [])
  assert.match(faultsOf(['expand', check], notNull).join(), /0002_contract_test: no validated CHECK/)
  assert.deepEqual(
    faultsOf(
      ['expand', 'alter table users add column nick text'],
      ['expand', 'create unique index concurrently if not exists u on users (nick)'],
    ),
    [],
  )
})

test('a migration without a comment is refused', () => {
  const bare = readMigration('0001_expand_test', 'create table news (id int)')

  assert.match(kindFaults([bare]).join(), /begins without a comment/)
})
