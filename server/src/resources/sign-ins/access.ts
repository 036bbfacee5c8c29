/** What decides the account and the consent of a sign-in, and the search for an account. */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { preparedRead } from '../../database/prepared.ts'
import { type AccountBranding, accounts, memberships, systemUsers, users } from '../../database/schema.ts'
import type { Consented } from '../consents/queries.ts'
import { exemptionOf, isClosed, isSuspended, isUsable, standingOf } from '../memberships/standing.ts'
import type { SelectableMembership } from '../sessions/queries.ts'

/** A pending invitation to an account of which the user is no member. */
type Offered = { id: string; accountId: string; accountName: string }

/**
 * The invitations that a sign-in offers: those of the platform and the system, which accounts that anyone has
 * opened can't push out, then the newest.
 */
const OFFERS_MAX = 100

/** The accounts that a page of a sign-in lists. A user who has more searches for the others. */
export const ACCOUNTS_SHOWN = 50
const SHOWN = sql.raw(String(ACCOUNTS_SHOWN))

/** Among so many of their newest sessions, the accounts are found that such a user has used last. */
const RECENT = sql.raw('100')

/** The order of the index `memberships_of_user`. */
const byStatus = sql`order by status, created_at desc, id desc`

/**
 * The memberships that decide a sign-in. The cost: one user can have thousands, and four of their requests at
 * a time would delay the sign-ins of all others. So it reads the active ones up to one more than a page
 * shows, or others if there are none. Those in suspended accounts are not among them: the named one is read
 * besides, and one if there are no others. Only if there are more, it also reads those that were used last,
 * and a pending one, each by an index.
 */
const membershipsThatDecide = (system: SQL, account: SQL) => {
  const theirs = sql`m.user_id = ${users.id} and m.system_id = ${system}`
  const isOpen = sql`not ${isSuspended(sql`m.account_id`)}`
  const isMore = sql`(select count(*) from first) > ${SHOWN}`
  return sql<SelectableMembership[]>`(
        with first as materialized (select m.* from memberships m where ${theirs} and ${isOpen} ${byStatus} limit ${SHOWN} + 1),
        recent as materialized (select n.membership_id, max(n.created_at) as at
          from (select s.* from sessions s where s.user_id = ${users.id} and ${isMore} order by s.created_at desc limit ${RECENT}) n
          where n.system_id = ${system} and n.actor_sid is null group by 1),
        deciding as (select * from first
          union select m.* from memberships m where m.account_id = ${account} and ${theirs}
          union (select m.* from memberships m where not exists (select from first) and ${theirs} ${byStatus} limit 1)
          union select m.* from recent r join memberships m on m.id = r.membership_id and ${theirs} and ${isOpen}
          union (select m.* from memberships m where ${isMore} and ${theirs} and ${isOpen} and m.status = 'pending' ${byStatus} limit 1))
        select coalesce(json_agg(json_build_object(
          'membershipId', m.id, 'accountId', m.account_id, 'accountName', a.name, 'accountKind', a.kind, 'status', ${standingOf(sql`m.status`, sql`m.account_id`)}, 'addedBy', m.added_by, 'requireMfa', a.require_mfa_by <> '{}', 'isClosed', ${isClosed(sql`a.sso_required_by`)}, 'exemption', ${exemptionOf(sql`a.sso_required_by`)}, 'confirmEntry', m.confirm_entry, 'lastUsedAt',
          case when ${isMore} then (select r.at from recent r where r.membership_id = m.id) when (select count(*) from first) > 1 then
          (select s.created_at from sessions s where s.membership_id = m.id and s.actor_sid is null order by s.created_at desc limit 1) end
        ) order by a.name, a.id), '[]')
        from deciding m join accounts a on a.id = m.account_id)`
}

/** What decides the account and the consent of a user who signs in to a system, maybe to a named account. */
export const accessColumns = (system: SQL, account: SQL) => ({
  memberships: membershipsThatDecide(system, account),
  offers: sql<
    Offered[]
  >`(select coalesce(json_agg(json_build_object('id', i.id, 'accountId', i.account_id, 'accountName', a.name)
          order by a.name, a.id), '[]')
        from (select * from invitations where email = ${users.email} and system_id = ${system} and status = 'pending'
          and expires_at > now() and ${users.emailVerified} order by added_by = 'account', created_at desc limit ${sql.raw(String(OFFERS_MAX))}) i
          join accounts a on a.id = i.account_id and a.suspended_by = '{}'
        where not exists (select from memberships m where m.user_id = ${users.id} and m.account_id = i.account_id))`,
  isEntryAsked: sql<boolean>`${systemUsers.enteredAt} is null and exists (select from system_users o where o.user_id = ${users.id} and o.system_id <> ${system})`,
  consents: sql<
    Record<string, Consented>
  >`(select coalesce(json_object_agg(c.account_id, json_build_object('scopes', c.scopes, 'claims', c.claims)), '{}')
        from consents c where c.user_id = ${users.id} and c.account_id in (
          select m.account_id from memberships m where m.user_id = ${users.id} and m.system_id = ${system} and m.account_id = ${account}
          union all (select m.account_id from memberships m where m.user_id = ${users.id} and m.system_id = ${system} and ${isUsable(sql`m.status`, sql`m.account_id`)} ${byStatus} limit 1)))`,
})

/** An account of the list in a sign-in. */
type SelectableAccount = { id: string; name: string; kind: 'personal' | 'organization' }

/** Words of a search; more are ignored. */
const WORDS_MAX = 8

const selectable = preparedRead((db) =>
  db
    .select({ id: accounts.id, name: accounts.name, kind: accounts.kind })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(
      and(
        eq(memberships.userId, sql.placeholder('userId')),
        eq(memberships.systemId, sql.placeholder('systemId')),
        isUsable(memberships.status, memberships.accountId),
        sql`${accounts.id} = coalesce(${sql.placeholder('accountId')}::uuid, ${accounts.id})`,
        sql`not exists (select from unnest(${sql.placeholder('words')}::text[]) word
          where strpos(lower(${accounts.name}), lower(word)) = 0)`,
      ),
    )
    .orderBy(accounts.name, accounts.id)
    .limit(ACCOUNTS_SHOWN + 1)
    .prepare('find_selectable'),
)

/** What members see of the accounts of which the user is an active member, by id; without those of others. */
export async function findLooks(
  db: Db,
  userId: string,
  accountIds: string[],
): Promise<Map<string, AccountBranding>> {
  if (accountIds.length === 0) return new Map()
  const rows = await db
    .select({ id: accounts.id, branding: accounts.branding })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(
      and(
        eq(memberships.userId, userId),
        inArray(accounts.id, accountIds),
        isUsable(memberships.status, memberships.accountId),
        sql`${accounts.branding} <> '{}'`,
      ),
    )
  return new Map(rows.map(({ id, branding }) => [id, branding]))
}

type Wanted = { userId: string; systemId: string }

/** The accounts that the user can select whose names contain all these words, up to one more than shown. */
export function findSelectable(db: Db, { userId, systemId }: Wanted, search: string) {
  const words = search.split(/\s+/).filter(Boolean).slice(0, WORDS_MAX)
  return selectable(db).execute({ userId, systemId, accountId: null, words }) satisfies Promise<
    SelectableAccount[]
  >
}

/** Whether the user can select an account, which the list may not contain. */
export const isSelectable = async (
  db: Db,
  { userId, systemId }: Wanted,
  accountId: string,
): Promise<boolean> => (await selectable(db).execute({ userId, systemId, accountId, words: [] })).length > 0
