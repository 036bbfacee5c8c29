/** A product on a real server: its system, its users, and the SDK client of its backend. */
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type SignIn, startTestApp } from '../../server/test/support/testing.ts'
import { SOON } from '../../server/test/support/waiting.ts'
import { AccessError, createTenantry, type Options, type Tenantry } from '../src/index.ts'

export async function startProduct(t: TestContext, settings: Record<string, string> = {}) {
  const app = await startTestApp(t, settings)
  const system = await app.newSystem({ allowClientCredentials: true, multiAccount: true, skipConsent: true })
  const role = await app.newRole(system.id, { name: 'clerk', scopes: ['orders:read'] })
  const newMember = async (roles: string[] = []) => {
    const user = await app.newUser()
    const membership = await app.newMembership({ userId: user.id, systemId: system.id, roles })
    return { user, membership, signIn: async () => (await app.signIn(system, user as SignIn)).access_token }
  }
  const options = {
    issuer: app.url,
    clientId: system.clientId as string,
    clientSecret: system.clientSecret as string,
  }
  const newClient = (more: Partial<Options> = {}) => {
    const tenantry = createTenantry({ ...options, ...more })
    t.after(() => tenantry.close())
    return tenantry
  }
  return { ...app, system, role, newMember, options, newClient }
}

/** The code of the AccessError that a promise rejects with; otherwise its other outcome. */
export async function refusalOf(work: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    return { instead: await (typeof work === 'function' ? work() : work) }
  } catch (error) {
    return error instanceof AccessError ? error.code : error
  }
}

/**
 * Verifies a token for up to ten seconds, less than the feed takes to notice a dead connection: the error
 * code of its first rejection, or a text if it stays valid. `measure-revocation.ts` measures how long that
 * takes.
 */
export async function soon(tenantry: Tenantry, token: string): Promise<unknown> {
  for (const late = performance.now() + SOON.timeout; performance.now() < late; await wait(5)) {
    const refusal = await refusalOf(tenantry.verify(token))
    if (typeof refusal === 'string') return refusal
  }
  return 'never'
}
