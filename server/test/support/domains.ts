/** Organizations with domains, a name server, and the worker that checks them. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { eq, sql } from '../../src/database/drizzle.ts'
import { domains } from '../../src/database/schema.ts'
import { requestedChecks } from '../../src/resources/domains/changes.ts'
import { startDomainWorker } from '../../src/resources/domains/worker.ts'
import { startDnsServer } from './dns-server.ts'
import { type AdminClient, type Body, expectStatus } from './http.ts'
import type { startTestApp } from './testing.ts'
import { SOON } from './waiting.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
/** A domain that no other test has. */
export const newName = (): string => `${randomBytes(8).toString('hex')}.example`

/** A name server, and a worker that asks it. */
export async function startChecks(t: TestContext, { db, seal, app }: App) {
  const dns = await startDnsServer(t)
  const config = { BASE_URL: 'https://id.example', DNS_RESOLVERS: [dns.address] }
  const worker = startDomainWorker({ db, seal, config, log: app.log })
  t.after(() => worker.stop())
  const read = async (client: AdminClient, path: string): Promise<Body> =>
    expectStatus(await client.get(path), 200).body
  /** Waits until the check that is due is done. */
  const result = (client: AdminClient, path: string): Promise<Body> =>
    t.waitFor(async () => {
      const domain = await read(client, path)
      if (domain.checking) throw new Error(`${domain.name} is still checked`)
      return domain
    }, SOON)
  /** Has the domain checked now, however often. */
  const check = async (client: AdminClient, path: string): Promise<Body> => {
    const id = path.split('/').at(-1)!
    await db.update(domains).set({ nextAttemptAt: sql`now()` }).where(eq(domains.id, id))
    requestedChecks.emit('check')
    return result(client, path)
  }
  /** Publishes the record of a domain. */
  const publish = ({ record }: Body, value: string = record.value) => dns.set(record.name, [value])
  return { dns, worker, result, check, publish }
}

/** An organization of a system whose admins may set up single sign-on, and clients of each authority. */
export async function newOrganization(app: App, fields: object = {}) {
  const system = await app.newSystem({
    multiAccount: true,
    allowClientCredentials: true,
    organizationSso: 'account',
    ...fields,
  })
  const role = await app.newRole(system.id, { isAdmin: true })
  const service = await app.serviceOf(system as never)
  const join = async () => {
    const user = await app.newUser()
    const place = { systemId: system.id, accountName: `Acme ${randomBytes(4).toString('hex')}` }
    const { accountId } = await app.newMembership({ userId: user.id, roles: [role.id], ...place })
    const admin = app.as((await app.signIn(system as never, { email: user.email })).access_token)
    return { user, accountId: String(accountId), admin, path: `/admin/accounts/${accountId}/domains` }
  }
  return { system, service, join, ...(await join()) }
}

export async function addDomain(
  client: AdminClient,
  path: string,
  body: object,
): Promise<Body & { path: string }> {
  const domain = expectStatus(await client.post(path, body), 201).body
  return { ...domain, path: `${path}/${domain.id}` }
}
