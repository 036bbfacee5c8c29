import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { newOperator } from '../../test/support/console.ts'
import { readDocument } from '../../test/support/openapi.ts'
import { newTeam, text } from '../../test/support/organizations.ts'
import { type AdminClient, type Driver, startTestApp } from '../../test/support/testing.ts'
import { classNamed, classOf, demandDeclared, OPERATION_NAMES, type OperationName } from './power.ts'

type Request = { name: OperationName; path: string; body?: unknown; isAsked: boolean; type?: string }
type Documented = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example: object }> } }>>
}

/** Valid values of fields of class `power`; those of `{ power }` are in the declaration. */
const VALUES: Record<string, unknown> = {
  name: 'Other',
  emailFrom: 'orders@other.example',
  emailReplyTo: 'help@other.example',
  status: 'suspended',
  allowedScopes: ['openid'],
  introspectableBy: [],
  redirectUris: ['https://other.example/cb'],
  postLogoutRedirectUris: ['https://other.example/bye'],
  allowedOrigins: ['https://other.example'],
  backchannelLogoutUri: 'https://other.example/logout',
  invitationUri: 'https://other.example/invited',
  clientUri: 'https://other.example/',
  initiateLoginUri: 'https://other.example/start',
  policyUri: 'https://other.example/privacy',
  tosUri: 'https://other.example/terms',
  supportUri: 'https://other.example/help',
  tokenEndpointAuthMethod: 'client_secret',
  jwks: null,
  jwksUri: 'https://other.example/jwks',
  requireSignedRequestObject: false,
  requirePkce: false,
  accessTokenType: 'JWT',
  accessTokenAlg: 'RS256',
  securityProfile: null,
  multiAccount: true,
  organizationSso: 'account',
  connectionMfa: 'trusted',
  ssoRequired: true,
  ssoExempt: false,
  subdomains: true,
  setBy: 'account',
  founderRoleId: null,
  isAdmin: true,
  assignableByAccountAdmins: false,
  canActForMembers: true,
  url: 'https://other.example/hook',
  events: ['user.created'],
  email: 'other@example.test',
  emailVerified: true,
  password: 'a password of somebody',
  passwordHash: '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
  roles: [],
}

/** What a field needs beside it. */
const REQUIRED: Partial<Record<OperationName, object>> = {
  'POST /admin/systems/:systemId/roles': { name: 'Role' },
  'POST /admin/users': { email: 'beside@example.test' },
  'POST /admin/accounts/:accountId/invitations': { email: 'beside@example.test' },
  'POST /admin/accounts/:accountId/service-accounts': { name: 'Program', roles: [] },
  'POST /admin/memberships': { userId: crypto.randomUUID(), systemId: crypto.randomUUID() },
}

const QUERIES: Partial<Record<OperationName, string>> = {
  'DELETE /admin/limits': `?userId=${crypto.randomUUID()}`,
}

const PLACES: Record<string, string> = {
  provider: 'google',
  image: 'logo',
  kind: 'access_approved',
  locale: 'en',
}

/** Requests in which no id is one of a resource, but those of the roles. */
function requestsOf(name: OperationName, examples: Documented, roles: { admin: string; plain: string }) {
  const [method = '', url = ''] = name.split(' ')
  const path = url.replace(/:(\w+)/g, (_, param) => PLACES[param] ?? crypto.randomUUID())
  const documented = examples.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  const [type, content] = Object.entries(documented?.requestBody?.content ?? {})[0] ?? []
  const class_ = classNamed(name)
  const request = { name, path: path + (QUERIES[name] ?? ''), ...(type && { type }) }
  if (typeof class_ === 'string')
    return [
      { ...request, isAsked: class_ === 'power', ...(content && { body: content.example }) },
    ] satisfies Request[]
  return Object.entries(class_.fields).flatMap(([field, each]): Request[] => {
    const body = (value: unknown) => ({ ...REQUIRED[name], [field]: value })
    if (each === 'ordinary') return []
    if (each === 'power') return [{ ...request, body: body(VALUES[field]), isAsked: true }]
    if (each === 'roles')
      return [
        { ...request, body: body([roles.admin]), isAsked: true },
        { ...request, body: body([roles.plain]), isAsked: false },
      ]
    if ('each' in each) {
      const invitation = (more: object) =>
        body([{ email: 'one@example.test' }, { email: 'a@b.test', ...more }])
      return [
        { ...request, body: invitation({ roles: [roles.admin] }), isAsked: true },
        { ...request, body: invitation({ notify: false }), isAsked: true },
        { ...request, body: invitation({ roles: [roles.plain] }), isAsked: false },
      ]
    }
    return [
      ...each.power.map((value) => ({ ...request, body: body(value), isAsked: true })),
      { ...request, body: body(!each.power[0]), isAsked: false },
    ]
  })
}

