/** Traces, as a collector receives them by OTLP over HTTP. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ON_POSTGRES } from '../support/locks.ts'
import { createDatabase } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import {
  adminClient,
  authorizeAt,
  codeFields,
  PASSWORD,
  serviceToken,
  tokenRequest,
} from '../support/testing.ts'
import { endsBefore, SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }
const CANARY = 'k4n4ry'

type Attribute = { key: string; value: Record<string, unknown> }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
}
type Received = { resourceSpans: { resource: object; scopeSpans: { spans: Span[] }[] }[] }

/** A collector that accepts traces. */
async function startCollector(t: TestContext) {
  const received: { path: string; key: unknown; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      received.push({ path: request.url ?? '', key: request.headers['x-api-key'], body })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const spans = () =>
    received
      .flatMap(({ body }) => (JSON.parse(body) as Received).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans }
}

async function start(t: TestContext, env: Record<string, string> = {}) {
  const { DATABASE_URL } = process.env
  const database = DATABASE_URL ? await createDatabase(DATABASE_URL) : undefined
  const collector = await startCollector(t)
  const server = await startServer({
    env: {
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=the%20key',
      OTEL_TRACES_SAMPLER_ARG: '1',
      ...(database && { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, 32 characters or more' }),
      ...env,
    },
  })
  t.after(async () => {
    await server.close()
    await database?.drop()
  })
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  return { ...server, collector, platform }
}

const attributeOf = ({ attributes }: Span, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

test('a request is a span with its route pattern, status and request id', async (t) => {
  const { platform, collector, kill } = await start(t)
  const id = crypto.randomUUID()

  const answer = await platform.get(`/admin/users/${id}`)
  await kill('SIGTERM')

  const span = collector.spans().find(({ name }) => name === 'GET /admin/users/:userId')!
  assert.equal(span.kind, 2, 'SPAN_KIND_SERVER')
  assert.equal(attributeOf(span, 'http.route'), '/admin/users/:userId')
  assert.equal(Number(attributeOf(span, 'http.response.status_code')), 404)
  assert.equal(attributeOf(span, 'tenantry.request_id'), answer.body.requestId)
  assert.equal(span.parentSpanId ?? '', '')
  const [first] = collector.received
  assert.deepEqual([first?.path, first?.key], ['/v1/traces', 'the key'])
  assert.match(first!.body, /"service\.name","value":\{"stringValue":"tenantry"\}/)
})

test('the statements of a request are spans below it, by name and without values', ON_POSTGRES, async (t) => {
  const { platform, collector, kill } = await start(t)
  await platform.post('/admin/users', { email: `${CANARY}@example.test`, password: PASSWORD })
  await kill('SIGTERM')

  const spans = collector.spans()
  const request = spans.find(({ name }) => name === 'POST /admin/users')!
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId)
  const names = statements.map(({ name }) => name)
  assert.ok(names.includes('begin') && names.includes('commit') && names.includes('insert'), names.join())
  assert.ok(names.includes('insert_audit_entry'), names.join())
  for (const each of statements) {
    assert.equal(each.traceId, request.traceId)
    assert.deepEqual(each.attributes.map(({ key }) => key).sort(), ['db.operation.name', 'db.system.name'])
    assert.match(each.name, /^[a-z_]{3,40}$/)
  }
})

test('a caller links its trace, and decides neither the trace id nor what is recorded', async (t) => {
  const { url, collector, kill } = await start(t, { OTEL_TRACES_SAMPLER_ARG: '0' })
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  const ask = (address: string, traceparent: string) =>
    fetch(`${address}/health`, { headers: { traceparent } })
  await ask(url, `00-${traceId}-${spanId}-01`)
  await kill('SIGTERM')
  const traced = await start(t)
  await ask(traced.url, `00-${traceId}-${spanId}-00`)
  await ask(traced.url, `00-${traceId}-${spanId}-${CANARY}`)
  await traced.kill('SIGTERM')

  assert.deepEqual(collector.spans(), [], 'nothing is sampled')
  const spans = traced.collector.spans().filter(({ name }) => name === 'GET /health')
  assert.equal(spans.length, 2)
  assert.deepEqual(
    spans.map(({ links = [] }) => links.map((link) => [link.traceId, link.spanId])),
    [[[traceId, spanId]], []],
  )
  for (const span of spans) assert.notEqual(span.traceId, traceId)
})

test('a call to a webhook is a span without its address, and the receiver gets no trace', async (t) => {
  const { platform, collector, kill } = await start(t)
  const received: object[] = []
  const receiver = createServer((request, response) => {
    received.push(request.headers)
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const system = (
    await platform.post('/admin/systems', { name: 'Shop', redirectUris: ['https://a.example/'] })
  ).body
  const webhook = { url: `http://127.0.0.1:${port}/${CANARY}?key=${CANARY}` }
  await platform.post(`/admin/systems/${system.id}/webhooks`, webhook)
  const user = (await platform.post('/admin/users', { email: 'user@example.test' })).body
  await platform.post('/admin/memberships', { userId: user.id, systemId: system.id })
  await t.waitFor(() => assert.ok(received.length > 0), SOON)
  await kill('SIGTERM')

  const span = collector.spans().find(({ name }) => name === 'POST webhook')!
  assert.equal(Number(attributeOf(span, 'http.response.status_code')), 204)
  assert.equal(span.kind, 3, 'SPAN_KIND_CLIENT')
  assert.ok(!JSON.stringify(received).includes('traceparent'))
  assert.ok(!collector.received.some(({ body }) => body.includes(CANARY) || body.includes(String(port))))
})

test('P45: no secret, token, email address or network address is in a trace', async (t) => {
  const { url, platform, collector, kill } = await start(t)
  const system = (
    await platform.post('/admin/systems', {
      name: `${CANARY} Shop`,
      redirectUris: [`https://${CANARY}.example/cb`],
      allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
      skipConsent: true,
    })
  ).body
  const email = `${CANARY}@example.test`
  const user = (await platform.post('/admin/users', { email, password: PASSWORD, name: CANARY })).body
  await platform.post('/admin/memberships', { userId: user.id, systemId: system.id })
  const authorized = await authorizeAt(url, system, { email })
  const tokens = (await tokenRequest(url, system, codeFields(system, authorized))).body
  await tokenRequest(url, { ...system, clientSecret: CANARY }, { grant_type: 'refresh_token' })
  await authorizeAt(url, system, { email, password: `${CANARY} wrong` })
  await adminClient(url, `${CANARY}`).get(`/admin/users?email=${email}`)
  await fetch(`${url}/${CANARY}?token=${CANARY}`, { headers: { 'user-agent': CANARY } })
  await kill('SIGTERM')

  const text = collector.received.map(({ body }) => body).join('\n')
  const { code } = authorized.back
  const cookies = [...authorized.visitor.jar.values()].map(({ value }) => value)
  const secrets = [tokens.access_token, tokens.refresh_token, code, system.clientSecret, PASSWORD, ...cookies]
  for (const secret of [...secrets, CANARY, user.id, system.id, '127.0.0.1', '::1', '@example'])
    assert.ok(typeof secret === 'string' && secret !== '' && !text.includes(secret), `a trace has ${secret}`)
  const names = new Set(collector.spans().map(({ name }) => name))
  for (const name of ['GET /auth', 'POST /interaction/:uid/login', 'POST /token', 'GET none'])
    assert.ok(names.has(name), `${name} is missing in ${[...names]}`)
})

test('a collector that does not answer delays no request and no stop by more than seconds', async (t) => {
  const collector = createServer().listen(0, '127.0.0.1') // accepts, and sends nothing
  await once(collector, 'listening')
  t.after(() => {
    collector.closeAllConnections()
    collector.close()
  })
  const { port } = collector.address() as AddressInfo
  const { url, kill } = await start(t, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })

  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/health`)))
  const exit = kill('SIGTERM')
  const isSoon = await endsBefore(10_000, exit) // how long an export waits for its response
  const { code } = await exit

  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(code, 0)
  assert.ok(isSoon)
})

test('invalid settings of traces are named', async () => {
  const { stderr, code } = await startToEnd({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'key',
    OTEL_TRACES_SAMPLER_ARG: '2',
  })

  assert.equal(code, 1)
  const named = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0])
  const expected = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG']
  assert.deepEqual(named, expected)
})
