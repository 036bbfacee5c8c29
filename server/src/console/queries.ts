/** SQL statements for the contexts of a user in the console. */
import type { Db } from '../database/database.ts'
import { type SQL, sql } from '../database/drizzle.ts'
import { containing } from '../database/pages.ts'
import { maySetUp } from '../resources/domains/rights.ts'
import {
  IS_ACCOUNT_ADMIN_HERE,
  IS_ADMIN,
  STATED_MEMBERSHIPS,
} from '../resources/memberships/account-admins.ts'

/** An operator with the level `viewer` changes nothing. */
export type Level = 'admin' | 'viewer'

/** What a user may use in the console, of what one request asks for. */
export type ConsoleRights = {
  /** The user is an admin of a platform system or an operator of the installation. */
  platform: Level | null
  /** The platform system of the user's membership, otherwise the oldest one. */
  platformSystemId: string
  /** Its name. */
  platformName: string
  /** The user is an operator of the system. */
  system: Level | null
  /** The user is an active member of the account with a role that is admin, and may call the admin API. */
  isAccountAdmin: boolean
  /** Of such an admin who is exempt from the single sign-on that the account requires: the membership. */
  exemptMembershipId: string | null
  /** The given system, or that of the account, if they exist; without both, `platformSystemId`. */
  systemId: string | null
  /**
   * The system requires a second factor or an emailed code, or the account requires a second factor; of
   * exempt members it does where it requires single sign-on.
   */
  needsFactor: boolean
  /** The platform system of the user's membership does; without one, any platform system. */
  platformNeedsFactor: boolean
}

/** The rights of a user; with those in one system or one account, of which at most one is given. */
export async function findConsoleRights(
  db: Db,
  userId: string,
  { systemId, accountId }: { systemId?: string | undefined; accountId?: string | undefined },
): Promise<ConsoleRights> {
  const place = accountId
    ? sql`(select a.system_id from accounts a where a.id = ${accountId})`
    : sql`coalesce(${systemId ?? null}::uuid, (select id from platform))`
  const { rows } = (await db.execute(sql`
    with own as (
      select m.system_id from ${STATED_MEMBERSHIPS} where m.user_id = ${userId} and s.platform and ${IS_ADMIN}
      order by s.created_at limit 1
    ), platform as (
      select s.id, s.name, bool_or(s.require_mfa or s.require_email_otp) over () as needs_factor from systems s
        where s.platform and s.id = coalesce((select system_id from own), s.id) order by s.created_at limit 1
    ), place as (
      select s.id, s.require_mfa or s.require_email_otp or exists (select from accounts a
          where a.id = ${accountId ?? null}::uuid
            and (a.require_mfa_by <> '{}' or a.sso_required_by is not null)) as needs_factor
        from systems s where s.id = ${place}
    )
    select
      case when exists (select from own) then 'admin'
        else (select o.level from operators o where o.user_id = ${userId} and o.system_id is null) end as platform,
      (select id from platform) as "platformSystemId",
      (select name from platform) as "platformName",
      (select o.level from operators o join systems s on s.id = o.system_id
        where o.user_id = ${userId} and s.id = ${systemId ?? null}::uuid and not s.platform) as system,
      exists (select from ${STATED_MEMBERSHIPS} where m.user_id = ${userId}
        and m.account_id = ${accountId ?? null}::uuid and ${IS_ACCOUNT_ADMIN_HERE}) as "isAccountAdmin",
      (select m.id from ${STATED_MEMBERSHIPS} join accounts a on a.id = m.account_id
        where m.user_id = ${userId} and m.account_id = ${accountId ?? null}::uuid
          and a.sso_required_by is not null and ${IS_ACCOUNT_ADMIN_HERE}) as "exemptMembershipId",
      (select id from place) as "systemId",
      coalesce((select needs_factor from place), false) as "needsFactor",
      (select needs_factor from platform) as "platformNeedsFactor"`)) as { rows: ConsoleRights[] }
  return rows[0]!
}

export type Context = {
  key: string
  name: string
  level: Level
  systemId?: string
  systemName?: string
  /** Whether an account can have service accounts. */
  allowsServiceAccounts?: boolean
  /** It can, or has some that have remained. */
  hasServiceAccounts?: boolean
  /** Whether the admins of an account may set up single sign-on. */
  setsUpSso?: boolean
  /** They may, or there are connections or domains. */
  hasSso?: boolean
}

type OfAccount = Required<
  Pick<Context, 'systemId' | 'systemName' | 'allowsServiceAccounts' | 'hasServiceAccounts'>
> &
  Parameters<typeof maySetUp>[1] & {
    /** It is an organization of a system in which organizations have single sign-on. */
    canHaveSso: boolean
    /** It has connections or domains. */
    isSetUp: boolean
  }
type ContextRow = Pick<Context, 'key' | 'name' | 'level'> & { account: OfAccount | null }

/** A user who is an admin of many accounts finds the others by name. */
export const CONTEXTS_MAX = 50

/** The systems and accounts that a user may open, by name; one more than are shown. */
export async function listContexts(db: Db, userId: string, search: string): Promise<Context[]> {
  const contains = (name: SQL) => sql`lower(${name}) like lower(${containing(search)})`
  const { rows } = (await db.execute(sql`
    (select 'system:' || s.id as key, s.name, o.level, null::json as account
      from operators o join systems s on s.id = o.system_id
      where o.user_id = ${userId} and ${contains(sql`s.name`)} order by s.name limit ${CONTEXTS_MAX + 1})
    union all
    (select 'account:' || a.id, a.name, 'admin', json_build_object('systemName', s.name, 'systemId', s.id,
        'allowsServiceAccounts', s.allow_service_accounts and a.kind = 'organization',
        'hasServiceAccounts', a.kind = 'organization' and (s.allow_service_accounts
          or exists (select from service_accounts p where p.account_id = a.id)),
        'organizationSso', s.organization_sso, 'ssoSelfService', a.sso_self_service,
        'canHaveSso', a.kind = 'organization' and s.multi_account and not s.platform,
        'isSetUp', exists (select from connections c where c.account_id = a.id)
          or exists (select from domains d where d.account_id = a.id))
      from ${STATED_MEMBERSHIPS} join accounts a on a.id = m.account_id
      where m.user_id = ${userId} and ${IS_ACCOUNT_ADMIN_HERE} and ${contains(sql`a.name`)}
      order by a.name limit ${CONTEXTS_MAX + 1})`)) as { rows: ContextRow[] }
  return rows.map(({ account, ...context }) => {
    if (!account) return context
    const { organizationSso, ssoSelfService, canHaveSso, isSetUp, ...own } = account
    const setsUpSso = canHaveSso && maySetUp('account', { organizationSso, ssoSelfService })
    return { ...context, ...own, setsUpSso, hasSso: setsUpSso || isSetUp }
  })
}
