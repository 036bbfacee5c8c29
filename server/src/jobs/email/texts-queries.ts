/** The SQL of the texts that applications have of their own. */
import type { Db } from '../../database/database.ts'
import { and, asc, eq, sql } from '../../database/drizzle.ts'
import { emailTexts, systems } from '../../database/schema.ts'
import type { Locale } from '../../texts/texts.ts'
import type { OwnKind } from './kinds.ts'
import type { OwnTexts } from './own-texts.ts'

export type TextPlace = { systemId: string; kind: OwnKind; locale: Locale }
export type StoredTexts = typeof emailTexts.$inferSelect

const at = ({ systemId, kind, locale }: TextPlace) =>
  and(eq(emailTexts.systemId, systemId), eq(emailTexts.kind, kind), eq(emailTexts.locale, locale))

/** What an email of a system is sent with; undefined if the system was deleted. */
export async function findSending(
  tx: Db,
  place: TextPlace,
): Promise<{ from: string | null; replyTo: string | null; texts: OwnTexts | null } | undefined> {
  const [found] = await tx
    .select({ from: systems.emailFrom, replyTo: systems.emailReplyTo, texts: emailTexts })
    .from(systems)
    .leftJoin(emailTexts, at(place))
    .where(eq(systems.id, place.systemId))
  return found
}

/** All texts of a system, without their content. */
export const listTexts = (
  db: Db,
  systemId: string,
): Promise<Pick<StoredTexts, 'kind' | 'locale' | 'setBy'>[]> =>
  db
    .select({ kind: emailTexts.kind, locale: emailTexts.locale, setBy: emailTexts.setBy })
    .from(emailTexts)
    .where(eq(emailTexts.systemId, systemId))
    .orderBy(asc(emailTexts.kind), asc(emailTexts.locale))

/** The texts of a kind in a language; undefined where they are ours. */
export async function findTexts(db: Db, place: TextPlace): Promise<StoredTexts | undefined> {
  const [found] = await db.select().from(emailTexts).where(at(place))
  return found
}

/** Stores the texts of a row-locked system, instead of those before. */
export async function putTexts(
  tx: Db,
  place: TextPlace,
  texts: OwnTexts & Pick<StoredTexts, 'setBy'>,
): Promise<StoredTexts> {
  const [stored] = await tx
    .insert(emailTexts)
    .values({ ...place, ...texts })
    .onConflictDoUpdate({
      target: [emailTexts.systemId, emailTexts.kind, emailTexts.locale],
      set: { ...texts, updatedAt: sql`now()` },
    })
    .returning()
  return stored!
}

export async function deleteTexts(tx: Db, place: TextPlace): Promise<void> {
  await tx.delete(emailTexts).where(at(place))
}
