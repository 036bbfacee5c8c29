/**
 * SQL statements of the links between users and subjects at the identity providers of organizations, as a
 * sign-in reads and writes them. The proofs that rest on them: authentication/proofs.ts.
 */
import type { Db } from '../../database/database.ts'
import { and, eq, type SQL, sql } from '../../database/drizzle.ts'
import { connectionLinks, memberships, users } from '../../database/schema.ts'
import { listVerifiers } from '../domains/match.ts'

export type Link = { id: string; userId: string; email: string }

const { id, userId, email } = connectionLinks

/** The link of a subject. */
export async function findLinkOf(db: Db, connectionId: string, subject: string): Promise<Link | undefined> {
  const [link] = await db
    .select({ id, userId, email })
    .from(connectionLinks)
    .where(and(eq(connectionLinks.connectionId, connectionId), eq(connectionLinks.subject, subject)))
  return link
}

/**
 * The member of an account whom its system knows by the address. In one statement: whether somebody who is no
 * member has the address changes nothing.
 */
export async function findMemberBy(
  db: Db,
  { accountId, address }: { accountId: string; address: string },
): Promise<string | undefined> {
  const isOf = and(eq(memberships.userId, users.id), eq(memberships.accountId, accountId))
  const [member] = await db
    .select({ id: users.id })
    .from(users)
    .innerJoin(memberships, isOf)
    .where(and(eq(users.email, address), eq(memberships.email, address)))
  return member?.id
}

/** Stores the use of a link, and the address that was stated last. */
export async function touchLink(tx: Db, linkId: string, stated: string): Promise<void> {
  await tx
    .update(connectionLinks)
    .set({ lastUsedAt: sql`now()`, email: stated })
    .where(eq(connectionLinks.id, linkId))
}

/** Whether the second factor of a connection `c` is trusted; the system decides only about its own. */
const IS_TRUSTED = sql<boolean>`(coalesce(c.mfa, case when c.set_by = 'account' then 'reported'
  else (select s.connection_mfa from systems s where s.id = c.system_id) end) = 'trusted')`

export type SharedConnection = {
  id: string
  name: string
  enabled: boolean
  jit: boolean
  reservedRoles: boolean
  /** Logins until this time do not count; ms since 1970. */
  proofsAfter: number | null
  /** Logins until this time link nobody; ms since 1970. */
  linksAfter: number | null
  mfa: 'reported' | 'trusted'
  reauthentication: 'stated' | 'unconfirmed'
  /** The account requires a second factor. */
  requireMfa: boolean
  /** The account is suspended. */
  isSuspended: boolean
}

/**
 * The connection of an account, with the account row-locked before it (FOR SHARE): what changes or ends it
 * waits. Undefined if it is none of this account.
 */
export async function shareConnection(
  tx: Db,
  { id, systemId, accountId }: { id: string; systemId: string; accountId: string },
): Promise<SharedConnection | undefined> {
  const { rows } = (await tx.execute(sql`
    select c.id, c.name, c.enabled, c.jit, c.reserved_roles as "reservedRoles",
      (extract(epoch from c.proofs_after) * 1000)::float8 as "proofsAfter",
      (extract(epoch from c.links_after) * 1000)::float8 as "linksAfter", c.reauthentication,
      case when ${IS_TRUSTED} then 'trusted' else 'reported' end as mfa,
      a.require_mfa_by <> '{}' as "requireMfa", a.suspended_by <> '{}' as "isSuspended"
    from connections c join accounts a on a.id = c.account_id
    where c.id = ${id} and c.system_id = ${systemId} and c.account_id = ${accountId}
    for share of a for share of c`)) as { rows: unknown[] }
  return (rows as SharedConnection[])[0]
}

export type LinkOfUser = {
  id: string
  systemId: string
  accountId: string
  connectionId: string
  isEnabled: boolean
  isTrusted: boolean
  proofsAfter: number | null
  sessionHours: number
}

