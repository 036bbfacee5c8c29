/** The examples of the OpenAPI document: each matches its schema, and the requests of the admin API work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { decodeJwt } from 'jose'
import { readDocument } from '../../../test/support/openapi.ts'
import { pngOf } from '../../../test/support/png.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { identities, passkeys } from '../../database/schema.ts'
import { insertJob } from '../../jobs/background/queries.ts'
import { openCheckpointKey } from '../../journal/audit/chain/checkpoint.ts'
import { restartChain } from '../../journal/audit/chain/extend.ts'
import { SERVER } from '../authority.ts'
import { EXAMPLE } from '../example.ts'

type Media = { schema: object; example?: unknown }
type Operation = {
  operationId: string
  summary: string
  description: string
  parameters?: { in: string; name: string; example?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}
type Document = { paths: Record<string, Record<string, Operation>> }
type Located = { method: string; path: string; operation: Operation }

const newValidator = () => formats.default(new Ajv2020({ strict: false, allErrors: true }))
const operationsOf = ({ paths }: Document): Located[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
/** The status and the content of the first successful response. */
const successOf = ({ responses }: Operation) =>
  Object.entries(responses).find(([status]) => status.startsWith('2') || status.startsWith('3'))!

test('every operation has a description and examples that match its schemas', async (t) => {
  const { url } = await startTestApp(t)
  const validator = newValidator()

  const operations = operationsOf(await readDocument<Document>(url))

  assert.ok(operations.length >= 97)
  for (const { operation } of operations) {
    assert.ok(operation.description.length > 20, operation.operationId)
    const medias = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
      Object.entries(each?.content ?? {}),
    )
    for (const [type, media] of medias.filter(([type]) => type !== 'application/problem+json')) {
      assert.ok(media.example !== undefined, `${operation.operationId} has no example of ${type}`)
      const matches = validator.validate(media.schema, media.example)
      assert.ok(matches, `${operation.operationId} ${type} ${validator.errorsText()}`)
    }
  }
})

/** Operations whose example is not sent: a stream has no end, lines are no JSON, a service has no address. */
const NOT_SENT = new Set(['streamEvents', 'exportAuditEntries', 'testEmailText'])

/** The parameters without which an operation reads nothing. */
const QUERIES: Record<string, string> = {
  getSeries: '?metric=sign_ins&step=hour',
  search: `?q=${EXAMPLE.user}`,
  getNames: `?ids=${EXAMPLE.user},${EXAMPLE.account}`,
  sampleWebhookRequest: '?type=user.deleted',
  clearLimits: `?userId=${EXAMPLE.user}`,
  explainSignIn: `?userId=${EXAMPLE.user}&systemId=${EXAMPLE.system}`,
}

const PNG = { 'content-type': 'image/png' }

type App = Awaited<ReturnType<typeof startTestApp>>

