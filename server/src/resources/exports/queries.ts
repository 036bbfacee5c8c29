/** SQL statements of the export of a user. */

import type { Db } from '../../database/database.ts'
import { and, asc, desc, eq, or, type PgColumn, sql } from '../../database/drizzle.ts'
import {
  accounts,
  activity,
  audit,
  blocks,
  connectionLinks,
  connections,
  identities,
  mail,
  memberships,
  oneTimeTokens,
  operators,
  passkeys,
  sessions,
  statedAddresses,
  systems,
  totpFactors,
} from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'
import { isActorShown, newestEntries } from '../../journal/audit/queries.ts'
import { endOf } from '../sessions/living.ts'

const ofSystem = (reach: Reach, systemId: PgColumn) => within(reach, { system: systemId, account: 'none' })

/** The newest rows of each table that grows with every sign-in. */
const MOST = 10_000

export async function readFactors(db: Db, reach: Reach, userId: string) {
  const codesInReach = reach.systemId === undefined ? sql`true` : sql`c.system_id = ${reach.systemId}`
  const authenticators = await db
    .select({ createdAt: totpFactors.createdAt, confirmedAt: totpFactors.confirmedAt })
    .from(totpFactors)
    .where(and(eq(totpFactors.userId, userId), ofSystem(reach, totpFactors.systemId)))
    .orderBy(asc(totpFactors.createdAt))
  const keys = await db
    .select({
      name: passkeys.name,
      transports: passkeys.transports,
      backedUp: passkeys.backedUp,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), ofSystem(reach, passkeys.systemId)))
    .orderBy(asc(passkeys.createdAt))
  const [codes] = await db
    .select({
      left: sql<number>`(select count(*)::int from recovery_codes c where c.user_id = ${userId} and ${codesInReach} and c.used_at is null)`,
      used: sql<number>`(select count(*)::int from recovery_codes c where c.user_id = ${userId} and ${codesInReach} and c.used_at is not null)`,
    })
    .from(sql`(values (1)) as one`)
  return { authenticators, passkeys: keys, recoveryCodes: codes! }
}

export const readIdentities = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      provider: identities.provider,
      subject: identities.subject,
      email: identities.email,
      createdAt: identities.createdAt,
      lastLoginAt: identities.lastLoginAt,
    })
    .from(identities)
    .where(and(eq(identities.userId, userId), ofSystem(reach, identities.systemId)))
    .orderBy(asc(identities.provider))

/** Personal accounts are kept when their membership is deleted, so they are listed separately. */
export const readPersonalAccounts = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      id: accounts.id,
      systemId: accounts.systemId,
      name: accounts.name,
      createdAt: accounts.createdAt,
    })
    .from(accounts)
    .where(
      and(eq(accounts.personalOf, userId), within(reach, { system: accounts.systemId, account: 'none' })),
    )
    .orderBy(asc(accounts.createdAt))

export const readMemberships = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      id: memberships.id,
      status: memberships.status,
      system: { id: systems.id, name: systems.name },
      account: { id: accounts.id, name: accounts.name, kind: accounts.kind },
      roles: sql<
        string[]
      >`array(select r.name from membership_roles mr join roles r on r.id = mr.role_id where mr.membership_id = ${memberships.id} order by r.name)`,
      profiles: sql<
        string[]
      >`array(select p.name from membership_profiles mp join profiles p on p.id = mp.profile_id where mp.membership_id = ${memberships.id} order by p.name)`,
      stated: memberships.stated,
      statedEmail: memberships.statedEmail,
      createdAt: memberships.createdAt,
      updatedAt: memberships.updatedAt,
    })
    .from(memberships)
    .innerJoin(systems, eq(systems.id, memberships.systemId))
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(
      and(
        eq(memberships.userId, userId),
        within(reach, { system: memberships.systemId, account: memberships.accountId }),
      ),
    )
    .orderBy(asc(memberships.createdAt))

/** How the connections of organizations know the user. */
export const readConnectionLinks = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      systemId: connections.systemId,
      accountId: connections.accountId,
      connection: { id: connections.id, name: connections.name },
      subject: connectionLinks.subject,
      email: connectionLinks.email,
      groups: connectionLinks.groups,
      createdAt: connectionLinks.createdAt,
      lastUsedAt: connectionLinks.lastUsedAt,
    })
    .from(connectionLinks)
    .innerJoin(connections, eq(connections.id, connectionLinks.connectionId))
    .where(
      and(
        eq(connectionLinks.userId, userId),
        within(reach, { system: connections.systemId, account: connections.accountId }),
      ),
    )
    .orderBy(asc(connectionLinks.createdAt), asc(connectionLinks.id))

