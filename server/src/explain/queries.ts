/** The SQL statements of an explanation: for the user, for their memberships, and for the last attempts. */
import type { Db } from '../database/database.ts'
import { and, desc, eq, inArray, type SQL, sql } from '../database/drizzle.ts'
import { preparedRead } from '../database/prepared.ts'
import {
  accounts,
  audit,
  blocks,
  memberships,
  passwords,
  registrations,
  systemUsers,
  users,
} from '../database/schema.ts'
import { type Reach, within } from '../http/authority.ts'
import { UNKNOWN_DEVICES } from '../http/limits/guard.ts'
import { standingOf } from '../resources/memberships/standing.ts'
import { endOf } from '../resources/sessions/living.ts'
import { rights } from '../resources/sessions/queries.ts'
import { accessColumns } from '../resources/sign-ins/access.ts'
import { inSystem, system, userColumns } from '../resources/sign-ins/queries.ts'
import { isFactorValidIn, isValidIn, validPassword } from '../resources/users/sign-in-methods.ts'

const numberOf = (rows: SQL) => sql<number>`(select count(*)::int from ${rows})`
const passkeysThat = (condition: SQL) => numberOf(sql`passkeys p where p.user_id = users.id and ${condition}`)
const identitiesThat = (condition: SQL) =>
  numberOf(sql`identities i where i.user_id = users.id and ${condition}`)

const columns = {
  user: userColumns(system),
  access: accessColumns(system, sql`${sql.placeholder('accountId')}::uuid`),
  facts: {
    createdAt: users.createdAt,
    addedAt: systemUsers.createdAt,
    disabled: users.disabled,
    disabledHere: sql<boolean>`coalesce(${systemUsers.disabled}, false)`,
    verifiedHere: sql<boolean>`coalesce(${systemUsers.emailVerified}, false)`,
    hasEntered: sql<boolean>`${systemUsers.enteredAt} is not null`,
    hasFactorHere: sql<boolean>`(exists (select from totp_factors f where f.user_id = users.id
        and f.confirmed_at is not null and f.system_id = ${system} and ${isFactorValidIn('f', system)})
      or exists (select from passkeys p where p.user_id = users.id
        and p.system_id = ${system} and ${isFactorValidIn('p', system)}))`,
    passkeys: passkeysThat(isValidIn('p', system)),
    passkeysHere: passkeysThat(sql`p.system_id = ${system}`),
    identities: identitiesThat(isValidIn('i', system)),
    identitiesHere: identitiesThat(sql`i.system_id = ${system}`),
    /** The hash of the password that is valid everywhere: the guesses of all are counted for it. */
    ownHash: sql<
      string | null
    >`(select w.hash from passwords w where w.user_id = ${users.id} and w.system_id is null)`,
  },
  password: {
    id: passwords.id,
    scope: passwords.systemId,
    createdAt: passwords.createdAt,
    expiresAt: passwords.expiresAt,
    isExpired: sql<boolean>`(${passwords.expiresAt} is not null and ${passwords.expiresAt} <= now())`,
  },
}

const explained = preparedRead((db) =>
  db
    .select(columns)
    .from(users)
    .leftJoin(systemUsers, inSystem(system))
    .leftJoin(passwords, eq(passwords.id, validPassword(system)))
    .where(eq(users.id, sql`${sql.placeholder('userId')}::uuid`))
    .prepare('find_explained'),
)

/** A user, enabled or not, with everything that decides a sign-in of theirs to a system. */
export type Explained = NonNullable<Awaited<ReturnType<typeof findExplained>>>

/** `accountId`: of the account that the sign-in is for, if it is named. */
export async function findExplained(
  db: Db,
  userId: string,
  { systemId, accountId = null }: { systemId: string; accountId?: string | null | undefined },
) {
  const [row] = await explained(db).execute({ userId, systemId, accountId })
  return row
}

/** An unconfirmed registration of an address in a system: there is no user yet. */
export async function findWaiting(db: Db, email: string, systemId: string) {
  const [row] = await db
    .select({ registeredAt: registrations.createdAt, expiresAt: registrations.expiresAt })
    .from(registrations)
    .where(
      and(
        eq(registrations.systemId, systemId),
        eq(registrations.email, email),
        sql`${registrations.expiresAt} > now()`,
      ),
    )
    .orderBy(desc(registrations.createdAt))
    .limit(1)
  return row
}

