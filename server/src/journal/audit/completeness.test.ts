/** Every changing admin operation, once successful and once refused, with its audit entries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { CHANGES } from '../../../test/support/admin-changes.ts'
import { type App, type Change, newFixture } from '../../../test/support/admin-fixture.ts'
import { type Answer, adminClient, startTestApp } from '../../../test/support/testing.ts'
import { eq } from '../../database/drizzle.ts'
import { audit } from '../../database/schema.ts'

/** Forged audit fields, in the body and in headers. */
const FORGED_ID = '11111111-1111-4111-8111-111111111111'
const FORGED = {
  id: FORGED_ID,
  time: '2001-01-01T00:00:00Z',
  actor: { type: 'server', id: FORGED_ID, ip: '6.6.6.6' },
  actorId: FORGED_ID,
  requestId: FORGED_ID,
}
const FORGED_HEADERS = {
  'x-request-id': FORGED_ID,
  'request-id': FORGED_ID,
  'x-actor-id': FORGED_ID,
  'x-user-id': FORGED_ID,
  'x-forwarded-for': '6.6.6.6',
  'x-real-ip': '6.6.6.6',
  forwarded: 'for=6.6.6.6',
  prefer: 'handling=lenient', // without it, a field that is not of the operation is refused
}

/** One that changes nothing, and one that a service cannot send: email-texts.test.ts has its entry. */
const OTHERS = new Set(
  ['preview', 'test'].map((verb) => `POST /admin/systems/{systemId}/email-texts/{kind}/{locale}/${verb}`),
)

/** Of one caller 60 refusals in a minute have an entry. */
const CALLER_MAX = 50

/** The changing routes of the running app. */
async function changingRoutes({ platform }: App): Promise<string[]> {
  const { paths } = (await platform.get('/openapi.json')).body as { paths: Record<string, object> }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .filter((route) => !route.startsWith('GET ') && !OTHERS.has(route))
}

/** Sends a change with a unique user agent, by which its audit entries are found. */
async function send(
  app: App,
  token: string,
  route: string,
  { path, body, image, contentType }: Change,
  more: object = {},
) {
  const userAgent = `test/${crypto.randomUUID()}`
  const client = adminClient(app.url, token)
  const method = route.split(' ')[0]!.toLowerCase() as 'post' | 'put' | 'patch' | 'delete'
  const headers = {
    'user-agent': userAgent,
    ...FORGED_HEADERS,
    ...(contentType && { 'content-type': contentType }),
  }
  const answer = await client[method](path, image ?? (body && { ...body, ...more }), headers)
  if (typeof answer.body === 'string') answer.body = JSON.parse(answer.body) // a single line
  const entries = await app.db.select().from(audit).where(eq(audit.actorUserAgent, userAgent))
  return { answer, entries }
}

test('every changing operation has a row in this table', async (t) => {
  const app = await startTestApp(t)

  const routes = await changingRoutes(app)

  const missing = routes.filter((route) => !(route in CHANGES))
  assert.deepEqual(
    missing,
    [],
    'Add to CHANGES one valid request for each, with the action and the target of its entry.',
  )
  assert.deepEqual(
    Object.keys(CHANGES).toSorted(),
    routes.toSorted(),
    'A row of CHANGES has no operation any more.',
  )
})

test('P46: every change writes one audit entry, and no field of it can be forged', async (t) => {
  const app = await startTestApp(t)
  const clientId = decodeJwt(app.platform.token).sub

  for (const route of await changingRoutes(app)) {
    const change = await CHANGES[route]!(await newFixture(app))
    // A change of an id is rejected.
    const { id: _, ...forged } = FORGED
    const fields = route.startsWith('PATCH ') ? forged : FORGED
    const { answer, entries } = await send(app, app.platform.token, route, change, fields)

    assert.ok(answer.status < 300, `${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    const { body } = answer
    const results = body?.results?.map((each: { invitation?: { id: string } }) => each.invitation?.id)
    const targets: string[] = [change.id ?? body.id ?? body.kids ?? results].flat()
    assert.deepEqual(entries.map(({ targetId }) => targetId).sort(), targets.sort(), route)
    const { id, time, actorIp, requestId, targetId, ...entry } = entries[0]!
    const { action, outcome, actorType, actorId, targetType } = entry
    assert.deepEqual(
      { action, outcome, actorType, actorId, targetType },
      {
        action: change.action,
        outcome: 'success',
        actorType: 'service',
        actorId: clientId,
        targetType: change.type,
      },
      route,
    )
    assert.match(String(actorIp), /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/, route)
    assert.match(String(requestId), /^[0-9a-f-]{36}$/, route)
    assert.ok(![id, requestId, targetId].includes(FORGED_ID), route)
    assert.ok(Math.abs(time.getTime() - Date.now()) < 60_000, `${route}: ${time.toISOString()}`)
  }
})

test('P46: every change refused with 403 writes one denied entry and has no other effect', async (t) => {
  const app = await startTestApp(t)
  const newCaller = async () => {
    const { system, user } = await newFixture(app)
    return { system, user, token: (await app.signIn(system, { email: user.email })).access_token }
  }
  let caller = await newCaller()

  for (const [nth, route] of (await changingRoutes(app)).entries()) {
    if (nth % CALLER_MAX === CALLER_MAX - 1) caller = await newCaller()
    const { system, user, token } = caller
    const change = await CHANGES[route]!(await newFixture(app))
    const { answer, entries } = await send(app, token, route, change, FORGED)

    assert.deepEqual(outcomeOf(answer), [403, 'insufficient_authority'], route)
    assert.deepEqual(
      entries.map(({ action, outcome, actorType, actorId, requestId, systemId }) => [
        action,
        outcome,
        actorType,
        actorId,
        requestId,
        systemId,
      ]),
      [['access.denied', 'failure', 'user', user.id, answer.body.requestId, system.id]],
      route,
    )
    assert.ok(
      entries[0]!.actorIp !== null && entries[0]!.targetType !== null && entries[0]!.targetId !== null,
      route,
    )
  }
})

const outcomeOf = ({ status, body }: Answer) => [status, body?.code]
