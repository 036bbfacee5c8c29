/**
 * Which organizations have verified the domain of an address. Several can have verified one domain, and what
 * follows from it concerns the organization itself only.
 */
import type { Db } from '../../database/database.ts'
import { and, eq, inArray, or, type SQL } from '../../database/drizzle.ts'
import { domains, memberships, users } from '../../database/schema.ts'

/** A domain and those above it, the longest first. A name of one label is no domain that can be verified. */
function namesAbove(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, from) => labels.slice(from).join('.'))
}

/**
 * The verified domains of a system that an address belongs to: the domain of the address, or one above it
 * that was verified with `subdomains`. `address`: in its stored form.
 */
function matching(systemId: string, address: string): SQL | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return and(
    eq(domains.systemId, systemId),
    eq(domains.status, 'verified'),
    inArray(domains.name, namesAbove(domain)),
    or(eq(domains.name, domain), eq(domains.subdomains, true)),
  )
}

/**
 * The accounts of a system that have verified the domain of an address. Of domains that contain each other
 * the longest decides, whosever it is: who has verified `eu.acme.com` signs in the people there, not who has
 * verified `acme.com`. Whether the address has a user makes no difference.
 */
export async function listVerifiers(db: Db, systemId: string, address: string): Promise<string[]> {
  const found = await db
    .select({ accountId: domains.accountId, name: domains.name })
    .from(domains)
    .where(matching(systemId, address))
    .orderBy(domains.accountId)
  const longest = Math.max(...found.map(({ name }) => name.length))
  return found.flatMap(({ accountId, name }) => (name.length === longest ? [accountId] : []))
}

/** Whether an account has verified the domain of an address now; for many addresses. */
export async function verifiedBy(
  db: Db,
  { systemId, accountId }: { systemId: string; accountId: string },
): Promise<(address: string) => boolean> {
  const found = await db
    .select({ name: domains.name, subdomains: domains.subdomains })
    .from(domains)
    .where(
      and(eq(domains.systemId, systemId), eq(domains.accountId, accountId), eq(domains.status, 'verified')),
    )
  const subdomainsOf = new Map(found.map(({ name, subdomains }) => [name, subdomains]))
  return (address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    return namesAbove(domain).some((name) =>
      name === domain ? subdomainsOf.has(name) : subdomainsOf.get(name) === true,
    )
  }
}

/** Whether an account has verified the domain of an address, whoever else has verified a longer one. */
export async function isVerifiedBy(
  db: Db,
  { systemId, accountId }: { systemId: string; accountId: string },
  address: string,
): Promise<boolean> {
  const [found] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(matching(systemId, address), eq(domains.accountId, accountId)))
    .limit(1)
  return found !== undefined
}

/**
 * Whether the organization of a member vouches for the address of the user now: it has stated this address of
 * the member, and has verified its domain.
 */
export async function isVouchedFor(
  db: Db,
  { systemId, membershipId }: { systemId: string; membershipId: string },
  address: string,
): Promise<boolean> {
  const isStated = and(
    eq(memberships.id, membershipId),
    eq(memberships.accountId, domains.accountId),
    eq(memberships.statedEmail, address),
  )
  const [found] = await db
    .select({ id: domains.id })
    .from(domains)
    .innerJoin(memberships, isStated)
    .innerJoin(users, and(eq(users.id, memberships.userId), eq(users.email, address)))
    .where(matching(systemId, address))
    .limit(1)
  return found !== undefined
}
