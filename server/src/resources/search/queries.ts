/** SQL statements that find resources of any type by id. */
import type { Db } from '../../database/database.ts'
import { and, type SQL, sql } from '../../database/drizzle.ts'
import {
  accounts,
  audit,
  connections,
  domains,
  invitations,
  memberships,
  profiles,
  roles,
  serviceAccounts,
  sessions,
  systems,
  systemUsers,
  users,
  webhooks,
} from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'
import { isUuid } from '../../http/uuid.ts'
import { nameReadIn, statedName } from '../users/profile.ts'

export const SEARCHED = ['user', 'system', 'account', 'role', 'profile', 'membership', 'webhook'] as const
/**
 * Service accounts, connections, domains and invitations have no page of their own, and are found by the list
 * of their account. A session has the name of its user.
 */
export const NAMED = [
  ...SEARCHED,
  'service_account',
  'connection',
  'domain',
  'invitation',
  'session',
] as const

/** `key` is the id that was given. */
export type Named = {
  key: string
  type: (typeof NAMED)[number]
  id: string
  name: string
  /** What distinguishes resources of one name: the email address of a user, a client id. */
  detail: string | null
  systemId: string | null
}

const where = (...conditions: (SQL | undefined)[]) => sql`where ${and(...conditions)}`

/** The users in reach, by the name that the caller reads. */
function usersIn({ systemId, accountId }: Reach, given: SQL): SQL {
  const ofMember = nameReadIn(memberships.systemId, memberships.userId)
  if (accountId !== undefined)
    return sql`select ${memberships.userId}::text, 'user', ${memberships.userId},
      coalesce(${ofMember}, ${memberships.email}), ${memberships.email}, null::uuid
      from ${memberships} ${where(sql`${memberships.userId} = ${given}`, sql`${memberships.accountId} = ${accountId}`)}`
  if (systemId === undefined)
    return sql`select ${users.id}::text, 'user', ${users.id}, coalesce(${users.name}, ${users.email}), ${users.email}, null::uuid
      from ${users} where ${users.id} = ${given}`
  const name = statedName(sql`${systemUsers}`, sql`${users}`)
  return sql`select ${users.id}::text, 'user', ${users.id}, coalesce(${name}, ${systemUsers.email}), ${systemUsers.email}, null::uuid
    from ${users} join ${systemUsers} on ${systemUsers.userId} = ${users.id} and ${systemUsers.systemId} = ${systemId}
    where ${users.id} = ${given}`
}

