/** SQL statements of consents: the scopes and claims that a user has granted for an account of a system. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, sql } from '../../database/drizzle.ts'
import { accounts, consents } from '../../database/schema.ts'
import { type Reach, within } from '../../http/authority.ts'

/** What a user consents to: scopes, and claims that were requested by name. */
export type Consented = { scopes: string[]; claims: string[] }

/** Adds scopes and claims to the consent of a user for an account. */
export async function upsertConsent(
  db: Db,
  userId: string,
  accountId: string,
  { scopes, claims }: Consented,
): Promise<void> {
  await db
    .insert(consents)
    .values({ userId, accountId, scopes, claims })
    .onConflictDoUpdate({
      target: [consents.userId, consents.accountId],
      set: {
        scopes: sql`array(select distinct unnest(${consents.scopes} || excluded.scopes) order by 1)`,
        claims: sql`array(select distinct unnest(${consents.claims} || excluded.claims) order by 1)`,
        grantedAt: sql`now()`,
      },
    })
}

/** Deletes a consent. Returns its content and its system; undefined if there was none. */
export async function deleteConsent(
  tx: Db,
  userId: string,
  accountId: string,
): Promise<({ systemId: string } & Consented) | undefined> {
  const [deleted] = await tx
    .delete(consents)
    .where(and(eq(consents.userId, userId), eq(consents.accountId, accountId)))
    .returning({
      scopes: consents.scopes,
      claims: consents.claims,
      systemId: sql<string>`(select a.system_id from accounts a where a.id = ${consents.accountId})`,
    })
  return deleted
}

/** The consents of a user within the reach, oldest first. */
export const listConsents = (db: Db, reach: Reach, userId: string) =>
  db
    .select({
      systemId: accounts.systemId,
      accountId: consents.accountId,
      scopes: consents.scopes,
      claims: consents.claims,
      grantedAt: consents.grantedAt,
    })
    .from(consents)
    .innerJoin(accounts, eq(accounts.id, consents.accountId))
    .where(
      and(eq(consents.userId, userId), within(reach, { system: accounts.systemId, account: accounts.id })),
    )
    .orderBy(asc(consents.grantedAt))
