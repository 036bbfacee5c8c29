/** Two systems with users and callers, and the ids outside of each caller's authority. */
import { decodeJwt } from 'jose'
import { backgroundJobs, passkeys } from '../../src/database/schema.ts'
import type { Asker, Things } from './admin-requests.ts'
import type { AdminClient, startTestApp } from './testing.ts'

export type Party = Asker & {
  name: string
  /** The foreign ids within the caller's own system. */
  near: Things
  /** Ids of rows that the caller may read but not change, by table. */
  fixed: Record<string, string[]>
}

type App = Awaited<ReturnType<typeof startTestApp>>
type Account = { admin: AdminClient; signInMember(): Promise<AdminClient>; things: Things }

const together = (...all: Things[]): Things => {
  const kinds = new Set(all.flatMap(Object.keys))
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, [...new Set(all.flatMap((things) => things[kind] ?? []))]]),
  )
}

/** An account with an administrator and an ordinary member, both signed in. */
async function newAccount(app: App, system: { id: string }, ofSystem: Things): Promise<Account> {
  const [boss, clerk] = [await app.newUser({ name: `Boss ${crypto.randomUUID()}` }), await app.newUser()]
  const accountName = `Account ${crypto.randomUUID()}`
  const [adminRole, plainRole] = ofSystem.role!
  const first = await app.newMembership({
    userId: boss.id,
    systemId: system.id,
    accountName,
    roles: [adminRole],
  })
  const second = await app.newMembership({
    userId: clerk.id,
    accountId: first.accountId,
    roles: [plainRole],
    profiles: ofSystem.profile,
  })
  const invitation = await app.platform.post(`/admin/accounts/${first.accountId}/invitations`, {
    email: `${crypto.randomUUID()}@invited.example`,
  })
  const programs = `/admin/accounts/${first.accountId}/service-accounts`
  const { id: program } = (await app.platform.post(programs, { name: `Program ${crypto.randomUUID()}` })).body
  const key = await app.platform.post(`${programs}/${program}/keys`, {})
  const domain = await app.platform.post(`/admin/accounts/${first.accountId}/domains`, {
    name: `${crypto.randomUUID()}.example`,
  })
  const connection = await app.platform.post(`/admin/accounts/${first.accountId}/connections`, {
    ...{ name: `Connection ${crypto.randomUUID()}`, kind: 'oidc' },
  })
  const operator = await app.platform.post('/admin/operators', { userId: boss.id, level: 'viewer' })
  // A user who signs in with a password only has no second factor.
  const holder = await app.newUser()
  const third = await app.newMembership({ userId: holder.id, accountId: first.accountId })
  const factor = { userId: holder.id, publicKey: Buffer.from('key'), name: `Key ${crypto.randomUUID()}` }
  const factors = [ofSystem.system![0]!, null].map((systemId) => ({
    ...factor,
    id: crypto.randomUUID(),
    credentialId: crypto.randomUUID(),
    systemId,
  }))
  await app.db.insert(passkeys).values(factors)
  const signIn = async ({ email }: { email: string }) =>
    (await app.signIn(system as never, { email })).access_token
  const token = await signIn(boss)
  return {
    admin: app.as(token),
    signInMember: async () => app.as(await signIn(clerk)),
    things: {
      operator: [operator.body.id],
      invitation: [invitation.body.id],
      domain: [domain.body.id],
      connection: [connection.body.id],
      serviceAccount: [program],
      key: [key.body.id],
      factor: factors.map(({ id }) => id),
      account: [first.accountId],
      membership: [first.id, second.id, third.id],
      user: [boss.id, clerk.id, holder.id],
      session: [String(decodeJwt(token).sid)],
      search: [boss.email, clerk.email, holder.email],
      name: [boss.name, accountName],
    },
  }
}

async function newSystemWithAccounts(app: App, accounts: number) {
  const system = await app.newSystem({
    multiAccount: true,
    allowClientCredentials: true,
    allowServiceAccounts: true,
  })
  const roles = [await app.newRole(system.id, { isAdmin: true }), await app.newRole(system.id)]
  const profile = (
    await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: `p-${crypto.randomUUID()}` })
  ).body
  const testSignIn = await app.platform.post(`/admin/systems/${system.id}/test-sign-ins`, {})
  const job = await app.db
    .insert(backgroundJobs)
    .values({
      kind: 'end_sessions',
      systemId: system.id,
      targetType: 'system',
      targetId: system.id,
      total: 1,
      finishedAt: new Date(),
    })
    .returning({ id: backgroundJobs.id })
  const url = `https://${crypto.randomUUID()}.example/`
  const webhook = (await app.platform.post(`/admin/systems/${system.id}/webhooks`, { url })).body
  const ofSystem: Things = {
    system: [system.id],
    role: roles.map(({ id }) => id),
    profile: [profile.id],
    webhook: [webhook.id],
    testSignIn: [testSignIn.body.id],
    job: job.map(({ id }) => id),
    name: [url, system.name, system.clientId, profile.name, ...roles.map(({ name }) => name)],
  }
  const accountParties: Account[] = []
  for (let n = 0; n < accounts; n += 1) accountParties.push(await newAccount(app, system, ofSystem))
  return {
    ofSystem,
    accountParties,
    service: await app.serviceOf(system),
    all: together(ofSystem, ...accountParties.map(({ things }) => things)),
  }
}

/** Resources of the platform system. */
async function platformThings({ platform }: App): Promise<Things> {
  const { data } = (await platform.get('/admin/systems?pageSize=100&search=tenantry')).body
  const console = data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const members = (await platform.get(`/admin/memberships?systemId=${console.id}`)).body.data
  const roles = (await platform.get(`/admin/systems/${console.id}/roles`)).body
  return {
    system: [console.id],
    role: roles.map(({ id }: { id: string }) => id),
    membership: members.map(({ id }: { id: string }) => id),
    account: members.map(({ accountId }: { accountId: string }) => accountId),
    user: members.map(({ userId }: { userId: string }) => userId),
    search: members.map(({ user }: { user: { email: string } }) => user.email),
  }
}

/** The callers: services of two systems, administrators of two accounts, and an ordinary member. */
export async function newParties(app: App): Promise<Party[]> {
  const [shop, rival] = [await newSystemWithAccounts(app, 2), await newSystemWithAccounts(app, 1)]
  const platform = await platformThings(app)
  const [one, two] = shop.accountParties as [Account, Account]
  const fixed = {
    systems: shop.ofSystem.system!,
    roles: shop.ofSystem.role!,
    profiles: shop.ofSystem.profile!,
    users: one.things.user!.concat(two.things.user!),
  }
  const ofAccount = (name: string, mine: Account, other: Account): Party => ({
    name,
    client: mine.admin,
    own: together(mine.things, shop.ofSystem),
    foreign: together(other.things, rival.all, platform),
    near: other.things,
    fixed,
  })
  return [
    {
      name: 'service of a system',
      client: shop.service,
      own: shop.all,
      foreign: together(rival.all, platform),
      near: {},
      fixed: {},
    },
    {
      name: 'service of another',
      client: rival.service,
      own: rival.all,
      foreign: together(shop.all, platform),
      near: {},
      fixed: {},
    },
    ofAccount('admin of an account', one, two),
    ofAccount('admin of another', two, one),
    {
      name: 'member',
      client: await one.signInMember(),
      own: {},
      foreign: together(shop.all, rival.all, platform),
      near: {},
      fixed: {},
    },
  ]
}
