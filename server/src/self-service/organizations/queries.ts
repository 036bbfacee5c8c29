/** SQL statements of the pages of an organization, each limited to an account of the user. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, inArray, sql } from '../../database/drizzle.ts'
import { type AccountBranding, memberships, profiles, systemUsers, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import type { Reach } from '../../http/authority.ts'
import { maySetUp } from '../../resources/domains/rights.ts'
import {
  IS_ACCOUNT_ADMIN,
  IS_ACCOUNT_ADMIN_HERE,
  IS_MEMBER,
  STATED_MEMBERSHIPS,
} from '../../resources/memberships/account-admins.ts'
import { inReach, type Membership, selectMemberships } from '../../resources/memberships/queries.ts'
import { isClosed } from '../../resources/memberships/standing.ts'
import { statedName } from '../../resources/users/profile.ts'
import { HAS_PAGES } from '../queries.ts'

/** An organization of which the user is an active member, and what the user may do there. */
export type OwnOrganization = {
  id: string
  name: string
  systemId: string
  /** Its name. */
  system: string
  membershipId: string
  /** Names. */
  roles: string[]
  since: Date
  /**
   * By the rule of the admin API and of the console: an admin of a system that keeps its API from the admins
   * of accounts reads what any member reads.
   */
  isAccountAdmin: boolean
  /** Members who are not admins see the others. */
  membersVisible: boolean
  /** Invitations can be accepted with another address. */
  acceptOtherAddress: boolean
  branding: AccountBranding
  /** Where users of the system get help. */
  supportUri: string | null
  /** The redirect URIs of the system. */
  redirectUris: string[]
  /** The system allows service accounts. */
  allowsServiceAccounts: boolean
  /** It does, or some have remained from when it did. */
  hasServiceAccounts: boolean
  /** Its admins may set up single sign-on. */
  setsUpSso: boolean
  /** They may, or there are domains or connections. */
  hasSso: boolean
  isSuspended: boolean
  /** Only a login by a connection of the organization opens the membership. */
  isClosed: boolean
  /** It requires single sign-on: who is not shut out by that is exempt. */
  requiresSso: boolean
  /** The organization requires a second factor. */
  requireMfa: boolean
  /** A higher authority than its admins has decided that. */
  requireMfaAbove: boolean
  /**
   * The system requires a second factor or an emailed code, or the organization a second factor; of exempt
   * members it does while it requires single sign-on.
   */
  needsFactor: boolean
}

type FoundOrganization = Omit<OwnOrganization, 'since' | 'setsUpSso' | 'hasSso'> &
  Parameters<typeof maySetUp>[1] & { since: number; isSetUp: boolean }

type Key = { userId: string; accountId: string }

/** The active memberships of a user in an account that has pages, with the alias `a` for the account. */
const ownMembership = ({ userId, accountId }: Key) =>
  sql`${STATED_MEMBERSHIPS} join accounts a on a.id = m.account_id
    where m.user_id = ${userId} and m.account_id = ${accountId} and ${IS_MEMBER} and ${HAS_PAGES}`

export async function findOwnOrganization(db: Db, key: Key): Promise<OwnOrganization | undefined> {
  const { rows } = (await db.execute(sql`
    select a.id, a.name, a.members_visible as "membersVisible",
      a.accept_other_address as "acceptOtherAddress", a.branding,
      s.id as "systemId", s.name as system, s.redirect_uris as "redirectUris", s.support_uri as "supportUri",
      s.allow_service_accounts as "allowsServiceAccounts", m.id as "membershipId",
      s.allow_service_accounts
        or exists (select from service_accounts p where p.account_id = a.id) as "hasServiceAccounts",
      s.organization_sso as "organizationSso", a.sso_self_service as "ssoSelfService",
      exists (select from domains d where d.account_id = a.id)
        or exists (select from connections c where c.account_id = a.id) as "isSetUp",
      array(select r.name from membership_roles mr join roles r on r.id = mr.role_id
        where mr.membership_id = m.id order by r.name) as roles,
      extract(epoch from m.created_at)::float8 * 1000 as since, ${IS_ACCOUNT_ADMIN} as "isAccountAdmin",
      a.suspended_by <> '{}' as "isSuspended", ${isClosed(sql`a.sso_required_by`)} as "isClosed",
      a.sso_required_by is not null as "requiresSso", a.require_mfa_by <> '{}' as "requireMfa",
      a.require_mfa_by && array['platform', 'system'] as "requireMfaAbove",
      s.require_mfa or s.require_email_otp or a.require_mfa_by <> '{}'
        or a.sso_required_by is not null as "needsFactor"
    from ${ownMembership(key)}`)) as { rows: FoundOrganization[] }
  const [found] = rows
  if (!found) return undefined
  const { organizationSso, ssoSelfService, isSetUp, ...own } = found
  const setsUpSso = maySetUp('account', { organizationSso, ssoSelfService })
  return { ...own, since: new Date(own.since), setsUpSso, hasSso: setsUpSso || isSetUp }
}

