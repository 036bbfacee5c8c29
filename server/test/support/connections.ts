/** Connections of organizations. */
import { decodeJwt } from 'jose'
import { eq, sql } from '../../src/database/drizzle.ts'
import { accounts, connections, domains, sessions } from '../../src/database/schema.ts'
import { insertLink } from '../../src/resources/connections/links.ts'
import { newName, newOrganization } from './domains.ts'
import { type AdminClient, expectStatus } from './http.ts'
import type { startTestApp } from './testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** An organization whose admins may set up single sign-on, and its connections. */
export async function newPlace(app: App, fields: object = {}) {
  const place = await newOrganization(app, fields)
  const path = `/admin/accounts/${place.accountId}/connections`
  const add = async (client: AdminClient, more: object = {}) => {
    const body = { name: newName(), kind: 'oidc', ...more }
    const { id, ...created } = expectStatus(await client.post(path, body), 201).body
    return { ...created, id: String(id), path: `${path}/${id}` }
  }
  return { ...place, path, add }
}

/** The domain of an address, verified by an account. */
export async function noteVerified(app: App, accountId: string, email: string): Promise<void> {
  const [account] = await app.db.select().from(accounts).where(eq(accounts.id, accountId))
  const name = email.slice(email.lastIndexOf('@') + 1)
  const domain = { systemId: account!.systemId, accountId, name, setBy: 'platform' as const }
  await app.db
    .insert(domains)
    .values({ ...domain, word: 'tenantry', token: newName(), status: 'verified', verifiedAt: sql`now()` })
    .onConflictDoNothing()
}

type Member = { accountId: string; userId: string; email: string }

/** Links a member as a sign-in does. Returns the id of the link. */
export const linkMember = (
  app: Pick<App, 'db'>,
  { subject = newName(), ...link }: Member & { connectionId: string; subject?: string },
): Promise<string> => insertLink(app.db, { ...link, subject, groups: [] })

/** As if the connection had opened the session of a token. */
export async function noteOpenedBy(app: App, token: string, connectionId: string): Promise<void> {
  const sid = String(decodeJwt(token).sid)
  await app.db.update(sessions).set({ connectionId }).where(eq(sessions.sid, sid))
}

/** As after a test that succeeded. */
export const noteTested = (app: Pick<App, 'db'>, id: string) =>
  app.db.update(connections).set({ testedAt: sql`now()` }).where(eq(connections.id, id))
