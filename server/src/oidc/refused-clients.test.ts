/** The audit entries of requests that are refused before their user is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, basicAuth, newPkce, startTestApp, tokenRequest } from '../../test/support/testing.ts'
import { SOON } from '../../test/support/waiting.ts'
import { sql } from '../database/drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const service = { grant_type: 'client_credentials' }
const entriesOf = async (app: App, systemId: string) =>
  (await app.audited({ action: 'sign_in.refused', systemId })).map(({ changes }) =>
    Object.fromEntries(Object.entries(changes).map(([name, [, value]]) => [name, value])),
  )

test('P20: an unknown client and a wrong secret are told apart in the audit log, not in the response', async (t) => {
  // A server of its own: unknown clients of all tests count as one.
  const app = await startTestApp(t, { TTL_CODE: '61' })
  const system = await app.newSystem({ allowClientCredentials: true })
  const letters = crypto.randomUUID().replace(/[\d-]/g, '')
  const unknown = { ...system, clientId: `nobody-${letters}` }
  const wrong = { ...system, clientSecret: 'not-the-secret-of-this-system' }
  await app.db.execute(sql`delete from limits`)

  const answers = [await tokenRequest(app.url, unknown, service), await tokenRequest(app.url, wrong, service)]

  const shown = answers.map(({ status, body }) => ({ status, body }))
  assert.deepEqual(shown[0], shown[1])
  assert.deepEqual(await entriesOf(app, system.id), [
    { reason: 'secret', error: 'invalid_client', clientId: system.clientId },
  ])
  const { body } = await app.platform.get('/admin/audit?action=sign_in.refused&reason=client&pageSize=100')
  const [entry] = body.data.filter(
    ({ changes }: { changes: { clientId?: unknown[] } }) => changes.clientId?.[1] === unknown.clientId,
  )
  assert.equal(entry?.systemId, null)
  const explained = await app.platform.get(`/admin/explain?requestId=${entry.requestId}`)
  assert.equal(explained.status, 200, JSON.stringify(explained.body))
  const [step, next] = explained.body.steps
  assert.deepEqual(
    [explained.body.code, step.facts.clientId, next.verdict],
    ['client_client', unknown.clientId, 'unreached'],
  )
})

test('a grant that is not allowed is told apart, with its name, also in the explanation', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const device = { method: 'POST', headers: { authorization: basicAuth(system) } }

  const refused = [
    (await tokenRequest(app.url, system, service)).status,
    (await app.newBrowser().request('/device/auth', device)).status,
  ]

  assert.deepEqual(refused, [400, 400])
  const [entry] = await app.audited({ action: 'sign_in.refused', systemId: system.id })
  assert.deepEqual(
    [entry!.changes.reason, entry!.changes.grantType],
    [
      [null, 'grant'],
      [null, 'client_credentials'],
    ],
  )
  const { body } = await app.platform.get(`/admin/explain?requestId=${entry!.requestId}`)
  assert.deepEqual([body.code, body.steps[0].facts.grantType], ['client_grant', 'client_credentials'])
})

test('a redirect URI that is not registered is explained with what was sent and what is registered', async (t) => {
  const app = await startTestApp(t)
  const registered = ['https://app.example/cb', 'https://app.example/b', 'https://app.example/c']
  const { id, ...system } = await app.newSystem({ redirectUris: [...registered, 'https://app.example/d'] })
  const sent = 'https://app.example/wrong'
  await app.newBrowser().get(authUrl(system as never, newPkce().challenge, { redirect_uri: sent }))

  const [entry] = await app.audited({ action: 'sign_in.refused', systemId: id })
  assert.deepEqual(
    [entry!.changes.redirectUri, entry!.changes.registered],
    [
      [null, sent],
      [null, registered],
    ],
  )
  const { body } = await app.platform.get(`/admin/explain?requestId=${entry!.requestId}`)
  const { facts, fix } = body.steps[0]
  assert.deepEqual([facts.sent, facts.registered], [sent, registered])
  assert.equal(fix.operation, `PATCH /admin/systems/${id}`)
})

test('repeated refusals are counted: the entry of the next minute has their number and the time of the first', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const wrong = { ...system, clientSecret: 'not-the-secret-of-this-system' }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const began = Date.now()

  for (let times = 0; times < 8; times += 1) await tokenRequest(app.url, wrong, service)
  const first = await entriesOf(app, system.id)
  await app.db.execute(sql`update limits set expire = expire - 120000`) // a minute later
  t.mock.timers.tick(61_000)
  t.mock.timers.reset()
  await t.waitFor(async () => assert.equal((await entriesOf(app, system.id)).length, 2), SOON)

  const [, repeated] = await entriesOf(app, system.id)
  assert.deepEqual(first, [{ reason: 'secret', error: 'invalid_client', clientId: system.clientId }])
  assert.equal(repeated!.times, 7)
  const since = Date.parse(String(repeated!.since))
  assert.ok(since >= began && since <= Date.now(), String(repeated!.since))
})
