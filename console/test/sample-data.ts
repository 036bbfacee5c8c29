/** An installation with applications, organizations and a week of sign-ins, for pictures of the console. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from '../../server/src/database/drizzle.ts'
import {
  activity,
  connectionAttempts,
  connections,
  counters,
  domains,
} from '../../server/src/database/schema.ts'
import { ALL_SYSTEMS } from '../../server/src/journal/stats/count.ts'
import { linkMember, noteTested } from '../../server/test/support/connections.ts'
import { signInToConsole } from '../../server/test/support/console.ts'
import { expectStatus } from '../../server/test/support/http.ts'
import type { Driver } from '../../server/test/support/testing.ts'

const NAMES =
  'Ana Lima, Rui Alves, Marta Silva, Jonas Weber, Aiko Tanaka, Claire Moreau, Diego Torres, Emma Fischer, Hugo Bernard, Inês Costa, Kenji Mori, Laura Gómez, Lukas Braun, Maya Patel, Noah Keller, Olivia Marsh, Pedro Rocha, Sofia Nunes, Tom Becker, Yuki Sato'.split(
    ', ',
  )
const ORGANIZATIONS = ['Northsea Shipping', 'Acme Tools', 'Globex Foods', 'Alpine Hotels'] as const

const emailOf = (name: string, domain: string) =>
  `${name
    .normalize('NFD')
    .replace(/[^\w ]/g, '')
    .toLowerCase()
    .replace(' ', '.')}@${domain}`

export type Sample = Awaited<ReturnType<typeof newSample>>

export async function newSample(app: Driver) {
  const systems = await newSystems(app)
  const people = await newPeople(app, systems.orders)
  const hook = await startHook()
  const webhook = await newWebhooks(app, systems.orders.id, hook)
  await signInAll(app, systems.orders, people.users)
  const connectionId = await newPending(app, people.accountIds[1]!)
  await insertWeek(app, systems.orders.id)
  const admin = (await app.newUser({ name: 'Admin', email: 'admin@example.com' })) as {
    id: string
    email: string
  }
  await app.platform.post('/admin/operators', { userId: admin.id, level: 'admin', systemId: null })
  const operator = { browser: app.newBrowser() }
  await signInToConsole(operator.browser, admin)
  const adminBrowser = app.newBrowser()
  await signInToConsole(adminBrowser, people.users[0]!)
  hook.close()
  await newDeliveries(app, systems.orders.id, webhook.id)
  return {
    ...systems,
    ...people,
    connectionId,
    webhook,
    operator,
    adminBrowser,
    accountId: people.accountIds[0]!,
  }
}

async function newSystems(app: Driver) {
  const own = { skipConsent: true }
  const orders = await app.newSystem({
    ...own,
    name: 'Orders',
    multiAccount: true,
    allowServiceAccounts: true,
    allowSelfRegister: true,
    requireAdminActivation: true,
    redirectUris: ['https://orders.example.com/callback'],
  })
  await app.newSystem({ ...own, name: 'Storefront', clientType: 'public', allowSelfRegister: true })
  await app.newSystem({ ...own, name: 'Field app', clientType: 'public', requireMfa: true })
  await app.newSystem({ name: 'Nightly sync', allowClientCredentials: true, redirectUris: [] })
  const fresh = await app.newSystem({ ...own, name: 'Handbook', redirectUris: [] })
  return { orders, fresh }
}

async function newPeople(app: Driver, orders: { id: string }) {
  const role = (name: string, fields: object) => app.newRole(orders.id, { name, ...fields })
  const admin = await role('Administrator', { isAdmin: true })
  const others = [
    await role('Accountant', { scopes: ['invoices:read', 'invoices:write'] }),
    await role('Buyer', { scopes: ['orders:write'] }),
    await role('Viewer', {}),
  ]
  const users: { id: string; email: string }[] = []
  const accountIds: string[] = []
  for (const [index, name] of NAMES.entries()) {
    const at = index % ORGANIZATIONS.length
    const domain = `${ORGANIZATIONS[at]!.split(' ')[0]!.toLowerCase()}.example`
    const user = await app.newUser({ name, email: emailOf(name, domain), emailVerified: index % 5 !== 3 })
    users.push(user as { id: string; email: string })
    const roles = index < 3 ? [admin.id] : [others[index % 3]!.id]
    const accountId = accountIds[at]
    const where = accountId ? { accountId } : { systemId: orders.id, accountName: ORGANIZATIONS[at] }
    const status = index > 15 ? 'pending' : index === 9 ? 'blocked' : 'active'
    const membership = await app.newMembership({ userId: user.id, ...where, roles, status })
    accountIds[at] = String(membership.accountId)
  }
  return { users, accountIds }
}

/** Invitations, a domain that no worker checks, connections, and a service account with a key. */
async function newPending(app: Driver, accountId: string) {
  const at = `/admin/accounts/${accountId}`
  for (const email of ['noor@acme.example', 'sam@acme.example'])
    await app.platform.post(`${at}/invitations`, { email })
  await app.platform.post(`${at}/domains`, { name: 'acme.example' })
  await app.db.update(domains).set({ nextAttemptAt: null })
  const connectionId = await newConnection(app, accountId)
  const { body } = await app.platform.post(`${at}/service-accounts`, { name: 'Nightly export' })
  await app.platform.post(`${at}/service-accounts/${body.id}/keys`, { expiresIn: 7_776_000 })
  return connectionId
}