async function prepare(t: TestContext) {
  const app = await startTestApp(t)
  const { id } = await app.newSystem({ multiAccount: true })
  const [admin, plain] = [await app.newRole(id, { isAdmin: true }), await app.newRole(id)]
  const roles = { admin: String(admin.id), plain: String(plain.id) }
  const examples = await readDocument<Documented>(app.url)
  const requests = OPERATION_NAMES.filter((name) => name !== 'GET /admin/events/stream') // does not end
    .flatMap((name) => requestsOf(name, examples, roles))
  return { app, systemId: String(id), roles, requests }
}

/** An administrator of the platform with a token of a sign-in 310 seconds ago. */
async function oldToken(app: Driver): Promise<AdminClient> {
  const { data } = (await app.platform.get('/admin/systems?search=Tenantry&pageSize=100')).body
  const { id } = data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const uris = { redirectUris: ['https://ops.example/cb'] }
  const system = (await app.platform.patch(`/admin/systems/${id}`, uris)).body
  const role = (await app.platform.get(`/admin/systems/${id}/roles`)).body[0].id
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: id, roles: [role] })
  const { visitor } = await app.signIn(system, { email: user.email })
  await changeProofs(app.db, user.id, { age: 310 })
  return app.as((await app.signIn(system, { email: user.email, visitor })).access_token)
}

async function oldConsole(app: Driver): Promise<AdminClient> {
  const { client, user } = await newOperator(app)
  await changeProofs(app.db, user.id, { age: 310 })
  return client
}

function send(client: AdminClient, { name, path, body, type }: Request) {
  const isLines = type === 'application/x-ndjson'
  const sent = isLines ? `${JSON.stringify(body)}\n` : body
  const headers = isLines ? { 'content-type': type } : {}
  if (name.startsWith('GET')) return client.get(path)
  if (name.startsWith('DELETE')) return client.delete(path)
  if (name.startsWith('PUT')) return client.put(path, sent, type ? { 'content-type': type } : {})
  return name.startsWith('POST') ? client.post(path, sent, headers) : client.patch(path, sent, headers)
}

const isAskedIn = ({ status, body }: { status: number; body: { code?: string } | undefined }) =>
  status === 401 && body?.code === 'insufficient_user_authentication'

for (const [surface, clientOf] of [
  ['a user token', oldToken],
  ['the console', oldConsole],
] as const)
  test(`P92: each operation and field of class power asks for a recent sign-in with ${surface}`, async (t) => {
    const { app, requests } = await prepare(t)
    const client = await clientOf(app)

    const wrong = []
    for (const request of requests) {
      const answer = await send(client, request)
      if (isAskedIn(answer) !== request.isAsked)
        wrong.push([request.name, request.body, answer.status, answer.body])
    }

    assert.deepEqual(wrong, [])
    assert.ok(requests.filter(({ isAsked }) => isAsked).length >= OPERATION_NAMES.length / 2)
  })

