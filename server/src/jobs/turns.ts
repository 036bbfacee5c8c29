/**
 * The next rows of a queue whose tenants take turns: the one of which the fewest rows are leased is first, so
 * that a tenant with many rows delays the first row of another by the time of one. The table has the columns
 * `id`, `next_attempt_at` and `leased_until`.
 */
import { type SQL, sql } from '../database/drizzle.ts'

type Queue = {
  table: SQL
  /** A column without nulls. */
  tenant: SQL
  /** The condition of rows that wait, as in the index on the tenant and `next_attempt_at`. */
  open: SQL
  /** Rows of one tenant that are leased at the same time, by all processes. Default: any number. */
  most?: number
  /**
   * A part of a tenant, such as an account, and its rows that are leased at the same time. The parts take
   * turns too, those among the first `PART_ROWS` rows of the tenant.
   */
  part?: { column: SQL; most: number }
}

const PART_ROWS = 200

/**
 * Selects and locks up to `limit` rows. The tenants are found one after the other in the index: a tenant with
 * 100,000 rows costs what one with a single row does.
 */
export function nextInTurn({ table, tenant, open, most, part }: Queue, limit: number): SQL {
  const isFree = sql`next_attempt_at <= now() and coalesce(leased_until <= now(), true)`
  const oldest = (columns: SQL, rows: number) => sql`
          select ${columns} from ${table} where ${open} and ${isFree} and ${tenant} = tenants.tenant
          order by next_attempt_at limit ${rows}`
  const due = part
    ? sql`
          select id, next_attempt_at, of_part from (
            select id, next_attempt_at, row_number() over (partition by part order by next_attempt_at)
              + (select count(*) from ${table} where ${part.column} = first.part and leased_until > now()) as of_part
            from (${oldest(sql`id, next_attempt_at, ${part.column} as part`, PART_ROWS)}) first) parts
          where of_part <= ${part.most} order by of_part, next_attempt_at limit ${limit}`
    : oldest(sql`id, next_attempt_at, 0 as of_part`, limit)
  return sql`
    with recursive tenants(tenant) as (
      (select ${tenant} from ${table} where ${open} order by 1 limit 1)
      union all
      select (select ${tenant} from ${table} where ${open} and ${tenant} > tenants.tenant order by 1 limit 1)
      from tenants where tenants.tenant is not null
    ), leased as (
      select ${tenant} as tenant, count(*) as rows from ${table}
      where ${open} and leased_until > now() group by 1
    ), waiting as (
      select first.id as waiting_id, coalesce(leased.rows, 0) + first.turn as turn
      from tenants left join leased using (tenant) cross join lateral (
        select id, row_number() over (order by of_part, next_attempt_at) as turn from (${due}) due
      ) first
      where tenants.tenant is not null
    )
    select id from ${table} join waiting on waiting_id = id
    where ${open} and ${isFree} and ${most === undefined ? sql`true` : sql`turn <= ${most}`}
    order by turn, next_attempt_at limit ${limit} for update of ${table} skip locked`
}
