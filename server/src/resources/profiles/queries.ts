/** All SQL statements for profiles. */

import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import { containing, type PageRequest } from '../../database/pages.ts'
import { profiles } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { demandQuota } from '../../http/quotas.ts'

export type Profile = typeof profiles.$inferSelect
export type ProfileInput = Pick<typeof profiles.$inferInsert, 'name' | 'description' | 'attributes'>

const one = (systemId: string, id: string) => and(eq(profiles.id, id), eq(profiles.systemId, systemId))

/** A page of the profiles of a system, newest first, and how many there are. */
export async function listProfiles(
  db: Db,
  systemId: string,
  { search, ...page }: PageRequest & { search?: string },
): Promise<Listed<Profile>> {
  const found = and(
    eq(profiles.systemId, systemId),
    search ? sql`lower(${profiles.name}) like lower(${containing(search)})` : undefined,
  )
  const matching = { all: sql`select id, ${profiles.createdAt} as time from ${profiles} where ${found}` }
  return listPage(db, page, matching, (ids) => db.select().from(profiles).where(inArray(profiles.id, ids)))
}

/** Throws `profile_not_found`, also if it belongs to another system. */
export async function findProfile(db: Db, systemId: string, id: string): Promise<Profile> {
  const [profile] = await db.select().from(profiles).where(one(systemId, id))
  if (!profile) throw new Failure('profile_not_found')
  return profile
}

/** Finds a profile, and locks the row. */
export async function lockProfile(tx: Db, systemId: string, id: string): Promise<Profile> {
  const [profile] = await tx.select().from(profiles).where(one(systemId, id)).for('update')
  if (!profile) throw new Failure('profile_not_found')
  return profile
}

/** The system is row-locked. Throws `profile_name_taken` (names are case-sensitive) or `limit_reached`. */
export async function insertProfile(db: Db, systemId: string, input: ProfileInput): Promise<Profile> {
  const others = sql<number>`(select count(*)::int from profiles o where o.system_id = ${systemId})`
  const [inserted] = await db
    .insert(profiles)
    .values({ ...input, systemId })
    .returning({ ...getTableColumns(profiles), others })
  const { others: before, ...profile } = inserted!
  demandQuota('profilesOfSystem', before + 1)
  return profile
}

/** Updates a row-locked profile. Throws `profile_name_taken`. */
export async function updateProfile(tx: Db, id: string, patch: Partial<ProfileInput>): Promise<Profile> {
  const [profile] = await tx
    .update(profiles)
    .set({ ...patch, updatedAt: sql`now()` })
    .where(eq(profiles.id, id))
    .returning()
  return profile!
}

/** Deletes a row-locked profile. */
export async function deleteProfile(tx: Db, id: string): Promise<void> {
  await tx.delete(profiles).where(eq(profiles.id, id))
}