test('P92: a change of what has an admin or reserved role asks for a recent sign-in', async (t) => {
  const { app, systemId, roles } = await prepare(t)
  const reserved = await app.newRole(systemId, { assignableByAccountAdmins: false })
  const member = async (role: string) =>
    String(
      (
        await app.newMembership({
          userId: (await app.newUser()).id,
          systemId,
          accountName: 'A',
          roles: [role],
        })
      ).id,
    )
  const invite = async (role: string) => {
    const { accountId } = await app.newMembership({
      userId: (await app.newUser()).id,
      systemId,
      accountName: 'B',
    })
    const at = `/admin/accounts/${accountId}/invitations`
    const body = { email: `${crypto.randomUUID()}@example.test`, roles: [role] }
    return `${at}/${(await app.platform.post(at, body)).body.id}/resend`
  }
  const client = await oldToken(app)
  const at = `/admin/systems/${systemId}/roles`

  const asked = []
  for (const role of [roles.admin, String(reserved.id), roles.plain]) {
    const membership = `/admin/memberships/${await member(role)}`
    asked.push([
      isAskedIn(await client.patch(`${at}/${role}`, { scopes: ['orders:write'] })),
      isAskedIn(await client.patch(membership, { status: 'blocked' })),
      isAskedIn(await client.patch(`${membership}/roles`, { roles: [] })),
      isAskedIn(await client.delete(`/admin/memberships/${await member(role)}`)),
      isAskedIn(await client.post(await invite(role))),
      isAskedIn(await client.delete(`${at}/${role}`)),
    ])
  }

  assert.deepEqual(asked, [
    [true, true, true, true, true, true],
    [true, true, true, true, true, true],
    [false, false, false, false, false, false],
  ])
})

test('P92: the pages of an organization ask for a recent sign-in as the admin API does', async (t) => {
  const app = await startTestApp(t)
  const { admins, member, adminRole, role } = await newTeam(app, { allowServiceAccounts: true })
  const [admin] = admins
  await admin!.open('/invitations')
  await changeProofs(app.db, admin!.id, { age: 310 })
  const emails = (role: string) => ({ emails: `${crypto.randomUUID()}@example.test`, roles: role })
  const at = `/members/${member!.membershipId}`
  const isAsked = async (path: string, fields: Record<string, string>) => {
    const { status, headers } = await admin!.send(path, fields)
    return status === 303 && /\/auth\?/.test(headers.get('location') ?? '')
  }

  const answers = {
    'invites an admin': await isAsked('/invitations', emails(adminRole.id)),
    'invites a member': await isAsked('/invitations', emails(role.id)),
    'makes an admin': await isAsked(`${at}/roles`, { roles: adminRole.id }),
    'gives a role': await isAsked(`${at}/roles`, { roles: role.id }),
    'hands over': await isAsked(`${at}/hand-over`, {}),
    'shows the members': await isAsked('/settings', {
      name: 'Acme',
      nameBefore: 'Acme',
      membersVisible: 'yes',
    }),
    renames: await isAsked('/settings', { name: 'Acme 2', nameBefore: 'Acme', membersVisibleBefore: 'no' }),
    'blocks a member': await isAsked(`${at}/status`, { action: 'block' }),
  }

  assert.deepEqual(answers, {
    'invites an admin': true,
    'invites a member': false,
    'makes an admin': true,
    'gives a role': false,
    'hands over': true,
    'shows the members': true,
    renames: false,
    'blocks a member': false,
  })
  assert.doesNotMatch(text(await admin!.open(at)), /Chief<\/label>[^<]*checked/)
})

test('an operation or a field without a class prevents the start', () => {
  const route = { method: 'PATCH', url: '/admin/memberships/:membershipId' }
  const declared = { status: { type: 'string' }, ssoExempt: { type: 'boolean' } }

  assert.throws(() => classOf({ method: 'POST', url: '/admin/anything' }), /POST \/admin\/anything/)
  assert.throws(() => demandDeclared({ ...route, body: { properties: { ...declared, more: {} } } }), /more/)
  assert.throws(() => demandDeclared({ ...route, body: { properties: {} } }), /status/)
  demandDeclared({ ...route, body: { properties: declared } })
})

test('every class is one of an operation that exists', async (t) => {
  const app = await startTestApp(t)
  const { paths } = await readDocument<Documented>(app.url)
  const existing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )

  assert.deepEqual(
    OPERATION_NAMES.filter((name) => !existing.includes(name)),
    [],
  )
})
