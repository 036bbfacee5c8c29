-- Distributes the audit log with Citus 13 (docs/scaling.md). The other tables stay on the coordinator.
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f ops/citus/level-1.sql
--
-- On the coordinator, in the database of the server, as a superuser, while the servers are stopped. The workers are added
-- before, with citus_set_coordinator_host and citus_add_node; without any, the coordinator stores the shards. Not
-- together with ops/partitions/audit.sql.

create extension if not exists citus;

begin;
set local lock_timeout = '10s';
set local statement_timeout = 0;

-- A unique index must contain the column by which a table is distributed. The verification of the log finds a place
-- that is used twice.
drop index audit_link_place;
create index audit_link_place on audit_links (block, position);

-- A page of the log reads from each shard: more shards than necessary make it slower. An entry and its link are on the
-- same node.
set local citus.shard_count = 8;
select create_distributed_table('audit', 'id');
select create_distributed_table('audit_links', 'entry_id', colocate_with => 'audit');
commit;
