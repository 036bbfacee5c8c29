/** SECRET_KEY is replaced while two servers run, and the platform's secret is rotated (docs/secrets.md). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '../../src/crypto/seal.ts'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import { sql } from '../../src/database/drizzle.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import {
  adminClient,
  authorizeAt,
  codeFields,
  newBrowser,
  PASSWORD,
  serviceToken,
  signInTo,
  tokenRequest,
} from '../support/testing.ts'

const [OLD, NEW] = ['the first key, 32 characters or more', 'the second key, 32 characters or more']
const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }

/** What is sealed under a key: the tables with the column that contains it. */
const SEALED = [
  ['installation', 'key_proof'],
  ['signing_keys', 'sealed_private_jwk'],
  ['webhooks', 'sealed_secret'],
  ['totp_factors', 'sealed_secret'],
  ['connections', 'sealed_secret'],
  ['mail', 'sealed_message'],
] as const

test('SECRET_KEY is replaced without downtime: no session, token, secret or link is lost', async (t) => {
  const postgres = process.env.DATABASE_URL ? undefined : await startPostgres()
  const database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  const settings = {
    DATABASE_URL: database.url,
    ADMIN_CLIENT_ID: CLIENT.id,
    ADMIN_CLIENT_SECRET: CLIENT.secret,
    MAIL_URL: 'smtp://127.0.0.1:1',
  }
  const A = await startServer({ env: { ...settings, SECRET_KEY: OLD } })
  const env = { ...settings, BASE_URL: A.url }
  const rotating = { SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD }
  const B = await startServer({ env: { ...env, ...rotating } })
  const reader = await openPostgres(database.url, 1)
  t.after(async () => {
    await reader.close()
    for (const server of [A, B]) await server.close()
    await database.drop()
    await postgres?.close()
  })
  const platform = adminClient(A.url, await serviceToken(A.url, CLIENT.id, CLIENT.secret))
  const made = async (path: string, body: object) => {
    const answer = await platform.post(path, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const system = await made('/admin/systems', {
    name: 'Shop',
    redirectUris: ['https://app.example/cb'],
    allowedScopes: ['openid', 'offline_access'],
    skipConsent: true,
    allowClientCredentials: true,
  })
  await made(`/admin/systems/${system.id}/webhooks`, { url: 'https://hook.example/' })
  const suite = await made('/admin/systems', { name: 'Suite', multiAccount: true })
  const account = await made(`/admin/systems/${suite.id}/accounts`, { name: 'Acme' })
  const connection = { name: 'Acme ID', kind: 'oidc', clientSecret: 'a secret' }
  await made(`/admin/accounts/${account.id}/connections`, connection)
  const user = await made('/admin/users', { email: 'alice@example.test', password: PASSWORD })
  await made('/admin/memberships', { userId: user.id, systemId: system.id })
  const other = await made('/admin/users', { email: 'bob@example.test', password: PASSWORD })
  await reader.db.execute(sql`insert into totp_factors (user_id, sealed_secret, confirmed_at)
    values (${other.id}, ${createSeal(OLD).seal('a secret', `totp:${other.id}`)}, now())`)
  const sent = await platform.post(`/admin/users/${user.id}/send-password-reset`)
  assert.equal(sent.status, 202)
  const underKey = async (key: string) => {
    const { keyId } = createSeal(key)
    const counts = []
    for (const [table, column] of SEALED) {
      const [row] = (
        (await reader.db.execute(
          sql`select count(*)::int as count from ${sql.raw(table)} where substring(${sql.raw(column)} from 1 for 4) = ${keyId}`,
        )) as unknown as { rows: { count: number }[] }
      ).rows
      counts.push(row!.count)
    }
    return counts
  }
  /** A sign-in at one server, and its session and refresh token at another. */
  const roundTrip = async (from: string, to: string) => {
    const visitor = newBrowser(A.url, { through: from })
    const tokens = await signInTo(from, system, { email: user.email, visitor })
    return { tokens, again: newBrowser(A.url, { through: to }), jar: visitor.jar }
  }
  const continues = async (at: string, { tokens, jar }: Awaited<ReturnType<typeof roundTrip>>) => {
    const visitor = newBrowser(A.url, { through: at })
    for (const [key, cookie] of jar) visitor.jar.set(key, cookie)
    const { back, pkce } = await authorizeAt(A.url, system, {
      email: user.email,
      password: 'not needed',
      visitor,
    })
    assert.ok(back.code, `the browser session at ${at}`)
    assert.equal((await tokenRequest(at, system, codeFields(system, { back, pkce }))).status, 200)
    const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token! }
    const refreshed = await tokenRequest(at, system, fields)
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
    for (const [key, cookie] of visitor.jar) jar.set(key, cookie)
    Object.assign(tokens, refreshed.body)
  }

  const [ofOld, ofNew] = [await roundTrip(A.url, B.url), await roundTrip(B.url, A.url)]
  await continues(B.url, ofOld)
  await continues(A.url, ofNew)
  assert.deepEqual((await underKey(NEW)).slice(0, 5), [0, 0, 0, 0, 0], 'nothing the old server cannot open')

  await A.kill('SIGTERM')
  await A.restart({ ...env, ...rotating })
  const rotated = await startToEnd(
    { ...env, ...rotating },
    { args: ['secrets', 'rotate'], killAfter: 60_000 },
  )
  assert.deepEqual([rotated.code, rotated.stderr], [0, ''])
  assert.match(rotated.stdout, /2 signing keys, 1 webhooks, 1 authenticator apps, 1 connections, \d+ emails/)
  assert.deepEqual(await underKey(OLD), [0, 0, 0, 0, 0, 0])
  const during = await roundTrip(A.url, B.url)
  for (const each of [ofOld, ofNew, during]) await continues(B.url, each)
  await made(`/admin/systems/${system.id}/webhooks`, { url: 'https://hook.example/2' })
  assert.deepEqual(await underKey(OLD), [0, 0, 0, 0, 0, 0], 'servers that were running seal with the new key')

  for (const server of [A, B]) {
    await server.kill('SIGTERM')
    await server.restart({ ...env, SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: '' })
  }
  for (const each of [ofOld, ofNew, during]) await continues(A.url, each)
  await serviceToken(B.url, system.clientId, system.clientSecret)
  const refused = await startToEnd({ ...env, SECRET_KEY: OLD })
  assert.match(refused.stderr, /^SECRET_KEY is not the key of this database\./)
})

test('P38: a rotated secret of the platform stays invalid after a start with the same setting', async (t) => {
  const env = { ADMIN_CLIENT_ID: CLIENT.id, ADMIN_CLIENT_SECRET: CLIENT.secret }
  const postgres = process.env.DATABASE_URL ? await createDatabase(process.env.DATABASE_URL) : undefined
  const all = { ...env, ...(postgres && { DATABASE_URL: postgres.url, SECRET_KEY: OLD }) }
  const server = await startServer({ env: all })
  t.after(() => server.close().then(() => postgres?.drop()))
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  const { data } = (await platform.get('/admin/systems?search=Platform')).body
  const own = data.find(({ clientId }: { clientId: string }) => clientId === CLIENT.id)
  const { clientSecret } = (await platform.post(`/admin/systems/${own.id}/rotate-secret`, {})).body
  const statusOf = async (secret: string) =>
    (
      await tokenRequest(
        server.url,
        { ...own, clientSecret: secret, redirectUris: [], allowedScopes: [] },
        { grant_type: 'client_credentials' },
      )
    ).status

  await server.kill('SIGTERM')
  await server.restart()
  const same = [await statusOf(CLIENT.secret), await statusOf(clientSecret)]
  await server.kill('SIGTERM')
  await server.restart({ ADMIN_CLIENT_SECRET: 'another-secret-of-the-platform' })
  const changed = [await statusOf('another-secret-of-the-platform'), await statusOf(clientSecret)]

  assert.deepEqual(same, [401, 200])
  assert.deepEqual(changed, [200, 401])
})