export const exportedBlocks = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      systemId: blocks.systemId,
      accountId: blocks.accountId,
      setBy: blocks.setBy,
      createdAt: blocks.createdAt,
    })
    .from(blocks)
    .where(
      and(eq(blocks.userId, userId), within(reach, { system: blocks.systemId, account: blocks.accountId })),
    )
    .orderBy(asc(blocks.createdAt))

/** The uses of the console that are not those of a membership. */
export const readOperators = (db: Db, reach: Reach, userId: string) =>
  db
    .select({ systemId: operators.systemId, level: operators.level, createdAt: operators.createdAt })
    .from(operators)
    .where(and(eq(operators.userId, userId), ofSystem(reach, operators.systemId)))
    .orderBy(asc(operators.createdAt))

export const readSessions = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      sid: sessions.sid,
      systemId: sessions.systemId,
      accountId: sessions.accountId,
      ip: sessions.ip,
      userAgent: sessions.userAgent,
      amr: sessions.amr,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      expiresAt: sessions.expiresAt,
      endedAt: endOf(sessions).mapWith(sessions.endedAt),
      endReason: sessions.endReason,
    })
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        within(reach, { system: sessions.systemId, account: sessions.accountId }),
      ),
    )
    .orderBy(desc(sessions.createdAt))
    .limit(MOST)

/** The addresses at which systems know the user that have removed them. */
export const exportedAddresses = (db: Db, userId: string) =>
  db
    .select({ systemId: statedAddresses.systemId, email: statedAddresses.email })
    .from(statedAddresses)
    .where(eq(statedAddresses.userId, userId))
    .orderBy(statedAddresses.systemId)
    .limit(MOST)

/** The days on which the user was active in a system, of the 64 that end with the last one, newest first. */
export const readActivity = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      systemId: activity.systemId,
      days: sql<
        string[]
      >`array(select (${activity.day} - n)::text from generate_series(0, 63) n where (${activity.days} >> n) & 1 = 1 order by n)`,
    })
    .from(activity)
    .where(and(eq(activity.userId, userId), ofSystem(reach, activity.systemId)))
    .orderBy(desc(activity.day))

/**
 * The newest entries of actions by the user, if the caller may see that the user acted, and of actions on the
 * user or their memberships. The IP address and user agent of other actors are left out.
 */
export function readAudit(db: Db, reach: Reach, userId: string) {
  const isShown = isActorShown(reach)
  const isActor = and(eq(audit.actorType, 'user'), eq(audit.actorId, userId))
  const own = and(isActor, isShown)
  const inReach = within(reach, { system: audit.systemId, account: audit.accountId })
  const about = or(
    and(eq(audit.targetType, 'user'), eq(audit.targetId, userId)),
    and(
      eq(audit.targetType, 'membership'),
      sql`${audit.targetId} in (select ${memberships.id}::text from ${memberships} where ${memberships.userId} = ${userId})`,
    ),
  )
  return db
    .select({
      time: audit.time,
      action: audit.action,
      outcome: audit.outcome,
      actorType: audit.actorType,
      actorId: sql<string | null>`case when ${isShown} then ${audit.actorId} end`,
      ip: sql<string | null>`case when ${own} then ${audit.actorIp} end`,
      userAgent: sql<string | null>`case when ${own} then ${audit.actorUserAgent} end`,
      targetType: audit.targetType,
      targetId: audit.targetId,
      systemId: audit.systemId,
      accountId: audit.accountId,
      changes: audit.changes,
    })
    .from(newestEntries(db, and(or(isActor, about), inReach), MOST))
    .where(or(own, about))
    .orderBy(desc(audit.time))
}

export const readMails = (db: Db, userId: string) =>
  db
    .select({
      kind: mail.kind,
      recipient: mail.recipient,
      status: mail.status,
      createdAt: mail.createdAt,
      sentAt: mail.sentAt,
    })
    .from(mail)
    .where(eq(mail.userId, userId))
    .orderBy(desc(mail.createdAt))
    .limit(MOST)

export const exportedLinks = (db: Db, userId: string) =>
  db
    .select({
      purpose: oneTimeTokens.purpose,
      email: oneTimeTokens.email,
      createdAt: oneTimeTokens.createdAt,
      expiresAt: oneTimeTokens.expiresAt,
      consumedAt: oneTimeTokens.consumedAt,
    })
    .from(oneTimeTokens)
    .where(eq(oneTimeTokens.userId, userId))
    .orderBy(desc(oneTimeTokens.createdAt))
    .limit(MOST)
