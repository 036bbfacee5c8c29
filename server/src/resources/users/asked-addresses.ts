/**
 * How many addresses that are not of its users a system may ask about: whether one has a user is what a
 * search by address, a creation, an import and its dry run tell. There is one budget for all of them, and an
 * audit entry for each hour.
 */
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/drizzle.ts'
import { askedAddresses, systemUsers } from '../../database/schema.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { type Caller, SERVER, scopeOf } from '../../http/authority.ts'
import { record } from '../../journal/audit/record.ts'
import { namesUsers } from './stated-addresses.ts'

/** The limit of a system in 24 hours. */
export const ADDRESSES_OF_DAY = 100_000

const rowsOf = <Row>(result: unknown) => (result as { rows: Row[] }).rows

/**
 * Counts those of these addresses that are not of users of the caller's system. Throws `too_many_requests` if
 * they are more than the system may ask about today. Call it before the answer, outside of a transaction: a
 * refused creation tells whether there is one, too.
 */
export async function demandAnswers(db: Db, caller: Caller, addresses: readonly string[]): Promise<void> {
  const systemId = scopeOf(caller)
  if (systemId === null || addresses.length === 0) return
  const ofDay = sql`system_id = ${systemId} and hour > now() - interval '24 hours'`
  const counted = await db.execute(sql`
    with given as (
      select email from unnest(${sql.param([...new Set(addresses)])}::text[]) as each(email)
    ), asked as (
      select count(*)::int as number from given
      where not exists (select from ${systemUsers} where system_id = ${systemId} and email = given.email)
    ), before as (
      select coalesce(sum(asked), 0)::int as number, min(hour) as since from ${askedAddresses} where ${ofDay}
    ), counted as (
      insert into ${askedAddresses} (system_id, hour, asked)
      select ${systemId}::uuid, date_trunc('hour', now()), asked.number from asked, before
      where asked.number > 0 and asked.number + before.number <= ${ADDRESSES_OF_DAY}
      on conflict (system_id, hour) do update set asked = ${askedAddresses.asked} + excluded.asked
      returning 1
    ), named as (${namesUsers(systemId, sql`given, counted`)}
    )
    select asked.number = 0 or exists (select from counted) as accepted,
      ceil(extract(epoch from coalesce(before.since, now()) + interval '24 hours' - now()))::int as seconds
    from asked, before`)
  const [answer] = rowsOf<{ accepted: boolean; seconds: number }>(counted)
  if (answer?.accepted) return
  throw new Failure('too_many_requests', {
    detail: `The system has asked about ${ADDRESSES_OF_DAY} addresses of others in 24 hours.`,
    retryAfter: Math.max(1, answer?.seconds ?? 1),
  })
}

/** Records the hours that are over in the audit log, one entry for each system, and deletes old ones. */
export const recordAskedAddresses = (db: Db): Promise<void> =>
  inTransaction(db, async (tx) => {
    const ended = await tx.execute(sql`
      update ${askedAddresses} set is_recorded = true
      where not is_recorded and hour < date_trunc('hour', now())
      returning system_id as "systemId", hour, asked`)
    const hours = rowsOf<{ systemId: string; hour: Date | string; asked: number }>(ended)
    if (hours.length > 0)
      await record(
        tx,
        SERVER,
        ...hours.map(({ systemId, hour, asked }) => ({
          action: 'system.addresses_asked',
          target: { type: 'system', id: systemId },
          systemId,
          changes: {
            hour: [null, new Date(hour).toISOString()] as [unknown, unknown],
            addresses: [null, asked] as [unknown, unknown],
          },
        })),
      )
    await tx.execute(
      sql`delete from ${askedAddresses} where is_recorded and hour < now() - interval '25 hours'`,
    )
  })
