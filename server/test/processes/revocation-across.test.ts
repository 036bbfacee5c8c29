/** What is taken away at one server process is gone at another, on one PostgreSQL, as soon as the answer is there. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import {
  adminClient,
  authorizeAt,
  basicAuth,
  codeFields,
  newVisitor,
  PASSWORD,
  serviceToken,
  signInTo,
  tokenRequest,
} from '../support/testing.ts'

const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }
let postgres: Postgres | undefined
let database: { url: string; drop(): Promise<void> }
let [A, B]: [TestServer?, TestServer?] = []

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for two processes, long enough',
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
  }
  A = await startServer({ env })
  B = await startServer({ env: { ...env, BASE_URL: A.url } })
})
after(async () => {
  for (const server of [A, B]) await server?.close()
  await database?.drop()
  await postgres?.close()
})

type Platform = ReturnType<typeof adminClient>
type System = Parameters<typeof basicAuth>[0]
type Given = Awaited<ReturnType<typeof given>>

/** A person, admin of an account, signed in to two systems in one browser, with a code that waits; both processes know them. */
async function given() {
  const platform = adminClient(A!.url, await serviceToken(A!.url, CLIENT.id, CLIENT.secret))
  const made = async (path: string, body: object) => {
    const answer = await platform.post(path, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const newSystem = (name: string) =>
    made('/admin/systems', {
      name,
      redirectUris: ['https://app.example/cb'],
      allowedScopes: ['openid', 'offline_access'],
      skipConsent: true,
      allowClientCredentials: true,
    })
  const [system, elsewhere] = [await newSystem('Shop'), await newSystem('Elsewhere')]
  const role = await made(`/admin/systems/${system.id}/roles`, { name: 'owner', isAdmin: true })
  const user = await made('/admin/users', {
    email: `${crypto.randomUUID()}@example.test`,
    password: PASSWORD,
  })
  const membership = await made('/admin/memberships', {
    userId: user.id,
    systemId: system.id,
    roles: [role.id],
  })
  await made('/admin/memberships', { userId: user.id, systemId: elsewhere.id })
  const visitor = newVisitor(A!.url, { through: B!.url })
  const tokens = await signInTo(A!.url, system, { email: user.email, visitor })
  const others = await signInTo(A!.url, elsewhere, { email: user.email, visitor })
  const code = await authorizeAt(A!.url, system, { email: user.email, visitor })
  assert.ok(code.back.code)
  return { platform, system, elsewhere, role, user, membership, visitor, tokens, others, code }
}

/** Whether a token is active, asked of process B by the platform. */
async function isActive(token: string): Promise<boolean> {
  const platform: System = {
    id: '',
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    redirectUris: [],
    allowedScopes: [],
    clientType: 'confidential',
  }
  const answer = await fetch(`${B!.url}/token/introspection`, {
    method: 'POST',
    headers: { authorization: basicAuth(platform) },
    body: new URLSearchParams({ token }),
  })
  return ((await answer.json()) as { active: boolean }).active
}

const refresh = (system: System, token = '') =>
  tokenRequest(B!.url, system, { grant_type: 'refresh_token', refresh_token: token })

/** What process B says to the tokens, the code and the cookie. */
async function askB({ system, user, tokens, code, visitor }: Given) {
  const api = adminClient(B!.url, tokens.access_token)
  const [me, admin] = [await api.get('/me'), await api.get('/admin/memberships')]
  const active = [await isActive(tokens.access_token), await isActive(tokens.refresh_token ?? '')]
  const refreshed = await refresh(system, tokens.refresh_token)
  const redeemed = await tokenRequest(B!.url, system, codeFields(system, code))
  const silent = await authorizeAt(A!.url, system, {
    email: user.email,
    visitor,
    parameters: { prompt: 'none' },
  })
  return {
    me: me.status,
    admin: admin.status,
    active,
    refresh: refreshed.body.error,
    code: redeemed.body.error,
    silentCode: silent.back.code,
  }
}

const GONE = {
  me: 401,
  admin: 401,
  active: [false, false],
  refresh: 'invalid_grant',
  code: 'invalid_grant',
  silentCode: undefined,
}

const ENDS: Record<string, (platform: Platform, given: Given) => Promise<{ status: number }>> = {
  'a blocked membership': (platform, { membership }) =>
    platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
  'a removed membership': (platform, { membership }) =>
    platform.delete(`/admin/memberships/${membership.id}`),
  'an ended session': (platform, { tokens }) =>
    platform.delete(`/admin/sessions/${decodeJwt(tokens.access_token).sid}`),
  'all sessions of a system': (platform, { system }) =>
    platform.delete(`/admin/sessions/by-system/${system.id}`),
  'a deleted system': (platform, { system }) => platform.delete(`/admin/systems/${system.id}`),
}
const ENDS_EVERYWHERE: typeof ENDS = {
  'a disabled user': (platform, { user }) => platform.patch(`/admin/users/${user.id}`, { disabled: true }),
  'a deleted user': (platform, { user }) => platform.delete(`/admin/users/${user.id}`),
  'another password': (platform, { user }) =>
    platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' }),
  'all sessions of a user': (platform, { user }) => platform.delete(`/admin/sessions/by-user/${user.id}`),
}

for (const [what, end] of Object.entries({ ...ENDS, ...ENDS_EVERYWHERE })) {
  const everywhere = what in ENDS_EVERYWHERE
  test(`P21: ${what}, asked at one process, is gone at the other at once, ${everywhere ? 'in every system' : 'and no other system'}`, async () => {
    const all = await given()
    const [me, admin] = await Promise.all(
      ['/me', '/admin/memberships'].map((path) => adminClient(B!.url, all.tokens.access_token).get(path)),
    )
    assert.deepEqual([me!.status, admin!.status, await isActive(all.tokens.access_token)], [200, 200, true])

    const done = await end(all.platform, all)
    assert.ok(done.status < 300, `${done.status}`)
    const left = await askB(all)

    assert.deepEqual(left, GONE)
    const other = [
      (await adminClient(B!.url, all.others.access_token).get('/me')).status,
      (await refresh(all.elsewhere, all.others.refresh_token)).status,
    ]
    assert.deepEqual(other, everywhere ? [401, 400] : [200, 200])
  })
}

test('P22: a role that is taken away, asked at one process, opens /admin no more at the other and is in no new token', async () => {
  const { platform, system, membership, tokens } = await given()
  const api = adminClient(B!.url, tokens.access_token)
  const before = await api.get('/admin/memberships')

  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [] })

  const [after, me, next] = [
    await api.get('/admin/memberships'),
    await api.get('/me'),
    await refresh(system, tokens.refresh_token),
  ]
  assert.deepEqual([before.status, after.status], [200, 403])
  assert.deepEqual([me.body.is_admin, decodeJwt(next.body.access_token).is_admin], [false, false])
})

