/** SQL statements of registrations that are not confirmed yet. */
import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, inArray, type SQL, sql } from '../../database/drizzle.ts'
import { registrations, systems } from '../../database/schema.ts'
import type { Application } from '../systems/application.ts'
import { applicationColumns } from '../systems/queries.ts'

export type Registration = Omit<typeof registrations.$inferSelect, 'expiresAt' | 'consumedAt' | 'createdAt'>

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

const isValid = sql`(${registrations.expiresAt} > now() and ${registrations.consumedAt} is null)`

/** All of one address in one interaction: there is one more each time the email is sent again. */
const isOf = ({ id, interactionHash }: InInteraction): SQL | undefined =>
  and(
    eq(registrations.interactionHash, interactionHash),
    sql`${registrations.email} = (select r.email from registrations r where r.id = ${id} and r.interaction_hash = ${interactionHash})`,
    isValid,
  )

const { expiresAt, consumedAt, createdAt, ...columns } = getTableColumns(registrations)

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
    .where(and(isOf(place), sql`${registrations.triesLeft} > 0`))
    .returning({ id: registrations.id, codeHash: registrations.codeHash })
}

/**
 * Consumes registrations. Their rows stay until they expire, without the hash of the password: the page of
 * a used link leads to the application. Returns one with its hash, for exactly one caller.
 */
async function consume(tx: Db, which: SQL | undefined): Promise<Registration | undefined> {
  const found = await tx
    .select(columns)
    .from(registrations)
    .where(which)
    .orderBy(registrations.id) // no deadlock
    .for('update')
  const ids = found.map(({ id }) => id)
  if (ids.length > 0)
    await tx
      .update(registrations)
      .set({ consumedAt: sql`now()`, passwordHash: '' })
      .where(inArray(registrations.id, ids))
  return found[0]
}

/** Consumes the registrations of an address in an interaction. */
export const consumeInInteraction = (tx: Db, place: InInteraction): Promise<Registration | undefined> =>
  consume(tx, isOf(place))

const isLink = (linkHash: Buffer) => eq(registrations.linkHash, linkHash)

/**
 * What the row of a link says, also of one that is not valid. `readEmail`: the address, if it is by now that
 * of a user of the application.
 */
export type RegistrationLink = {
  email: string
  isGood: boolean
  application: Application & { id: string }
  readEmail: string | null
}

export async function findRegistrationByLink(
  db: Db,
  linkHash: Buffer,
): Promise<RegistrationLink | undefined> {
  const [row] = await db
    .select({
      email: registrations.email,
      isGood: sql<boolean>`${isValid}`,
      application: applicationColumns,
      readEmail: sql<
        string | null
      >`(select r.email from users u join system_users r on r.user_id = u.id and r.system_id = ${registrations.systemId} where u.email = ${registrations.email})`,
    })
    .from(registrations)
    .innerJoin(systems, eq(systems.id, registrations.systemId))
    .where(isLink(linkHash))
  return row
}

/** Consumes the registration of a valid link. */
export const consumeByLink = (tx: Db, linkHash: Buffer): Promise<Registration | undefined> =>
  consume(tx, and(isLink(linkHash), isValid))
