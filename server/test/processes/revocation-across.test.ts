/** A revocation at one process takes effect at another on the same PostgreSQL when it is answered. */
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
  newBrowser,
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

/**
 * An account administrator signed in to two systems, with an unused code; both processes have cached them.
 */
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
  const visitor = newBrowser(A!.url, { through: B!.url })
  const tokens = await signInTo(A!.url, system, { email: user.email, visitor })
  const others = await signInTo(A!.url, elsewhere, { email: user.email, visitor })
  const code = await authorizeAt(A!.url, system, { email: user.email, visitor })
  assert.ok(code.back.code)
  return { platform, system, elsewhere, role, user, membership, visitor, tokens, others, code }
}

/** Introspects a token at process B as the platform. */
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

/** Responses of process B to tokens, code and cookie. */
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
  'a block of a membership': (platform, { membership }) =>
    platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
  'deletion of a membership': (platform, { membership }) =>
    platform.delete(`/admin/memberships/${membership.id}`),
  'the end of a session': (platform, { tokens }) =>
    platform.delete(`/admin/sessions/${decodeJwt(tokens.access_token).sid}`),
  'the end of all sessions of a system': (platform, { system }) =>
    platform.delete(`/admin/sessions/by-system/${system.id}`),
  'deletion of a system': (platform, { system }) => platform.delete(`/admin/systems/${system.id}`),
}
const ENDS_EVERYWHERE: typeof ENDS = {
  'disabling a user': (platform, { user }) => platform.patch(`/admin/users/${user.id}`, { disabled: true }),
  'deletion of a user': (platform, { user }) => platform.delete(`/admin/users/${user.id}`),
  'a change of password': (platform, { user }) =>
    platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' }),
  'the end of all sessions of a user': (platform, { user }) =>
    platform.delete(`/admin/sessions/by-user/${user.id}`),
}

for (const [what, end] of Object.entries({ ...ENDS, ...ENDS_EVERYWHERE })) {
  const everywhere = what in ENDS_EVERYWHERE
  test(`P21: ${what} at one process takes effect at the other, in ${everywhere ? 'all systems' : 'its system'}`, async () => {
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

test('P22: a role removed at one process has no effect at the other, in old and new tokens', async () => {
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

/** Lifetime of the cache of systems, in ms. */
const LATEST = 1_000

for (const [what, change] of Object.entries({
  deleted: (platform: Platform, id: string) => platform.delete(`/admin/systems/${id}`),
  'denied client credentials': (platform: Platform, id: string) =>
    platform.patch(`/admin/systems/${id}`, { allowClientCredentials: false }),
})) {
  test(`a system that is ${what} at one process is refused at the other within a second`, async (t) => {
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
    /** Time of the last accepted request, in ms after the change. */
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
