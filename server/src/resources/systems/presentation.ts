import type { Db } from '../../database/database.ts'
import { preparedRead } from '../../database/prepared.ts'
import { type Branding, systems } from '../../database/schema.ts'
import { eq, sql } from '../../tuning/drizzle.ts'
import { open } from './queries.ts'

export type Presentation = { name: string; branding: Branding; multiAccount: boolean; open: boolean }

const presentation = preparedRead((db) =>
  db
    .select({ name: systems.name, branding: systems.branding, multiAccount: systems.multiAccount, open })
    .from(systems)
    .where(eq(systems.clientId, sql.placeholder('clientId')))
    .prepare('find_look'),
)

/** The part of a system that its sign-in pages display. */
export async function findPresentation(db: Db, clientId: string): Promise<Presentation | undefined> {
  const [row] = await presentation(db).execute({ clientId })
  return row
}
