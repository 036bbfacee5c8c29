/** Links between the members of an organization and their subjects at its connections. */
import type { Db } from '../../database/database.ts'
import { connectionLinks } from '../../database/schema.ts'

type Row = typeof connectionLinks.$inferSelect
export type NewLink = Pick<Row, 'accountId' | 'connectionId' | 'userId' | 'subject' | 'email' | 'groups'>

/**
 * Links a member, and returns the id. The membership is row-locked. Throws `link_taken`, `link_exists`,
 * `membership_not_found` or `connection_not_found`.
 */
export async function insertLink(tx: Db, link: NewLink): Promise<string> {
  const [linked] = await tx.insert(connectionLinks).values(link).returning({ id: connectionLinks.id })
  return linked!.id
}