/** The resources in reach with one of these ids; of systems also with one of these client ids. */
export async function findNamed(db: Db, reach: Reach, given: string[]): Promise<Named[]> {
  const ids = sql`any(${sql.param(given.filter(isUuid))}::uuid[])`
  const texts = sql`any(${sql.param(given.filter((each) => !isUuid(each)))}::text[])`
  const system = within(reach, { system: systems.id, account: 'any' })
  const oneSystem = (key: SQL, found: SQL) =>
    sql`select ${key}, 'system', ${systems.id}, ${systems.name}, ${systems.clientId}, ${systems.id}
      from ${systems} ${where(found, system)}`
  const parts = [
    usersIn(reach, ids),
    oneSystem(sql`${systems.id}::text`, sql`${systems.id} = ${ids}`),
    oneSystem(sql`${systems.clientId}`, sql`${systems.clientId} = ${texts}`),
    sql`select ${accounts.id}::text, 'account', ${accounts.id}, ${accounts.name}, null, ${accounts.systemId}
      from ${accounts} ${where(
        sql`${accounts.id} = ${ids}`,
        within(reach, { system: accounts.systemId, account: accounts.id }),
      )}`,
    ...[roles, profiles].map(
      (
        table,
      ) => sql`select ${table.id}::text, ${sql.raw(table === roles ? "'role'" : "'profile'")}, ${table.id},
          ${table.name}, null, ${table.systemId}
        from ${table} ${where(sql`${table.id} = ${ids}`, within(reach, { system: table.systemId, account: 'any' }))}`,
    ),
    sql`select ${memberships.id}::text, 'membership', ${memberships.id}, ${memberships.email}, ${accounts.name}, ${memberships.systemId}
      from ${memberships} join ${accounts} on ${accounts.id} = ${memberships.accountId} ${where(
        sql`${memberships.id} = ${ids}`,
        within(reach, { system: memberships.systemId, account: memberships.accountId }),
      )}`,
    sql`select ${serviceAccounts.id}::text, 'service_account', ${serviceAccounts.id}, ${serviceAccounts.name},
        ${serviceAccounts.clientId}, ${serviceAccounts.systemId}
      from ${serviceAccounts} ${where(
        sql`${serviceAccounts.id} = ${ids}`,
        within(reach, { system: serviceAccounts.systemId, account: serviceAccounts.accountId }),
      )}`,
    sql`select ${connections.id}::text, 'connection', ${connections.id}, ${connections.name}, null, ${connections.systemId}
      from ${connections} ${where(
        sql`${connections.id} = ${ids}`,
        within(reach, { system: connections.systemId, account: connections.accountId }),
      )}`,
    sql`select ${domains.id}::text, 'domain', ${domains.id}, ${domains.name}, null, ${domains.systemId}
      from ${domains} ${where(
        sql`${domains.id} = ${ids}`,
        within(reach, { system: domains.systemId, account: domains.accountId }),
      )}`,
    sql`select ${invitations.id}::text, 'invitation', ${invitations.id}, ${invitations.email}, null, ${invitations.systemId}
      from ${invitations} ${where(
        sql`${invitations.id} = ${ids}`,
        within(reach, { system: invitations.systemId, account: invitations.accountId }),
      )}`,
    sql`select ${sessions.sid}, 'session', null::uuid, ${memberships.email}, null, ${sessions.systemId}
      from ${sessions} join ${memberships} on ${memberships.id} = ${sessions.membershipId} ${where(
        sql`${sessions.sid} = ${texts}`,
        within(reach, { system: sessions.systemId, account: sessions.accountId }),
      )}`,
    sql`select ${webhooks.id}::text, 'webhook', ${webhooks.id}, ${webhooks.url}, null, ${webhooks.systemId}
      from ${webhooks} ${where(
        sql`${webhooks.id} = ${ids}`,
        within(reach, { system: webhooks.systemId, account: 'none' }),
      )}`,
  ]
  const found = await db.execute(sql`select key, type, id, name, detail, system_id as "systemId"
    from (${sql.join(parts, sql` union all `)}) as named (key, type, id, name, detail, system_id)`)
  return (found as unknown as { rows: Named[] }).rows
}

type FoundSession = { sid: string; email: string; userId: string; systemId: string }

/** The session in reach with this id, ended or not. */
export async function findSession(db: Db, reach: Reach, sid: string): Promise<FoundSession | undefined> {
  const found =
    await db.execute(sql`select ${sessions.sid}, ${memberships.email}, ${sessions.userId} as "userId",
      ${sessions.systemId} as "systemId"
    from ${sessions} join ${memberships} on ${memberships.id} = ${sessions.membershipId} ${where(
      sql`${sessions.sid} = ${sid}`,
      within(reach, { system: sessions.systemId, account: sessions.accountId }),
    )}`)
  return (found as unknown as { rows: FoundSession[] }).rows[0]
}

/** The first action of a request that has audit entries in reach. */
export async function findRequest(db: Db, reach: Reach, id: string): Promise<string | undefined> {
  const [entry] = await db
    .select({ action: audit.action })
    .from(audit)
    .where(
      and(
        sql`${audit.requestId} = ${id}`,
        within(reach, { system: audit.systemId, account: audit.accountId }),
      ),
    )
    .orderBy(audit.time)
    .limit(1)
  return entry?.action
}

type FoundSystem = { id: string; name: string; clientId: string }

/** The newest systems in reach whose name contains a text, or whose client id starts with it. */
export function findSystems(db: Db, reach: Reach, text: string, limit: number): Promise<FoundSystem[]> {
  return db
    .select({ id: systems.id, name: systems.name, clientId: systems.clientId })
    .from(systems)
    .where(
      and(
        within(reach, { system: systems.id, account: 'none' }),
        sql`(strpos(lower(${systems.name}), lower(${text})) > 0 or starts_with(${systems.clientId}, ${text}))`,
      ),
    )
    .orderBy(sql`${systems.createdAt} desc`, sql`${systems.id} desc`)
    .limit(limit)
}
