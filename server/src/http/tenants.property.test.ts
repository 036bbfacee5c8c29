/**
 * Two accounts whose admins are hostile, in one system and in two, with tokens and on the pages of their
 * organizations. Each request that names something of the other, or a stranger, is sent again with what
 * does not exist: the two are answered alike. Each act runs once in a fixed order, so that no run leaves one
 * out, and then at random. reach.property.test.ts sends every operation, by one admin.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { credentialsOf, foreignRows } from '../../test/support/foreign-rows.ts'
import { newAddress } from '../../test/support/invitations.ts'
import { csrfOf, visitorOf } from '../../test/support/organizations.ts'
import { type Answer, type Driver, startTestApp } from '../../test/support/testing.ts'

/** Sequences in each of the two worlds. */
const RUNS = 2

/** The pair of the member of the other who is signed in there, and whom a tenant of the system can add. */
const SIGNED_IN = 2

/** Something that exists, and what stands for it but does not. `userId`: the user that it is or is of. */
type Pair = { known: string; unknown: string; userId?: string }
type Kind =
  | 'own'
  | 'address'
  | 'user'
  | 'membership'
  | 'account'
  | 'invitation'
  | 'role'
  | 'program'
  | 'key'
  | 'session'
type Tenant = Awaited<ReturnType<typeof newTenant>>
type World = { app: Driver; tenants: [Tenant, Tenant]; strangers: string[]; isOneSystem: boolean }
/** A tenant who acts, and what is not its own. */
type Hostile = {
  tenant: Tenant
  other: Tenant
  pairs: Record<Kind, Pair[]>
  /** Users of the other who are its members as well: any member of its system can be added by id. */
  shared: Set<string>
}

/** A system with an admin role, another one, and a profile. */
async function newPlace(app: Driver) {
  const system = await app.newSystem({
    multiAccount: true,
    skipConsent: true,
    allowClientCredentials: true,
    allowServiceAccounts: true,
  })
  const roles = [(await app.newRole(system.id, { isAdmin: true })).id, (await app.newRole(system.id)).id]
  const { id: profile } = (await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'nurse' }))
    .body
  return { system, roles, profile: String(profile) }
}

async function newTenant(app: Driver, { system, roles, profile }: Awaited<ReturnType<typeof newPlace>>) {
  const service = await app.serviceOf(system as never)
  const join = async (place: object, given: string[]) => {
    const [user, name] = [await app.newUser(), `Name ${crypto.randomUUID()}`]
    const membership = await app.newMembership({ userId: user.id, roles: given, status: 'active', ...place })
    await service.patch(`/admin/users/${user.id}`, { name })
    return { id: String(user.id), email: String(user.email), name, membership }
  }
  const accountName = `Account ${crypto.randomUUID()}`
  const boss = await join({ systemId: system.id, accountName }, [roles[0]!])
  const accountId = String(boss.membership.accountId)
  const clerk = await join({ accountId, profiles: [profile] }, [])
  const colleague = await join({ accountId, profiles: [profile] }, [])
  const visit = await app.signIn(system as never, { email: colleague.email })
  const { access_token } = await app.signIn(system as never, { email: boss.email })
  const { browser, open } = await visitorOf(app, { accountId }, boss)
  const [client, csrf] = [app.as(access_token), csrfOf(await open())]
  const [guest, message] = [newAddress(), `Hello ${crypto.randomUUID()}`]
  const path = `/admin/accounts/${accountId}/invitations`
  const invitation = (await client.post(path, { email: guest, message, roles: [roles[1]] })).body
  const pages = `/account/organizations/${accountId}`
  const programs = `/admin/accounts/${accountId}/service-accounts`
  const name = `Program ${crypto.randomUUID()}`
  const { id: programId, clientId } = (await client.post(programs, { name, roles: [roles[1]] })).body
  const key = (await client.post(`${programs}/${programId}/keys`, {})).body
  const program = { id: String(programId), keyId: String(key.id) }
  const users = [boss, clerk, colleague]
  const names = users.map(({ name }) => name)
  const secrets = [accountName, guest, message, ...names, ...(await tokensTo(app, [guest]))]
  const session = String(decodeJwt(visit.access_token).sid)
  return {
    client,
    browser,
    csrf,
    systemId: String(system.id),
    accountId,
    path,
    pages,
    programs,
    users,
    boss,
    clerk,
    roles,
    invitation,
    program,
    session,
    secrets: [...secrets, name, clientId, key.secret],
  }
}

