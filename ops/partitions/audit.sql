-- Converts the audit log to one partition per month (docs/scaling.md). For PostgreSQL 15 or newer.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f ops/partitions/audit.sql
--
-- Run it as the role of the server, which owns the tables. The audit log is locked until the end, while its
-- entries are read twice: requests that write an entry are answered with 503. The server creates and drops the
-- partitions of later months.

begin;
set local lock_timeout = '10s';
set local statement_timeout = 0;
set local timezone = 'UTC';
-- As the cleanup (pg_try_advisory_xact_lock): it does not run until the end.
select pg_advisory_xact_lock(7236112);
lock table audit in access exclusive mode;

-- The existing table becomes the partition of all months up to the present one. Its rows are not copied.
alter table audit rename to audit_before;
do $$
declare
  name text;
begin
  for name in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'audit_before'::regclass
  loop
    execute format('alter index %I rename to %I', name, name || '_before');
  end loop;
end $$;
-- A primary key contains the column by which the table is partitioned.
alter table audit_before drop constraint audit_pkey_before;
alter table audit_before add primary key (id, time);

create table audit (like audit_before including defaults including constraints) partition by range (time);
alter table audit add primary key (id, time);
do $$
declare
  definition text;
begin
  for definition in select pg_get_indexdef(indexrelid) from pg_index
    where indrelid = 'audit_before'::regclass and not indisprimary
  loop
    execute regexp_replace(definition, '^(CREATE INDEX \S+)_before ON (\S+)_before ', '\1 ON \2 ');
  end loop;
end $$;

do $$
declare
  next timestamptz := date_trunc('month', now()) + interval '1 month';
begin
  execute format('alter table audit attach partition audit_before for values from (minvalue) to (%L)', next);
  execute format('create table %I partition of audit for values from (%L) to (%L)',
    'audit_' || to_char(next, 'YYYY_MM'), next, next + interval '1 month');
end $$;
-- An entry of a month without a partition is stored here: no entry is lost.
create table audit_default partition of audit default;
commit;

analyze audit;