/** A system with one of each resource, whose ids replace those of the examples. */
async function newWorld(app: App, operationId: string): Promise<[string, string][]> {
  const { platform, db } = app
  const system = await app.newSystem({
    multiAccount: true,
    allowClientCredentials: true,
    allowServiceAccounts: true,
    skipConsent: true,
  })
  const at = `/admin/systems/${system.id}`
  const user = await app.newUser({ emailVerified: true })
  const role = await app.newRole(system.id)
  const profile = (await platform.post(`${at}/profiles`, { name: 'Nurse' })).body
  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })
  const webhook = (await platform.post(`${at}/webhooks`, { url: 'https://hooks.example/tenantry' })).body
  await platform.post(`${at}/webhooks/${webhook.id}/test`)
  const [delivery] = (await platform.get(`${at}/webhooks/${webhook.id}/deliveries`)).body.data
  const { sid } = decodeJwt((await app.signIn(system, user)).access_token)
  await db
    .insert(identities)
    .values({ userId: user.id, provider: EXAMPLE.provider, issuer: 'https://issuer.test', subject: user.id })
  const [factor] = await db
    .insert(passkeys)
    .values({ userId: user.id, credentialId: user.id, publicKey: Buffer.from('key'), name: 'Laptop' })
    .returning({ id: passkeys.id })
  if (operationId === 'resendVerification')
    await platform.patch(`/admin/users/${user.id}`, { emailVerified: false })
  const testSignIn =
    operationId === 'getTestSignIn'
      ? (await platform.post(`${at}/test-sign-ins`, {})).body.id
      : EXAMPLE.testSignIn
  if (operationId === 'deleteSystemImage') await platform.put(`${at}/branding/logo`, pngOf(), PNG)
  if (operationId === 'deleteAccountLogo')
    await platform.put(`/admin/accounts/${membership.accountId}/branding/logo`, pngOf(), PNG)
  const email =
    operationId === 'getTestSignIn'
      ? (await platform.post('/admin/mail/test', { email: `${crypto.randomUUID()}@acme.example` })).body.id
      : EXAMPLE.email
  const operator =
    operationId === 'deleteOperator'
      ? (await platform.post('/admin/operators', { userId: user.id, level: 'viewer' })).body.id
      : EXAMPLE.operator
  const invitations = `/admin/accounts/${membership.accountId}/invitations`
  const invited = { email: `${crypto.randomUUID()}@acme.example` }
  const invitation = (await platform.post(invitations, invited)).body.id
  const programs = `/admin/accounts/${membership.accountId}/service-accounts`
  const program = (await platform.post(programs, { name: 'Export' })).body.id
  const key = (await platform.post(`${programs}/${program}/keys`, {})).body.id
  const domain = (
    await platform.post(`/admin/accounts/${membership.accountId}/domains`, { name: 'globex.example' })
  ).body.id
  const connection = (
    await platform.post(`/admin/accounts/${membership.accountId}/connections`, {
      name: 'Entra',
      kind: 'oidc',
      issuer: 'https://acme.okta.com',
      clientId: 'a',
      clientSecret: 'b',
    })
  ).body.id
  const job = await insertJob(db, {
    kind: 'end_sessions',
    systemId: system.id,
    target: { type: 'system', id: system.id },
    actor: SERVER,
    total: 2_000,
  })
  return [
    [EXAMPLE.job, job],
    [EXAMPLE.serviceAccount, program],
    [EXAMPLE.key, key],
    [EXAMPLE.domain, domain],
    [EXAMPLE.connection, connection],
    [EXAMPLE.factor, factor!.id],
    [EXAMPLE.email, email],
    [EXAMPLE.operator, operator],
    [EXAMPLE.invitation, invitation],
    ['rui@acme.example', `${crypto.randomUUID()}@acme.example`],
    [EXAMPLE.system, system.id],
    [EXAMPLE.role, role.id],
    [EXAMPLE.profile, profile.id],
    [EXAMPLE.user, user.id],
    [EXAMPLE.account, membership.accountId],
    [EXAMPLE.membership, membership.id],
    [EXAMPLE.testSignIn, testSignIn],
    [EXAMPLE.webhook, webhook.id],
    [EXAMPLE.delivery, delivery.id],
    [EXAMPLE.session, String(sid)],
    ['ana@acme.example', `${crypto.randomUUID()}@acme.example`],
  ]
}

test('the example request of every operation of the admin API succeeds and returns what its schema describes', async (t) => {
  const app = await startTestApp(t)
  const key = await openCheckpointKey(app.seal)
  await restartChain({ db: app.db, key, retentionDays: 0 }) // other tests have added entries
  const validator = newValidator()
  const operations = operationsOf(await readDocument<Document>(app.url)).filter(
    ({ path, operation }) => path.startsWith('/admin/') && !NOT_SENT.has(operation.operationId),
  )

  const unchanged = await newWorld(app, 'getTestSignIn')
  for (const { method, path, operation } of operations) {
    const isRead = method.toUpperCase() === 'GET'
    const world = isRead ? unchanged : await newWorld(app, operation.operationId)
    const filled = (text: string) => world.reduce((so, [example, id]) => so.replaceAll(example, id), text)
    const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
    const target = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'path')
      .reduce((so, { name, example }) => so.replace(`{${name}}`, String(example)), path)

    const response = await fetch(app.url + filled(target + (QUERIES[operation.operationId] ?? '')), {
      method,
      headers: { authorization: `Bearer ${app.platform.token}`, ...(type && { 'content-type': type }) },
      ...(media && {
        body: type === 'image/png' ? new Uint8Array(pngOf()) : filled(JSON.stringify(media.example)),
      }),
    })

    const [status, { content }] = successOf(operation)
    const text = await response.text()
    assert.equal(String(response.status), status, `${operation.operationId} ${text}`)
    if (!content) continue
    const schema = Object.values(content)[0]!.schema
    assert.ok(
      validator.validate(schema, JSON.parse(text)),
      `${operation.operationId} ${validator.errorsText()}`,
    )
  }
})