/** The tokens of the links in the emails to addresses. */
async function tokensTo(app: Driver, addresses: string[]): Promise<string[]> {
  const mails = (await Promise.all(addresses.map((each) => app.emailsTo(each)))).flat()
  return mails.flatMap(({ text }) => [...text.matchAll(/token=([\w-]{43})/g)].map(([, token]) => token!))
}

async function newWorld(app: Driver, isOneSystem: boolean): Promise<World> {
  const place = await newPlace(app)
  const tenants: [Tenant, Tenant] = [
    await newTenant(app, place),
    await newTenant(app, isOneSystem ? place : await newPlace(app)),
  ]
  const elsewhere = await app.newMember()
  const alone = await app.newUser({ password: undefined, emailVerified: true, locale: 'ja' })
  return { app, tenants, strangers: [elsewhere.user.id, alone.id], isOneSystem }
}

/** The key of a service account, below the path of the service accounts. */
const keyPair = ({ program }: Tenant): Pair => ({
  known: `${program.id}/keys/${program.keyId}`,
  unknown: `${crypto.randomUUID()}/keys/${crypto.randomUUID()}`,
})
const partsOf = (key: string) => {
  const [programId, , keyId = ''] = key.split('/')
  return { programId, keyId }
}

async function hostileIn({ app, tenants, strangers, isOneSystem }: World, which: 0 | 1): Promise<Hostile> {
  const [tenant, other] = [tenants[which], tenants[1 - which]!]
  const id = (known: string, userId?: string): Pair => ({
    known,
    unknown: crypto.randomUUID(),
    ...(userId && { userId }),
  })
  const addressOf = async (userId: string) => (await app.platform.get(`/admin/users/${userId}`)).body.email
  const users = [...other.users.map((user) => user.id), ...strangers]
  const addresses = users.map(async (userId) => ({
    known: await addressOf(userId),
    unknown: newAddress(),
    userId,
  }))
  const pairs = {
    own: [{ known: 'own', unknown: 'own' }],
    address: await Promise.all(addresses),
    user: users.map((userId) => id(userId, userId)),
    membership: other.users.map((user) => id(user.membership.id)),
    account: [id(other.accountId)],
    invitation: [id(other.invitation.id)],
    role: isOneSystem ? [id(crypto.randomUUID())] : other.roles.map((role) => id(role)),
    program: [id(other.program.id)],
    key: [keyPair(other)],
    session: [{ known: other.session, unknown: randomBytes(32).toString('base64url') }],
  }
  return { tenant, other, pairs, shared: new Set() }
}

type Act = { kind: Kind; run: (tenant: Tenant, value: string) => Promise<Answer> }

const act = (kind: Kind, run: Act['run']): Act => ({ kind, run })
const read = (kind: Kind, pathOf: (value: string, tenant: Tenant) => string): Act =>
  act(kind, (tenant, value) => tenant.client.get(pathOf(value, tenant)))
const open = (kind: Kind, pathOf: (value: string, tenant: Tenant) => string): Act =>
  act(kind, ({ browser, ...tenant }, value) => browser.get(pathOf(value, { browser, ...tenant })))
const submit = (kind: Kind, pathOf: (value: string, tenant: Tenant) => string, fields: object = {}): Act =>
  act(kind, (tenant, value) =>
    tenant.browser.post(pathOf(value, tenant), { csrf: tenant.csrf, ...filled(fields, value) }),
  )
/** `*` stands for the value. */
const filled = (fields: object, value: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, String(each).replace('*', value)]))

/** The tenant's own invitation of an address, changed by its id. */
const ofInvitation = (change: (tenant: Tenant, id: string) => Promise<Answer>): Act =>
  act('address', async (tenant, email) => {
    const { body } = await tenant.client.get(`${tenant.path}?search=${email}&status=pending`)
    return body.data[0] ? change(tenant, body.data[0].id) : { status: 0, headers: new Headers(), body }
  })
