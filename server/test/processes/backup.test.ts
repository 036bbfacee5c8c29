/** A copy of the data is a backup: after a restore everything works, faults are found (docs/backup.md). */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { type SQL, sql } from '../../src/database/drizzle.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import {
  adminClient,
  authorizeAt,
  codeFields,
  PASSWORD,
  serviceToken,
  tokenRequest,
} from '../support/testing.ts'

const SECRET_KEY = 'a key for the test, 32 characters or more'
const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }
const SETTINGS = {
  SECRET_KEY,
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
  MAIL_URL: 'smtp://127.0.0.1:1',
}

/** A server with a system, a webhook, a member and their tokens; stopped. */
async function newInstallation(t: TestContext) {
  const server = await startServer({ env: SETTINGS })
  t.after(() => server.close())
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  const system = (
    await platform.post('/admin/systems', {
      name: 'Shop',
      redirectUris: ['https://app.example/cb'],
      allowedScopes: ['openid', 'offline_access'],
      skipConsent: true,
      allowClientCredentials: true,
    })
  ).body
  await platform.post(`/admin/systems/${system.id}/webhooks`, { url: 'https://hook.example/' })
  const user = (await platform.post('/admin/users', { email: 'alice@example.test', password: PASSWORD })).body
  await platform.post('/admin/memberships', { userId: user.id, systemId: system.id })
  const sent = await authorizeAt(server.url, system, { email: user.email })
  const { body } = await tokenRequest(server.url, system, codeFields(system, sent))
  assert.equal(typeof body.refresh_token, 'string', JSON.stringify(body))
  await server.kill('SIGTERM')
  const copy = mkdtempSync(join(tmpdir(), 'tenantry-backup-'))
  t.after(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(server.dataDir, copy, { recursive: true })
  return { server, system, user, tokens: body, copy }
}

const verify = (DATA_DIR: string, more = {}) =>
  startToEnd({ ...SETTINGS, DATA_DIR, ...more }, { args: ['backup', 'verify'] })

test('a restored copy verifies, and its users, sessions, tokens and secrets work', async (t) => {
  const { server, system, user, tokens, copy } = await newInstallation(t)

  const verified = await verify(copy)
  await server.restart({ DATA_DIR: copy, BASE_URL: server.url })

  assert.deepEqual([verified.code, verified.stderr], [0, ''])
  assert.match(verified.stdout, /users +2\n.*secrets of webhooks +1\n.*The backup can be used\.\n$/s)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  assert.equal((await tokenRequest(server.url, system, refresh)).status, 200)
  const again = await authorizeAt(server.url, system, { email: user.email })
  assert.equal((await tokenRequest(server.url, system, codeFields(system, again))).status, 200)
})

/** What a backup lacks, and what the verification says. */
const DAMAGES: [string, SQL, RegExp][] = [
  ['has no index', sql`drop index audit_newest`, /Missing tables, indexes or constraints: audit_newest\./],
  ['lacks events', sql`delete from events where position = 2`, /positions of the event log have gaps/],
  ['lacks audit entries', sql`delete from audit where action = 'system.created'`, /was removed/],
  [
    'has a damaged secret',
    sql`update webhooks set sealed_secret = substr(sealed_secret, 1, 40)`,
    /1 of 1 secrets of webhooks cannot be decrypted/,
  ],
]

test('a damaged copy is found, and one with another SECRET_KEY is not opened', async (t) => {
  const { copy } = await newInstallation(t)
  const other = await verify(copy, { SECRET_KEY: 'another key, also of 32 characters or more' })
  assert.deepEqual([other.code, other.stdout], [1, ''])
  assert.match(other.stderr, /^SECRET_KEY is not the key of this database\./)
  const { db, close } = await openPglite(join(copy, 'database'))
  await db.execute(
    sql`update events set position = n from (select seq as found, row_number() over (order by seq) as n from events) as numbered where found = seq`,
  )
  await db.execute(sql`update event_log set newest = (select max(position) from events)`)
  for (const [, damage] of DAMAGES) await db.execute(damage)
  await close()

  const { code, stdout } = await verify(copy)

  assert.equal(code, 1)
  for (const [what, , fault] of DAMAGES) assert.match(stdout, fault, what)
})

test('an option that does not exist is named, and nothing is verified', async () => {
  const args = ['backup', 'verify', '--checkpont', 'file']
  const { code, stdout, stderr } = await startToEnd(SETTINGS, { args })

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Unknown option '--checkpont'[^\n]*\n$/)
})
