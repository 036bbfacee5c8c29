/** SQL statements of registrations that are not confirmed yet. */
import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, gt, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { registrations, systems } from '../../database/schema.ts'

export type Registration = Omit<typeof registrations.$inferSelect, 'expiresAt' | 'createdAt'>

/** An address that was registered in an interaction; `id`: of one of its registrations there. */
export type InInteraction = { id: string; interactionHash: Buffer }

/** Inserts a registration that expires after `expiresIn` seconds. */
export async function insertRegistration(tx: Db, row: Registration, expiresIn: number): Promise<void> {
  await tx
    .insert(registrations)
    .values({ ...row, expiresAt: sql`now() + make_interval(secs => ${expiresIn})` })
}

/** Deletes up to `limit` registrations of a system, and returns their number. */
export async function deleteRegistrationsOf(tx: Db, systemId: string, limit: number): Promise<number> {
  const some = tx
    .select({ id: registrations.id })
    .from(registrations)
    .where(eq(registrations.systemId, systemId))
    .limit(limit)
  const deleted = await tx
    .delete(registrations)
    .where(inArray(registrations.id, some))
    .returning({ id: registrations.id })
  return deleted.length
}

const isValid = gt(registrations.expiresAt, sql`now()`)

/** All of one address in one interaction: there is one more each time the email is sent again. */
const isOf = ({ id, interactionHash }: InInteraction): SQL | undefined =>
  and(
    eq(registrations.interactionHash, interactionHash),
    sql`${registrations.email} = (select r.email from registrations r where r.id = ${id} and r.interaction_hash = ${interactionHash})`,
    isValid,
  )

const { expiresAt, createdAt, ...columns } = getTableColumns(registrations)

/** The registration that was sent first. */
export async function findRegistration(db: Db, place: InInteraction): Promise<Registration | undefined> {
  const [row] = await db
    .select(columns)
    .from(registrations)
    .where(isOf(place))
    .orderBy(registrations.createdAt)
    .limit(1)
  return row
}

/** Uses one attempt of every code of an address in an interaction, atomically. */
export function takeTries(db: Db, place: InInteraction): Promise<{ id: string; codeHash: Buffer | null }[]> {
  return db
    .update(registrations)
    .set({ triesLeft: sql`${registrations.triesLeft} - 1` })
    .where(and(isOf(place), gt(registrations.triesLeft, 0)))
    .returning({ id: registrations.id, codeHash: registrations.codeHash })
}

/** Deletes the registrations of an address in an interaction. Returns one, for exactly one caller. */
export async function consumeInInteraction(tx: Db, place: InInteraction): Promise<Registration | undefined> {
  const [row] = await tx.delete(registrations).where(isOf(place)).returning(columns)
  return row
}

const isLink = (linkHash: Buffer) => and(eq(registrations.linkHash, linkHash), isValid)

/** The registration of a valid link, with the name of its system. */
export async function findRegistrationByLink(
  db: Db,
  linkHash: Buffer,
): Promise<{ email: string; systemName: string } | undefined> {
  const [row] = await db
    .select({ email: registrations.email, systemName: systems.name })
    .from(registrations)
    .innerJoin(systems, eq(systems.id, registrations.systemId))
    .where(isLink(linkHash))
  return row
}

/** Deletes the registration of a valid link. Returns it, for exactly one caller. */
export async function consumeByLink(tx: Db, linkHash: Buffer): Promise<Registration | undefined> {
  const [row] = await tx.delete(registrations).where(isLink(linkHash)).returning(columns)
  return row
}
