/** SQL statements of the domains of organizations. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, getTableColumns, type SQL, sql } from '../../database/drizzle.ts'
import { accounts, domains, systems } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { type Reach, within } from '../../http/authority.ts'
import { demandQuota } from '../../http/quotas.ts'
import type { Account } from '../accounts/queries.ts'
import type { Application } from '../systems/application.ts'
import { applicationColumns, type System } from '../systems/queries.ts'

/** After so many days in a row without the record, or without an answer, a verified domain lapses. */
export const MISSING_MAX = 7
export const FAILING_MAX = 30

const after = (since: SQL, days: number): SQL =>
  sql`${since} + make_interval(days => ${sql.raw(String(days))})`
const lapsesAt = sql<Date | null>`case when ${domains.status} = 'verified' then least(
  ${after(sql`${domains.missingSince}`, MISSING_MAX)}, ${after(sql`${domains.failingSince}`, FAILING_MAX)}) end`.mapWith(
  domains.verifiedAt,
)
/** A check is due or in progress. */
const checking = sql<boolean>`coalesce(${domains.nextAttemptAt} <= now(), false)
  or coalesce(${domains.leasedUntil} > now(), false)`

const { nextAttemptAt: _, leasedUntil: __, checks: ___, ...shown } = getTableColumns(domains)
export const columns = { ...shown, lapsesAt, checking }

type Row = typeof domains.$inferSelect
export type Domain = Omit<Row, 'nextAttemptAt' | 'leasedUntil' | 'checks'> & {
  /** When it lapses if no check finds the record until then. */
  lapsesAt: Date | null
  checking: boolean
}

export type DomainKey = { accountId: string; id: string }

const inReach = (reach: Reach): SQL | undefined =>
  within(reach, { system: domains.systemId, account: domains.accountId })
const ofKey = (reach: Reach, { accountId, id }: DomainKey) =>
  and(eq(domains.id, id), eq(domains.accountId, accountId), inReach(reach))

/** All of an account, by name: their number is limited. */
export const listDomains = (db: Db, accountId: string): Promise<Domain[]> =>
  db.select(columns).from(domains).where(eq(domains.accountId, accountId)).orderBy(asc(domains.name))

/** Throws `domain_not_found`, also if it is out of reach. */
export async function findDomain(db: Db, reach: Reach, key: DomainKey): Promise<Domain> {
  const [found] = await db.select(columns).from(domains).where(ofKey(reach, key))
  if (!found) throw new Failure('domain_not_found')
  return found
}

export type LockedDomain = Domain & Pick<System, 'organizationSso'> & Pick<Account, 'ssoSelfService'>

/** Finds the domain, row-locked, with who may set it up. Throws `domain_not_found`. */
export async function lockDomain(tx: Db, reach: Reach, key: DomainKey): Promise<LockedDomain> {
  const [found] = await tx
    .select({
      ...columns,
      organizationSso: systems.organizationSso,
      ssoSelfService: accounts.ssoSelfService,
    })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.accountId))
    .innerJoin(systems, eq(systems.id, domains.systemId))
    .where(ofKey(reach, key))
    .for('update', { of: domains })
  if (!found) throw new Failure('domain_not_found')
  return found
}

/** The account is row-locked. Throws `domain_exists` or `limit_reached`. */
export async function insertDomain(
  tx: Db,
  row: Pick<Row, 'systemId' | 'accountId' | 'name' | 'subdomains' | 'setBy' | 'word' | 'token'>,
): Promise<Domain> {
  const others = sql<number>`(select count(*)::int from ${domains} o where o.account_id = ${row.accountId})`
  const [inserted] = await tx
    .insert(domains)
    .values({ ...row, nextAttemptAt: sql`now() + interval '1 minute'` })
    .returning({ ...columns, others })
  const { others: before, ...added } = inserted!
  demandQuota('domainsOfAccount', before + 1)
  return added
}

export type DomainPatch = Partial<Pick<Row, 'subdomains' | 'setBy'>>

/** Updates a row-locked domain. */
export async function updateDomain(tx: Db, id: string, patch: DomainPatch): Promise<Domain> {
  const [after] = await tx
    .update(domains)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(domains.id, id))
    .returning(columns)
  return after!
}

/** A check of a row-locked domain is due now. */
export async function makeDue(tx: Db, id: string): Promise<Domain> {
  const [after] = await tx
    .update(domains)
    .set({ nextAttemptAt: sql`now()` })
    .where(eq(domains.id, id))
    .returning(columns)
  return after!
}

export async function deleteDomain(tx: Db, id: string): Promise<void> {
  await tx.delete(domains).where(eq(domains.id, id))
}

/** Throws `sso_in_use` if an account of the system has a domain. */
export async function demandNoDomains(tx: Db, systemId: string): Promise<void> {
  const [found] = await tx
    .select({ id: domains.id })
    .from(domains)
    .where(eq(domains.systemId, systemId))
    .limit(1)
  if (found) throw new Failure('sso_in_use')
}

/** The name of the organization of a domain, and its application. */
export async function findPlace(
  db: Db,
  { accountId }: Pick<Domain, 'accountId'>,
): Promise<{ account: string; application: Application } | undefined> {
  const [found] = await db
    .select({ account: accounts.name, application: applicationColumns })
    .from(accounts)
    .innerJoin(systems, eq(systems.id, accounts.systemId))
    .where(eq(accounts.id, accountId))
  return found
}
