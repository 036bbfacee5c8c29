/** Which requests the API of the console accepts: every operation, refused in each way, and once accepted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANGES } from '../../test/support/admin-changes.ts'
import { newFixture } from '../../test/support/admin-fixture.ts'
import { consoleHeaders, newAccountAdmin, newOperator } from '../../test/support/console.ts'
import { type Answer, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { audit } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Headers = Record<string, string>

const outcome = ({ status, body }: Answer) => [status, body?.code]

/** The paths of all reading operations of the console, with ids that do not exist. CHANGES has the others. */
const readsOf = ({ app }: App) =>
  app.declared
    .filter(({ method, url }) => method === 'GET' && url.startsWith('/console/api/admin/'))
    .map(({ url }) => url.replace(/:\w+/g, () => crypto.randomUUID()))

const without = (headers: Headers, ...names: string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** Requests that another site, or a page of an earlier user, could send. Each with its refusal. */
function forgeriesOf(own: Headers): [name: string, headers: Headers, refusal: unknown[], methods?: RegExp][] {
  const rejected = [403, 'csrf_rejected']
  const absent = [404, 'context_not_found']
  return [
    ['a foreign origin', { ...own, origin: 'https://evil.example' }, rejected],
    ['an opaque origin', { ...without(own, 'sec-fetch-site'), origin: 'null' }, rejected],
    ['another site', { ...own, 'sec-fetch-site': 'cross-site' }, rejected],
    [
      'another site without its origin',
      { ...without(own, 'origin'), 'sec-fetch-site': 'cross-site' },
      rejected,
    ],
    ['a sibling domain', { ...own, 'sec-fetch-site': 'same-site' }, rejected],
    ['a bookmark', { ...without(own, 'origin'), 'sec-fetch-site': 'none' }, rejected],
    ['no origin', without(own, 'origin', 'sec-fetch-site'), rejected, /^(?!GET|HEAD)/],
    ['no context', without(own, 'tenantry-context'), [400, 'context_required']],
    ['an unknown context', { ...own, 'tenantry-context': 'everything' }, absent],
    ['an unknown system', { ...own, 'tenantry-context': `system:${crypto.randomUUID()}` }, absent],
    ['an unknown account', { ...own, 'tenantry-context': `account:${crypto.randomUUID()}` }, absent],
    ['no user', without(own, 'tenantry-user'), [400, 'user_required'], /^(?!GET|HEAD)/],
    ['another user', { ...own, 'tenantry-user': crypto.randomUUID() }, [409, 'user_changed']],
    ['no cookie', { ...own, cookie: '' }, [401, 'sign_in_required']],
    ['a forged cookie', { ...own, cookie: '_session=x; _session.sig=x' }, [401, 'sign_in_required']],
  ]
}

/** Another browser for headers with a cookie of their own: a forged one is removed by the response. */
const through = (app: App, browser: TestBrowser, { cookie }: Headers) =>
  cookie === undefined ? browser : app.newBrowser()

test('P57: no operation of the console is accepted from another site, without a context or for another user', async (t) => {
  const app = await startTestApp(t)
  const { user, browser } = await newOperator(app)
  const own = consoleHeaders(app.url, user, 'platform')
  const operations = readsOf(app)
  const bearer = { authorization: `Bearer ${app.platform.token}` }

  assert.ok(operations.length > 30)
  for (const path of operations) {
    const send = (headers: Headers) => through(app, browser, headers).request(path, { headers })
    await Promise.all(
      forgeriesOf(own).map(async ([name, headers, refusal, methods = /./]) => {
        if (!methods.test('GET')) return
        const answer = await send(headers)
        assert.deepEqual(outcome(answer), refusal, `${path} with ${name}`)
        assert.deepEqual(
          [answer.headers.get('cache-control'), answer.headers.get('access-control-allow-origin')],
          ['no-store', null],
        )
      }),
    )
    const withToken = await send({ ...own, ...bearer, cookie: '' })
    const atAdmin = await browser.request(path.replace('/console/api', ''), { headers: own })
    assert.deepEqual([withToken.status, atAdmin.status], [401, 401], path)
  }
})

/** Of one user 60 refusals in a minute have an entry. */
const VIEWER_MAX = 50

test('P57, P58: every change is refused to another site and to a viewer, and recorded for an admin', async (t) => {
  const app = await startTestApp(t)
  const admin = await newOperator(app)
  const newViewer = () => newOperator(app, { level: 'viewer' })
  let viewer = await newViewer()
  const own = consoleHeaders(app.url, admin.user, 'platform')

  for (const [nth, [route, prepare]] of Object.entries(CHANGES).entries()) {
    if (nth % VIEWER_MAX === VIEWER_MAX - 1) viewer = await newViewer()
    const { path, body, image, contentType, action } = await prepare(await newFixture(app))
    const userAgent = `test/${crypto.randomUUID()}`
    const init = {
      method: route.split(' ')[0]!,
      ...(body && { body: JSON.stringify(body) }),
      ...(image && { body: image as BodyInit }),
    }
    const type = (body ?? image) && { 'content-type': contentType ?? 'application/json' }
    const send = ({ browser }: typeof admin, headers: Headers) =>
      through(app, browser, headers).request(`/console/api${path}`, {
        ...init,
        headers: { ...headers, ...type, 'user-agent': userAgent },
      })

    await Promise.all(
      forgeriesOf(own).map(async ([name, headers, refusal]) =>
        assert.deepEqual(outcome(await send(admin, headers)), refusal, `${route} with ${name}`),
      ),
    )
    const refused = await send(viewer, consoleHeaders(app.url, viewer.user, 'platform'))
    const accepted = await send(admin, own)

    assert.deepEqual(outcome(refused), [403, 'read_only'], route)
    assert.ok(accepted.status < 300, `${route}: ${accepted.status} ${JSON.stringify(accepted.body)}`)
    const entries = await app.db.select().from(audit).where(eq(audit.actorUserAgent, userAgent))
    const recorded = entries.map(({ action, actorId, actorVia }) => `${action} ${actorId} ${actorVia}`)
    assert.deepEqual(
      [...new Set(recorded)].sort(),
      [`access.denied ${viewer.user.id} console`, `${action} ${admin.user.id} console`].sort(),
      route,
    )
  }
})

test('P58: a context gives the authority of the user there, and viewing another place changes nothing', async (t) => {
  const app = await startTestApp(t)
  const [shop, rival] = [
    await app.newSystem({ multiAccount: true }),
    await app.newSystem({ multiAccount: true }),
  ]
  const boss = await newAccountAdmin(app, shop)
  const keeper = await newOperator(app, { systemId: shop.id })
  const admin = await newOperator(app)
  const account = `account:${boss.membership.accountId}`
  const places = ['platform', `system:${shop.id}`, `system:${rival.id}`, account]
  const as = async (user: { id: string }, browser: typeof admin.browser, method: string, path: string) =>
    Promise.all(
      places.map(async (context) => {
        const headers = consoleHeaders(app.url, user, context)
        return (await browser.request(`/console/api${path}`, { method, headers })).status
      }),
    )

  const read = '/admin/memberships'
  assert.deepEqual(await as(boss.user, boss.browser, 'GET', read), [404, 404, 404, 200])
  assert.deepEqual(await as(keeper.user, keeper.browser, 'GET', read), [404, 200, 404, 404])
  assert.deepEqual(await as(admin.user, admin.browser, 'GET', read), [200, 200, 200, 200])
  // Viewing has the authority of the place: what only a higher one may read is refused.
  assert.deepEqual(await as(admin.user, admin.browser, 'GET', '/admin/operators'), [200, 403, 403, 403])
  assert.deepEqual(await as(admin.user, admin.browser, 'GET', '/admin/users'), [200, 200, 200, 403])
  const target = `/admin/memberships/${boss.membership.id}`
  assert.deepEqual(await as(admin.user, admin.browser, 'GET', target), [200, 200, 404, 200])
  assert.deepEqual(await as(admin.user, admin.browser, 'DELETE', target), [204, 403, 403, 403])
})

test('P58: an idempotency key is valid for one user in one context', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true })
  const [one, two] = [await newOperator(app), await newOperator(app)]
  const keeper = await newOperator(app, { systemId: system.id })
  await app.platform.post('/admin/operators', { userId: keeper.user.id, level: 'admin' })
  const key = { 'idempotency-key': crypto.randomUUID() }
  const body = { name: `role-${crypto.randomUUID()}` }
  const path = `/admin/systems/${system.id}/roles`

  const created = await one.client.post(path, body, key)
  const repeated = await one.client.post(path, body, key)
  const others = [
    await two.client.post(path, body, key),
    await keeper.client.post(path, body, key),
    await keeper.inContext('platform').post(path, body, key),
    await app.platform.post(path, body, key),
  ]

  assert.deepEqual([created.status, repeated.status, repeated.body], [201, 201, created.body])
  assert.equal(repeated.headers.get('idempotency-replayed'), 'true')
  for (const answer of others) assert.deepEqual(outcome(answer), [409, 'role_name_taken'])
})

test('P58: a platform system has no operators, who would be admins of the installation', async (t) => {
  const app = await startTestApp(t)
  const { body } = await app.platform.get('/admin/systems?search=tenantry')
  const platform = body.data.find(({ clientId }: { clientId: string }) => clientId === 'tenantry-console')
  const user = await app.newUser()

  const answer = await app.platform.post('/admin/operators', {
    userId: user.id,
    systemId: platform.id,
    level: 'admin',
  })

  assert.deepEqual(outcome(answer), [400, 'invalid_request'])
})