/** One that is on, with its members and a log, and a draft. */
async function newConnection(app: Driver, accountId: string): Promise<string> {
  const path = `/admin/accounts/${accountId}/connections`
  await app.platform.post(path, { name: 'Microsoft Entra ID', kind: 'oidc', subjectAttribute: 'oid' })
  const { body } = await app.platform.post(path, {
    ...{ name: 'Okta', kind: 'oidc', issuer: 'https://acme.okta.com', clientId: '0oa1b2c3d4' },
    ...{ clientSecret: 'sample', secretExpiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString() },
    ...{ jit: true, requiredClaims: { department: ['sales', 'support'] } },
  })
  const id = String(body.id)
  await noteTested(app, id)
  await app.platform.patch(`${path}/${id}`, { enabled: true })
  await app.db
    .update(connections)
    .set({ lastError: 'not_member', lastUsedAt: sql`now() - interval '2 hours'` })
    .where(sql`id = ${id}`)
  const { data } = (await app.platform.get(`/admin/memberships?accountId=${accountId}&pageSize=4`)).body
  for (const { userId, user } of data as { userId: string; user: { email: string } }[]) {
    const subject = `00u${userId.replaceAll('-', '').slice(0, 12)}`
    await linkMember(app, { accountId, connectionId: id, userId, email: user.email, subject })
    const attempt = { connectionId: id, subject, email: user.email, requestId: crypto.randomUUID() }
    await app.db.insert(connectionAttempts).values([{ ...attempt, outcome: 'signed_in', code: null }])
  }
  const stranger = { connectionId: id, subject: '00u9z8y7x6w5', requestId: crypto.randomUUID() }
  await app.db.insert(connectionAttempts).values([
    { ...stranger, outcome: 'refused', code: 'not_member', email: 'noor@acme.example' },
    { ...stranger, outcome: 'tested', code: null, email: 'it@acme.example' },
    { ...stranger, outcome: 'refused', code: 'provider_refused', email: null, subject: null },
  ])
  return id
}

/** A receiver that answers every third message with an error. */
async function startHook(): Promise<Server> {
  let count = 0
  const server = createServer((_, response) => {
    count += 1
    response.writeHead(count % 3 === 0 ? 500 : 204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function newWebhooks(app: Driver, systemId: string, hook: Server) {
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/tenantry`
  const at = `/admin/systems/${systemId}/webhooks`
  await app.platform.post(at, { url: 'https://crm.example.com/hooks', events: ['user.updated'] })
  return expectStatus(await app.platform.post(at, { url }), 201).body as { id: string }
}

async function signInAll(
  app: Driver,
  orders: Parameters<Driver['authorize']>[0],
  users: { email: string }[],
) {
  for (const { email } of users.slice(0, 14)) await app.authorize(orders, { email })
  for (const { email } of users.slice(2, 6)) await app.authorize(orders, { email, password: 'forgotten' })
}

/** Numbers of a week: more by day than at night, few at weekends. */
async function insertWeek({ db }: Driver, systemId: string) {
  const row = (name: string, key: string, share: string) => sql`
    insert into ${counters} (hour, system_id, name, key, count)
    select hour, s.id, ${name}, ${key}, ceil(${sql.raw(share)} * (0.4 + random() * 0.3) *
      case when extract(hour from hour) between 7 and 18 then 60 else 6 end *
      case when extract(isodow from hour) > 5 then 0.3 else 1 end)
    from generate_series(date_trunc('hour', now(), 'UTC') - interval '8 days', date_trunc('hour', now(), 'UTC'), interval '1 hour') hour,
      unnest(array[${systemId}, ${ALL_SYSTEMS}]::uuid[]) s(id)
    on conflict (system_id, name, hour, key) do update set count = counters.count + excluded.count`
  for (const [name, key, share] of [
    ['sign_ins', 'password', '1'],
    ['sign_ins', 'passkey', '0.4'],
    ['failures', 'password', '0.12'],
    ['failures', 'unknown', '0.05'],
    ['tokens', 'authorization_code', '1.4'],
    ['tokens', 'refresh_token', '4'],
  ] as const)
    await db.execute(row(name, key, share))
  await db.execute(sql`
    insert into ${activity} (system_id, user_id, day, days)
    select system_id, user_id, (now() at time zone 'UTC')::date, 5 from system_users where system_id = ${systemId}
    on conflict do nothing`)
}

/** What was sent to a webhook: no worker runs beside the sample. */
const newDeliveries = (app: Driver, systemId: string, webhookId: string) =>
  app.db.execute(sql`with sent as (
      insert into deliveries (webhook_id, event_seq, ordered_by, status, finished_at)
      select ${webhookId}::uuid, seq, id, case when seq % 7 = 0 then 'failed' else 'delivered' end, now() from events
      where system_id = ${systemId} and type like 'user.access%' returning id, status)
    insert into delivery_attempts (delivery_id, started_at, duration_ms, status)
    select id, now(), 40 + 20 * random(), case status when 'failed' then 500 else 204 end from sent`)