/** A connection that a sign-in offers, with an address of its provider. */
export type OfferedRow = {
  id: string
  kind: 'oidc' | 'saml'
  name: string
  organization: string
  address: string
}

/** More are not offered by the domain of an address: they would fill the page. */
export const OFFERED_MAX = 10

const offered = (systemId: string, ofAccounts: SQL) => sql`
  select c.id, c.kind, c.name, a.name as organization, coalesce(c.sso_url, c.issuer) as address
  from connections c join accounts a on a.id = c.account_id
  where c.system_id = ${systemId} and c.enabled and c.issuer is not null and a.suspended_by = '{}'
    and c.account_id ${ofAccounts}
  order by a.name, a.id, c.created_at, c.id`

/** The enabled connections of an account of a system, or of the account of a connection of it. */
export async function listOffered(
  db: Db,
  systemId: string,
  named: { accountId?: string | undefined; connection?: string | undefined },
): Promise<OfferedRow[]> {
  const { accountId = null, connection = null } = named
  const account = sql`= coalesce(${accountId}::uuid, (select o.account_id from connections o
    where o.id = ${connection}::uuid and o.system_id = ${systemId} and o.enabled))`
  const { rows } = (await db.execute(offered(systemId, account))) as { rows: unknown[] }
  return rows as OfferedRow[]
}

/**
 * The enabled connections of the accounts of a system that have verified the domain of an address, at most
 * one more than `OFFERED_MAX`. Whether the address has a user makes no difference.
 */
export async function listOfferedTo(db: Db, systemId: string, address: string): Promise<OfferedRow[]> {
  const accountIds = await listVerifiers(db, systemId, address)
  if (accountIds.length === 0) return []
  const accounts = sql`= any(${sql.param(accountIds)}::uuid[])`
  const query = sql`${offered(systemId, accounts)} limit ${OFFERED_MAX + 1}`
  const { rows } = (await db.execute(query)) as { rows: unknown[] }
  return rows as OfferedRow[]
}

/** The account of an enabled connection of a system. */
export async function findAccountOf(
  db: Db,
  systemId: string,
  connection: string,
): Promise<string | undefined> {
  const { rows } = (await db.execute(sql`select account_id as "accountId" from connections
    where id = ${connection} and system_id = ${systemId} and enabled`)) as { rows: unknown[] }
  return (rows as { accountId: string }[])[0]?.accountId
}

/**
 * The roles of the members whom a connection adds: those that an admin of the account could assign, and
 * others with `reservedRoles`; never an admin role, or one that acts for members. Locks them FOR SHARE.
 */
export async function listGivenRoles(
  tx: Db,
  { id: connectionId, reservedRoles }: Pick<SharedConnection, 'id' | 'reservedRoles'>,
): Promise<string[]> {
  const { rows } = (await tx.execute(sql`
    select r.id::text as id from connection_roles c join roles r on r.id = c.role_id
    where c.connection_id = ${connectionId} and not r.is_admin and not r.can_act_for_members
      and (r.assignable_by_account_admins or ${reservedRoles}::boolean) order by r.id for share of r`)) as {
    rows: unknown[]
  }
  return (rows as { id: string }[]).map((role) => role.id)
}

/** The links of a user in a system, with what decides whether the logins that rest on them count. */
export async function findProvenLinks(db: Db, ofUser: string, systemId: string): Promise<LinkOfUser[]> {
  const { rows } = (await db.execute(sql`
    select l.id, c.system_id as "systemId", l.account_id as "accountId", c.id as "connectionId",
      c.enabled as "isEnabled", ${IS_TRUSTED} as "isTrusted",
      (extract(epoch from c.proofs_after) * 1000)::float8 as "proofsAfter", c.session_hours as "sessionHours"
    from connection_links l join connections c on c.id = l.connection_id
    where l.user_id = ${ofUser} and c.system_id = ${systemId}`)) as { rows: unknown[] }
  return rows as LinkOfUser[]
}
