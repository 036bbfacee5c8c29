/**
 * The limits of attempts at the credentials of users: who has to wait, and clearing them. A limit of the
 * table has neither an address nor a network, but the user and the system that it counts for.
 */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { limits } from '../../database/schema.ts'
import { GUESSER, limitOfPassword, UNKNOWN_DEVICES } from './guard.ts'
import { nextOf, now } from './queries.ts'

export const CREDENTIALS = ['password', 'second_factor', 'code'] as const
export const SENDERS = ['all_networks', 'network', 'browser'] as const

type Kind = { credential: (typeof CREDENTIALS)[number]; from: (typeof SENDERS)[number] }

/** The kinds of limits by the beginning of the key. */
const KINDS: Record<string, Kind> = {
  account: { credential: 'password', from: 'all_networks' },
  guesser: { credential: 'password', from: 'network' },
  known: { credential: 'password', from: 'browser' },
  'second-factor': { credential: 'second_factor', from: 'all_networks' },
  'second-factor-guesser': { credential: 'second_factor', from: 'network' },
  'second-factor-known': { credential: 'second_factor', from: 'browser' },
  'mailed-code': { credential: 'code', from: 'all_networks' },
  'mailed-code-guesser': { credential: 'code', from: 'network' },
  'link-code': { credential: 'code', from: 'all_networks' },
  'link-code-guesser': { credential: 'code', from: 'network' },
}
const those = (condition: (kind: Kind) => boolean): SQL =>
  sql.raw(
    Object.entries(KINDS)
      .filter(([, kind]) => condition(kind))
      .map(([name]) => `'${name}'`)
      .join(),
  )

const kind = sql<string>`split_part(${limits.key}, ':', 1)`
const isSteady = sql`${kind} in (${those(({ from }) => from === 'all_networks')})`
const isGrowing = sql`${kind} in (${those(({ from }) => from !== 'all_networks')})`
/** When the next attempt is allowed, in ms since 1970. */
const next = sql<number>`case when ${isSteady} then ${nextOf(UNKNOWN_DEVICES)} else ${nextOf(GUESSER)} end`
/** The attempts that are not forgotten yet. */
const attempts = sql<number>`case when ${isSteady}
  then ceil((${limits.expire} - ${now}) / ${sql.raw(`${UNKNOWN_DEVICES.every}000.0`)})::int else ${limits.points} end`

/** `later`: the least time from now to `expire` while an attempt has to wait. An index finds these rows. */
const expiresAfter = (later: number) => sql`${limits.expire} > ${now} + ${sql.raw(`${later}000::bigint`)}`
const WAIT_MAX = GUESSER.waits.at(-1)!
const STEADY_SPAN = (UNKNOWN_DEVICES.burst - 1) * UNKNOWN_DEVICES.every
const isWaiting = sql`(${isGrowing} and ${expiresAfter(GUESSER.forgottenAfter - WAIT_MAX)}
  or ${isSteady} and ${expiresAfter(STEADY_SPAN)}) and ${next} > ${now}`

/** The password that is valid in the system of a limit: of the system, else the user's own. */
const password = (column: string) =>
  sql`(select w.${sql.raw(column)} from passwords w where w.user_id = ${limits.userId}
    and (w.system_id is null or w.system_id = ${limits.systemId}) order by w.system_id nulls last limit 1)`
/** A changed password has another key: what was counted for the former one has no effect. */
const isOfFormer = sql`${kind} in ('guesser', 'known') and ${password('created_at')} >
  to_timestamp((${limits.expire} - ${sql.raw(`${GUESSER.forgottenAfter}000`)}) / 1000.0)`

/**
 * What a system sees and clears: the attempts of one network or browser at its own sign-in. Those of all
 * networks protect what is valid elsewhere, or would show what the user has there.
 */
const ofSystem = (systemId: string | undefined): SQL | undefined =>
  systemId === undefined
    ? undefined
    : sql`${limits.systemId} = ${systemId} and ${isGrowing}
        and exists (select from system_users su where su.user_id = ${limits.userId} and su.system_id = ${systemId})`

/** `systemId`: of a system that asks; otherwise the platform. */
type Asked = { systemId: string | undefined; userId?: string | undefined }

const LISTED_MAX = 100

export type UserLimit = Awaited<ReturnType<typeof listUserLimits>>[number]

/** The limits that count for a user; without one, those of all users who have to wait, the longest first. */
export async function listUserLimits(db: Db, seal: Seal, { systemId, userId }: Asked) {
  const rows = await db
    .select({
      key: limits.key,
      kind,
      userId: sql<string>`${limits.userId}`,
      systemId: limits.systemId,
      email: sql<string>`u.email`,
      ownHash: sql<
        string | null
      >`(select w.hash from passwords w where w.user_id = u.id and w.system_id is null)`,
      attempts,
      until: sql<
        string | null
      >`case when ${next} > ${now} then to_json(to_timestamp((${next}) / 1000.0)) #>> '{}' end`,
    })
    .from(limits)
    .innerJoin(sql`users u`, sql`u.id = ${limits.userId}`)
    .where(
      and(
        userId === undefined ? isWaiting : eq(limits.userId, userId),
        sql`${limits.expire} > ${now} and ${limits.points} > 0 and (${isSteady} or ${isGrowing})`,
        sql`(${isOfFormer}) is not true`,
        ofSystem(systemId),
      ),
    )
    .orderBy(sql`${next} desc, ${limits.key}`)
    .limit(LISTED_MAX)
  return rows
    .filter(
      ({ kind, key, email, ownHash }) =>
        kind !== 'account' || key === limitOfPassword(seal, email, ownHash).key,
    )
    .map(({ kind, key, ownHash, until, ...limit }) => ({
      ...limit,
      ...KINDS[kind]!,
      until: until === null ? null : new Date(until).toISOString(),
    }))
}

/** Deletes the limits of a user. Rows are locked in the order of `guarded`, to prevent deadlocks. */
export async function clearUserLimits(tx: Db, { systemId, userId }: Required<Asked>): Promise<void> {
  const found = await tx
    .select({ key: limits.key })
    .from(limits)
    .where(and(eq(limits.userId, userId!), sql`(${isSteady} or ${isGrowing})`, ofSystem(systemId)))
    .orderBy(limits.key)
    .for('update')
  if (found.length > 0)
    await tx.delete(limits).where(
      inArray(
        limits.key,
        found.map(({ key }) => key),
      ),
    )
}