const details = preparedRead((db) =>
  db
    .select({
      membershipId: memberships.id,
      accountId: memberships.accountId,
      accountName: accounts.name,
      status: standingOf(memberships.status, memberships.accountId),
      suspendedBy: accounts.suspendedBy,
      blockedBy: memberships.blockedBy,
      blockedAt: blocks.createdAt,
      createdAt: memberships.createdAt,
      activatedAt: memberships.activatedAt,
      ...rights,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .leftJoin(blocks, and(eq(blocks.accountId, memberships.accountId), eq(blocks.userId, memberships.userId)))
    .where(sql`${memberships.id} = any(${sql.placeholder('ids')}::uuid[])`)
    .prepare('find_explained_memberships'),
)

/** A membership of the user in the system, with what its tokens contain. */
export type Detail = Awaited<ReturnType<typeof listDetails>>[number]

export const listDetails = (db: Db, { access }: Explained) =>
  details(db).execute({ ids: access.memberships.map(({ membershipId }) => membershipId) })

/** The actions that say how sign-ins went. */
const ATTEMPTS = [
  'user.login',
  'login.throttled',
  'user.second_factor',
  'user.mailed_code',
  'sign_in.refused',
  'session.opened',
]
const ATTEMPTS_MAX = sql.raw('10')
/** In ms: `expire` of the limit of all guessers is so long after the next attempt that it allows. */
const BURST_MS = sql.raw(String((UNKNOWN_DEVICES.burst - 1) * UNKNOWN_DEVICES.every * 1_000))

export type AttemptEntry = {
  time: string
  action: string
  outcome: string
  reason: string | null
  ip: string | null
  requestId: string | null
}

type LastSession = { openedAt: string; endedAt: string | null; endReason: string | null }

const value = (name: string, type: string) => sql`${sql.placeholder(name)}::${sql.raw(type)}`
const isOfAccount = (row: string) =>
  sql`(${value('accountId', 'uuid')} is null or ${sql.raw(row)}.account_id = ${value('accountId', 'uuid')})`
const newest = (column: string) =>
  sql`(select * from audit e where e.${sql.raw(column)} = ${value('userId', 'text')} and e.system_id = ${system}
    and e.action = any(${value('actions', 'text[]')}) and ${isOfAccount('e')} order by e.time desc limit ${ATTEMPTS_MAX})`

const rawSession = {
  systemId: sql`s.system_id`,
  accountId: sql`s.account_id`,
  membershipId: sql`s.membership_id`,
  userId: sql`s.user_id`,
  connectionId: sql`s.connection_id`,
  createdAt: sql`s.created_at`,
  endedAt: sql`s.ended_at`,
}

const history = preparedRead((db) =>
  db
    .select({
      now: sql<string>`to_json(now()) #>> '{}'`,
      attempts: sql<
        AttemptEntry[]
      >`(select coalesce(json_agg(json_build_object('time', a.time, 'action', a.action,
          'outcome', a.outcome, 'reason', a.changes #>> '{reason,1}', 'ip', a.actor_ip, 'requestId', a.request_id)
          order by a.time desc), '[]')
        from (select * from (${newest('target_id')} union ${newest('actor_id')}) entry
          order by time desc limit ${ATTEMPTS_MAX}) a)`,
      session: sql<LastSession | null>`(select json_build_object('openedAt', s.created_at, 'endReason', s.end_reason,
          'endedAt', coalesce(${endOf(rawSession)}, case when s.expires_at <= now() then s.expires_at end))
        from sessions s where s.user_id = ${value('userId', 'uuid')} and s.system_id = ${system}
          and ${isOfAccount('s')} order by s.created_at desc limit 1)`,
      throttledUntil: sql<
        string | null
      >`(select to_json(to_timestamp((l.expire - ${BURST_MS}) / 1000.0)) #>> '{}' from limits l
        where l.key = ${value('throttle', 'text')} and l.expire - ${BURST_MS} > extract(epoch from now()) * 1000)`,
    })
    .from(sql`(select) one`)
    .prepare('find_sign_in_history'),
)

type About = { userId: string; systemId: string; accountId: string | null; throttle: string | null }

/**
 * The last attempts of a user to sign in to a system, newest first; the last session; how long guesses are
 * refused; and the time. `accountId`: only what concerns this account.
 */
export async function readHistory(db: Db, about: About) {
  const [row] = await history(db).execute({ ...about, actions: ATTEMPTS })
  return row!
}

/** The entries of a request that say who signed in where, newest first. */
export async function findRequestEntry(db: Db, reach: Reach, requestId: string) {
  const [entry] = await db
    .select({
      time: audit.time,
      action: audit.action,
      outcome: audit.outcome,
      reason: sql<string | null>`${audit.changes} #>> '{reason,1}'`,
      userId: sql<
        string | null
      >`case when ${audit.targetType} = 'user' then ${audit.targetId} when ${audit.actorType} = 'user' then ${audit.actorId} end`,
      systemId: audit.systemId,
      accountId: audit.accountId,
      changes: audit.changes,
    })
    .from(audit)
    .where(
      and(
        eq(audit.requestId, requestId),
        within(reach, { system: audit.systemId, account: audit.accountId }),
        inArray(audit.action, ATTEMPTS),
        // Only an unknown client has no system.
        sql`(${audit.systemId} is not null or ${audit.action} = 'sign_in.refused')`,
      ),
    )
    .orderBy(sql`${audit.action} = 'sign_in.refused' desc`, desc(audit.time))
    .limit(1)
  return entry
}

export type RequestEntry = NonNullable<Awaited<ReturnType<typeof findRequestEntry>>>