/** Systems are held for up to a second by a process that did not change them. */
const LATEST = 1_000

for (const [what, change] of Object.entries({
  deleted: (platform: Platform, id: string) => platform.delete(`/admin/systems/${id}`),
  'no longer allowed client credentials': (platform: Platform, id: string) =>
    platform.patch(`/admin/systems/${id}`, { allowClientCredentials: false }),
})) {
  test(`a system that is ${what} at one process gets nothing at the other within a second`, async (t) => {
    const { platform, system } = await given()
    const token = await serviceToken(B!.url, system.clientId, system.clientSecret)
    const asked = {
      '/admin': async () => (await adminClient(B!.url, token).get(`/admin/systems/${system.id}`)).status,
      '/token': async () => (await tokenRequest(B!.url, system, { grant_type: 'client_credentials' })).status,
      introspection: async () => ((await isActive(token)) ? 200 : 401),
    }
    for (const ask of Object.values(asked)) assert.equal(await ask(), 200)

    await change(platform, system.id)
    const changed = performance.now()
    /** ms after the change at which the last request was sent that was still served. */
    const served = async (ask: () => Promise<number>): Promise<number> => {
      let last = 0
      for (let sent = 0; sent < 1_500; ) {
        sent = performance.now() - changed
        if ((await ask()) === 200) last = sent
        await new Promise((passed) => setTimeout(passed, 10))
      }
      return last
    }
    const late = await Promise.all(Object.values(asked).map(served))

    t.diagnostic(
      `still served until: ${Object.keys(asked)
        .map((where, place) => `${where} ${late[place]!.toFixed()} ms`)
        .join(', ')}`,
    )
    for (const ms of late) assert.ok(ms < LATEST, `${ms} ms`)
  })
}
