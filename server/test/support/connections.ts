/** Connections of organizations. */
import { eq, sql } from '../../src/database/drizzle.ts'
import { connections } from '../../src/database/schema.ts'
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

/** As after a test that succeeded. */
export const noteTested = (app: App, id: string) =>
  app.db.update(connections).set({ testedAt: sql`now()` }).where(eq(connections.id, id))
