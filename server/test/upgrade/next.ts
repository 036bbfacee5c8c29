/**
 * A next version for the test of upgrades: a column that each sign-in writes gets another name. A trigger
 * keeps both columns equal until the contract.
 */
import type { Changes } from '../support/versions.ts'

const TRIGGER = `create function users_signed_in_at() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then
    new.signed_in_at := coalesce(new.signed_in_at, new.last_login_at);
    new.last_login_at := new.signed_in_at;
  elsif new.last_login_at is distinct from old.last_login_at then
    new.signed_in_at := new.last_login_at;
  elsif new.signed_in_at is distinct from old.signed_in_at then
    new.last_login_at := new.signed_in_at;
  end if;
  return new;
end $$;`

const statements = (...each: string[]) => each.join('\n--> statement-breakpoint\n')

export const FILL = '0003_fill_signed_in'

export const NEXT: Changes = {
  version: '0.2.0',
  releases: { '0.1.0': 0 },
  migrations: {
    '0001_expand_signed_in': `-- Adds users.signed_in_at, which a trigger keeps equal to last_login_at.
${statements(
  'alter table users add column signed_in_at timestamptz;',
  TRIGGER,
  'create trigger users_signed_in_at before insert or update on users for each row execute function users_signed_in_at();',
)}`,
    '0002_expand_signed_in_index': `-- Adds an index of users.signed_in_at.
create index concurrently if not exists users_signed_in_at on users using brin (signed_in_at) with (pages_per_range = 2);`,
    [FILL]: `-- Sets users.signed_in_at of the users who have signed in before.
-- key: users.id
update users set signed_in_at = last_login_at
  where id between $1 and $2 and signed_in_at is distinct from last_login_at;`,
    '0004_contract_signed_in': `-- Removes users.last_login_at.
${statements(
  'drop trigger users_signed_in_at on users;',
  'drop function users_signed_in_at();',
  'alter table users drop column last_login_at;',
)}`,
  },
  sources: {
    // The first one of the file is that of the table `users`.
    'server/src/database/schema.ts': [
      [/lastLoginAt: time\(\)/, "lastLoginAt: timestamp('signed_in_at', { withTimezone: true })"],
      [/'users_signed_in'/, "'users_signed_in_at'"],
    ],
    'server/src/resources/users/filters.ts': [[/users\.last_login_at/, 'users.signed_in_at']],
    'server/src/resources/users/queries.ts': [[/users\.last_login_at/, 'users.signed_in_at']],
    'server/src/resources/sign-ins/queries.ts': [
      [/update users set last_login_at/, 'update users set signed_in_at'],
    ],
  },
}

/** A version whose only migration fails in its second statement. */
export const BROKEN: Changes = {
  version: '0.2.0',
  releases: { '0.1.0': 0 },
  migrations: {
    '0001_expand_broken': `-- Fails.
${statements('alter table users add column broken text;', 'create table users (id int);')}`,
  },
}