/**
 * Row-locks the account, the membership of an admin, and of the member that the admin changes, until the
 * transaction ends: the admin keeps the role until then. They are locked in one order, after their users, as
 * in `lockMembership`. Throws `insufficient_authority` if the user is not an admin of the account now.
 */
export async function lockAsAdmin(tx: Db, key: Key, memberId?: string): Promise<void> {
  const both = sql`account_id = ${key.accountId}
    and (user_id = ${key.userId} or id = ${memberId ?? null}::uuid)`
  await tx.execute(sql`
    with owners as (select id from users where id in (select user_id from memberships where ${both})
      order by id for key share
    ), account as (select id from accounts where id = ${key.accountId} and (select count(*) from owners) >= 0
      for no key update)
    select id from memberships where ${both} and (select count(*) from account) >= 0 order by id for update`)
  const { rows } = (await tx.execute(
    sql`select 1 from ${ownMembership(key)} and ${IS_ACCOUNT_ADMIN_HERE}`,
  )) as {
    rows: unknown[]
  }
  if (rows.length === 0) throw new Failure('insufficient_authority')
}

/** The name as the system reads it: the one that it states, or the user's own once they have entered it. */
const name = statedName(sql`${systemUsers}`, sql`${users}`)

/** The names of users as the system reads them, by id; without those that have none. */
export async function listNames(db: Db, systemId: string, userIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: users.id, name })
    .from(users)
    .innerJoin(systemUsers, and(eq(systemUsers.userId, users.id), eq(systemUsers.systemId, systemId)))
    .where(inArray(users.id, userIds))
  return new Map(rows.flatMap((row) => (row.name ? [[row.id, row.name]] : [])))
}

/** The members of these ids that are in reach, by address. */
export const findMembers = (db: Db, reach: Reach, ids: string[]): Promise<Membership[]> =>
  selectMemberships(db)
    .where(and(inArray(memberships.id, ids), inReach(reach)))
    .orderBy(asc(memberships.email))

/** A system has at most 500 (http/quotas.ts). */
export const listProfileNames = (db: Db, systemId: string): Promise<{ id: string; name: string }[]> =>
  db
    .select({ id: profiles.id, name: profiles.name })
    .from(profiles)
    .where(eq(profiles.systemId, systemId))
    .orderBy(asc(profiles.name))

/** Rows of the page of an organization: it names no more admins. */
export const ADMINS_MAX = 20

export type NamedPerson = { name: string | null; email: string }

const ofSystem = and(
  eq(systemUsers.userId, memberships.userId),
  eq(systemUsers.systemId, memberships.systemId),
)

/** The active admins of an account, by address; one more than are named. */
export const listAdmins = (db: Db, accountId: string): Promise<NamedPerson[]> =>
  db
    .select({ name, email: memberships.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(systemUsers, ofSystem)
    .where(
      and(
        eq(memberships.accountId, accountId),
        eq(memberships.status, 'active'),
        sql`exists (select from membership_roles mr join roles r on r.id = mr.role_id
          where mr.membership_id = ${memberships.id} and r.is_admin)`,
      ),
    )
    .orderBy(asc(memberships.email))
    .limit(ADMINS_MAX + 1)
