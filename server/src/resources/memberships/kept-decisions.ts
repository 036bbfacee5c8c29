/** SQL of the decisions that outlive the user of an address (lifecycle/keep-decisions.ts). */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { blocks, keptDecisions } from '../../database/schema.ts'

/** `accountId`: null for the personal account, and for `disabled`. */
export type Decision = Pick<typeof keptDecisions.$inferSelect, 'systemId' | 'accountId' | 'kind' | 'setBy'>
/** `addressHash`: in hexadecimal. `userId`: of the user who had the address, if that user exists. */
export type KeptDecision = Decision & { addressHash: string; userId: string | null }

/** What the platform and systems have decided against a user. */
const decided = (userId: SQL) => sql`
  select b.system_id, case when a.personal_of = b.user_id then null else b.account_id end as account_id,
    'blocked' as kind, b.set_by
    from ${blocks} b join accounts a on a.id = b.account_id
    where b.user_id = ${userId} and b.set_by in ('platform', 'system')
  union all
  select r.system_id, null, 'disabled', 'system' from system_users r where r.user_id = ${userId} and r.disabled`

/** Who upholds a decision `k` that was kept for a user who exists; null if it does not stand any more. */
const upheldBy = sql`(select d.set_by from (${decided(sql`k.user_id`)}) d
  where d.system_id = k.system_id and d.kind = k.kind and d.account_id is not distinct from k.account_id)`
const stands = sql`(k.user_id is null or ${upheldBy} is not null)`

const COLUMNS = sql`k.system_id as "systemId", k.account_id as "accountId", k.kind`

async function rowsOf<Row>(tx: Db, statement: SQL): Promise<Row[]> {
  return ((await tx.execute(statement)) as { rows: unknown[] }).rows as Row[]
}

/** What stands against a user now. */
export const listDecisions = (tx: Db, userId: string): Promise<Decision[]> =>
  rowsOf(tx, sql`select ${COLUMNS}, k.set_by as "setBy" from (${decided(sql`${userId}::uuid`)}) k`)

/**
 * Keeps what was decided against a row-locked user, except by the system that deletes it. `isMoving`: the
 * user remains, and only the address is left.
 */
export async function keepDecisions(
  tx: Db,
  given: { userId: string; addressHash: Buffer; isMoving: boolean; except: string | null },
): Promise<void> {
  const { userId, addressHash, isMoving, except } = given
  await tx.execute(sql`
    insert into ${keptDecisions} (address_hash, user_id, system_id, account_id, kind, set_by)
    select ${addressHash}::bytea, ${isMoving ? userId : null}::uuid, d.system_id, d.account_id, d.kind, d.set_by
      from (${decided(sql`${userId}::uuid`)}) d where d.system_id is distinct from ${except}::uuid
    on conflict on constraint kept_decisions_once do update set user_id = excluded.user_id, set_by = excluded.set_by`)
}

/** Keeps what stands for the former addresses of a row-locked user who is about to be deleted. */
export async function outliveUser(
  tx: Db,
  { userId, except }: { userId: string; except: string | null },
): Promise<void> {
  await tx.execute(sql`
    update ${keptDecisions} k set user_id = null, set_by = ${upheldBy}
    where k.user_id = ${userId} and k.system_id is distinct from ${except}::uuid and ${upheldBy} is not null`)
}

/** The former addresses of a user become those of another one. */
export async function moveKept(tx: Db, { from, into }: { from: string; into: string }): Promise<void> {
  await tx.execute(sql`update ${keptDecisions} set user_id = ${into} where user_id = ${from}`)
}

/** The decisions that wait for the users of these addresses. Deletes them: the caller applies them. */
export async function takeDecisions(tx: Db, addressHashes: string[]): Promise<KeptDecision[]> {
  const taken = await rowsOf<Omit<KeptDecision, 'setBy'> & { setBy: Decision['setBy'] | null }>(
    tx,
    sql`delete from ${keptDecisions} k where k.address_hash = any(array(
        select decode(hash, 'hex') from unnest(${sql.param(addressHashes)}::text[]) hash))
      returning encode(k.address_hash, 'hex') as "addressHash", k.user_id as "userId", ${COLUMNS},
        case when k.user_id is null then k.set_by else ${upheldBy} end as "setBy"`,
  )
  return taken.flatMap((each) => (each.setBy === null ? [] : [{ ...each, setBy: each.setBy }]))
}

/** The decisions that stand for the next user of an address. */
export const findKept = (tx: Db, addressHash: Buffer): Promise<Decision[]> =>
  rowsOf(
    tx,
    sql`select ${COLUMNS}, k.set_by as "setBy" from ${keptDecisions} k
      where k.address_hash = ${addressHash}::bytea and ${stands}`,
  )