/** On the pages of the tenant: a service account, or one of its forms. */
const ofProgram = (path: string, fields?: object): Act => {
  const at = (id: string, { pages }: Tenant) => `${pages}/service-accounts/${id}${path}`
  return fields ? submit('program', at, fields) : open('program', at)
}
const elsewhere = (account: string) => `/admin/accounts/${account}`
const organization = (account: string, page: string) => `/account/organizations/${account}${page}`

const ACTS: Record<string, Act> = {
  blockOwn: act('own', ({ client, clerk }) =>
    client.patch(`/admin/memberships/${clerk.membership.id}`, { status: 'blocked' }),
  ),
  setPasswordOfOwn: act('own', ({ client, clerk }) =>
    client.post(`/admin/users/${clerk.id}/set-password`, { password: 'words of the own admin' }),
  ),
  resetPasswordOfOwn: act('own', ({ client, clerk }) =>
    client.post(`/admin/users/${clerk.id}/send-password-reset`),
  ),
  unblockOwn: act('own', ({ client, clerk }) =>
    client.patch(`/admin/memberships/${clerk.membership.id}`, { status: 'active' }),
  ),
  listOwn: read('own', (_, { accountId }) => `${elsewhere(accountId)}/members`),
  readOwnAudit: read('own', () => '/admin/audit?pageSize=100'),
  openOwnMembers: open('own', (_, { pages }) => `${pages}/members`),
  openOwnInvitations: open('own', (_, { pages }) => `${pages}/invitations`),
  invite: act('address', ({ client, path, roles }, email) => client.post(path, { email, roles: [roles[1]] })),
  inviteSeveral: act('address', ({ client, path }, email) =>
    client.post(`${path}/batch`, { invitations: [{ email }, { email: `${email}.` }] }),
  ),
  inviteForLink: act('address', ({ client, path }, email) => client.post(path, { email, notify: false })),
  inviteOnPage: submit('address', (_, { pages }) => `${pages}/invitations`, { emails: '*' }),
  resend: ofInvitation(({ client, path }, id) => client.post(`${path}/${id}/resend`)),
  revoke: ofInvitation(({ client, path }, id) => client.delete(`${path}/${id}`)),
  resendOnPage: ofInvitation(({ browser, pages, csrf }, resend) =>
    browser.post(`${pages}/invitations/change`, { csrf, resend }),
  ),
  searchInvitations: read('address', (email, { path }) => `${path}?search=${email}`),
  searchMembers: read('address', (email) => `/admin/memberships?search=${email}`),
  searchUsers: read('address', (email) => `/admin/users?email=${email}`),
  searchAudit: read('address', (email) => `/admin/audit?actor=${email}`),
  searchOnPage: open('address', (email, { pages }) => `${pages}/members?search=${email}`),
  addAddress: act('address', ({ client, accountId }, email) =>
    client.post('/admin/memberships', { email, accountId }),
  ),
  add: act('user', ({ client, accountId }, userId) =>
    client.post('/admin/memberships', { userId, accountId }),
  ),
  findMemberships: read('user', (id) => `/admin/memberships?userId=${id}`),
  findSessions: read('user', (id) => `/admin/sessions?userId=${id}`),
  findEntries: read('user', (id) => `/admin/audit?actorId=${id}`),
  readUser: read('user', (id) => `/admin/users/${id}`),
  setPassword: act('user', ({ client }, id) =>
    client.post(`/admin/users/${id}/set-password`, { password: 'words of the other tenant' }),
  ),
  endSessions: act('user', ({ client }, id) => client.delete(`/admin/sessions/by-user/${id}`)),
  block: act('membership', ({ client }, id) =>
    client.patch(`/admin/memberships/${id}`, { status: 'blocked' }),
  ),
  demote: act('membership', ({ client }, id) =>
    client.patch(`/admin/memberships/${id}/roles`, { roles: [] }),
  ),
  remove: act('membership', ({ client }, id) => client.delete(`/admin/memberships/${id}`)),
  openMember: open('membership', (id, { pages }) => `${pages}/members/${id}`),
  blockOnPage: submit('membership', (id, { pages }) => `${pages}/members/${id}/status`, { action: 'block' }),
  demoteOnPage: submit('membership', (id, { pages }) => `${pages}/members/${id}/roles`),
  removeOnPage: submit('membership', (id, { pages }) => `${pages}/members/${id}/remove`),
  handOver: submit('membership', (id, { pages }) => `${pages}/members/${id}/hand-over`),
  readAccount: read('account', elsewhere),
  listMembers: read('account', (id) => `${elsewhere(id)}/members`),
  listInvitations: read('account', (id) => `${elsewhere(id)}/invitations`),
  rename: act('account', ({ client }, id) => client.patch(elsewhere(id), { name: 'Taken over' })),
  inviteElsewhere: act('account', ({ client, clerk }, id) =>
    client.post(`${elsewhere(id)}/invitations`, { email: clerk.email }),
  ),
  addElsewhere: act('account', ({ client, clerk }, accountId) =>
    client.post('/admin/memberships', { userId: clerk.id, accountId }),
  ),
  openOrganization: open('account', (id) => organization(id, '')),
  openMembers: open('account', (id) => organization(id, '/members')),
  openInvitations: open('account', (id) => organization(id, '/invitations')),
  renameOnPage: submit('account', (id) => organization(id, '/settings'), { name: 'Taken over' }),
  leave: submit('account', (id) => organization(id, '/leave')),
  inviteThere: submit('account', (id) => organization(id, '/invitations'), { emails: 'me@invited.example' }),
  readInvitation: read('invitation', (id, { path }) => `${path}/${id}`),
  resendForeign: act('invitation', ({ client, path }, id) => client.post(`${path}/${id}/resend`)),
  revokeForeign: act('invitation', ({ client, path }, id) => client.delete(`${path}/${id}`)),
  resendForeignOnPage: submit('invitation', (_, { pages }) => `${pages}/invitations/change`, { resend: '*' }),
  revokeForeignOnPage: submit('invitation', (_, { pages }) => `${pages}/invitations/change`, { revoke: '*' }),
  inviteWithRole: act('role', ({ client, path }, role) =>
    client.post(path, { email: 'someone@invited.example', roles: [role] }),
  ),
  assignRole: act('role', ({ client, clerk }, role) =>
    client.patch(`/admin/memberships/${clerk.membership.id}/roles`, { add: [role] }),
  ),
  programWithRole: act('role', ({ client, programs }, role) =>
    client.post(programs, { name: 'More', roles: [role] }),
  ),
  createOwnKey: act('own', ({ client, programs, program }) =>
    client.post(`${programs}/${program.id}/keys`, {}),
  ),
  listOwnPrograms: read('own', (_, { programs }) => programs),
  openOwnPrograms: open('own', (_, { pages }) => `${pages}/service-accounts`),
  openOwnActivity: open('own', (_, { pages }) => `${pages}/activity`),
  listPrograms: read('account', (id) => `${elsewhere(id)}/service-accounts`),
  createProgram: act('account', ({ client }, id) =>
    client.post(`${elsewhere(id)}/service-accounts`, { name: 'Mine' }),
  ),
  openPrograms: open('account', (id) => organization(id, '/service-accounts')),
  openActivity: open('account', (id) => organization(id, '/activity')),
  createProgramThere: submit('account', (id) => organization(id, '/service-accounts/new'), { name: 'Mine' }),
  readProgram: read('program', (id, { programs }) => `${programs}/${id}`),
  disableProgram: act('program', ({ client, programs }, id) =>
    client.patch(`${programs}/${id}`, { disabled: true }),
  ),
  deleteProgram: act('program', ({ client, programs }, id) => client.delete(`${programs}/${id}`)),
  createKey: act('program', ({ client, programs }, id) => client.post(`${programs}/${id}/keys`, {})),
  openProgram: ofProgram(''),
  createKeyOnPage: ofProgram('', { expiresIn: '0', once: randomBytes(32).toString('base64url') }),
  editOnPage: ofProgram('/edit', { name: 'Taken over' }),
  disableOnPage: ofProgram('/disable', {}),
  deleteOnPage: ofProgram('/delete', {}),
  revokeKey: act('key', ({ client, programs }, key) => client.delete(`${programs}/${key}`)),
  revokeKeyOfOwn: act('key', ({ client, programs, program }, key) =>
    client.delete(`${programs}/${program.id}/keys/${partsOf(key).keyId}`),
  ),
  revokeKeyOnPage: act('key', ({ browser, pages, csrf }, key) =>
    browser.post(`${pages}/service-accounts/${partsOf(key).programId}/revoke`, {
      csrf,
      key: partsOf(key).keyId,
    }),
  ),
  endSession: act('session', ({ client }, sid) => client.delete(`/admin/sessions/${sid}`)),
  nameThings: act('program', ({ client }, id) => client.get(`/admin/names?ids=${id}`)),
  nameInvitation: read('invitation', (id) => `/admin/names?ids=${id}`),
  nameUser: read('user', (id) => `/admin/names?ids=${id}`),
}

/** What differs between any two answers is left out. */
const masked = ({ status, headers, body }: Answer, { known, unknown }: Pair): string =>
  JSON.stringify([status, headers.get('location'), [...headers.keys()].sort(), body])
    .replace(/"avatar[^<]*</g, 'AVATAR<') // drawn from the address, as the sender has given it
    .replaceAll(known, 'VALUE')
    .replaceAll(unknown, 'VALUE')
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

const step = fc.record({
  by: fc.constantFrom(0 as const, 1 as const),
  act: fc.constantFrom(...Object.keys(ACTS)),
  n: fc.nat({ max: 11 }),
})

for (const [where, isOneSystem] of [
  ['one system', true],
  ['two systems', false],
] as const)
  test(`P36, P63: of two hostile accounts in ${where}, neither gets anything of the other`, async (t) => {
    const app = await startTestApp(t)
    const world = await newWorld(app, isOneSystem)
    const both = [await hostileIn(world, 0), await hostileIn(world, 1)] as const

    for (const name of Object.keys(ACTS)) await attempt(world, both[0], name, SIGNED_IN)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
        for (const { by, act: name, n } of steps) await attempt(world, both[by], name, n)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
    for (const { pairs } of both)
      for (const { unknown } of pairs.address)
        assert.deepEqual((await app.platform.get(`/admin/users?email=${unknown}`)).body.data, [])
  })

async function attempt({ app, strangers, isOneSystem }: World, hostile: Hostile, name: string, n: number) {
  const { tenant, other, pairs, shared } = hostile
  const { kind, run } = ACTS[name]!
  const pair = pairs[kind][n % pairs[kind].length]!
  // The admin of the other would be a member here, and read what members do.
  if (isOneSystem && name === 'add' && pair.userId === other.boss.id) return
  const foreign = {
    accountId: tenant.accountId,
    other: { accountId: other.accountId, systemIds: [tenant.systemId, other.systemId] },
    users: [...other.users.map(({ id }) => id), ...strangers],
  }
  const before = await foreignRows(app, foreign)
  const credentials = await credentialsOf(app, tenant.clerk.id)

  const answers = [await run(tenant, pair.known), await run(tenant, pair.unknown)]

  const [ofKnown, ofUnknown] = answers as [Answer, Answer]
  const canAdd = isOneSystem && other.users.some(({ id }) => id === pair.userId)
  if (name === 'add' && canAdd && ofKnown.status === 201) shared.add(pair.userId!)
  if (kind !== 'own' && !shared.has(pair.userId ?? ''))
    assert.equal(masked(ofKnown, pair), masked(ofUnknown, pair), `${name} tells whether it exists`)
  const secrets = other.secrets.concat(await tokensTo(app, addressesOf(hostile)))
  const known = other.users.filter(({ id }) => shared.has(id)).map((user) => user.name)
  for (const { status, headers, body } of answers) {
    assert.ok(status < 500, `${name}: ${status}`)
    const text = `${headers.get('location')} ${JSON.stringify(body)}`
    assert.doesNotMatch(text, /token=[\w-]{43}/, `${name} returns a link`)
    const found = secrets.filter((secret) => text.includes(secret) && !known.includes(secret))
    assert.deepEqual(found, [], `${name} reveals something`)
  }
  assert.deepEqual(await foreignRows(app, foreign), before, `${name} changes something`)
  assert.deepEqual(await credentialsOf(app, tenant.clerk.id), credentials, `${name} makes a credential`)
}

/** The addresses that the tenant invites and whose mailboxes it does not have. */
const addressesOf = ({ pairs }: Hostile) => pairs.address.flatMap(({ known, unknown }) => [known, unknown])
