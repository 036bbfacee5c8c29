/** What all operations of the admin API have in common: fields, query parameters, locations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathsOf } from '../../test/support/http.ts'
import { newOrganization } from '../../test/support/invitations.ts'
import { startTestApp } from '../../test/support/testing.ts'

test('a query parameter that a list does not have is named in Ignored-Fields', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const lists = ['users', 'memberships', 'sessions', 'audit', 'events', 'systems']
  const ofSystem = ['roles', 'profiles', 'accounts', 'webhooks'].map((list) => `systems/${id}/${list}`)
  const sent = { page: '1', pageSize: '5', search: 'x', status: 'active', systemId: id }
  const odd = ['constructor', '__proto__', 'toString', 'orderBy', 'a[b]', 'a.b']

  for (const list of [...lists, ...ofSystem]) {
    const all = await platform.get(`/admin/${list}?${new URLSearchParams(sent)}`)
    const others = await Promise.all(odd.map((name) => platform.get(`/admin/${list}?${name}=1`)))
    const strict = await platform.get(`/admin/${list}?orderBy=x`, { prefer: 'handling=strict' })

    assert.ok(all.status === 200 || all.status === 400, `${list}: ${all.status}`)
    for (const [at, { status, headers }] of others.entries())
      assert.deepEqual(
        [status, headers.get('ignored-fields')],
        [200, `query/${encodeURIComponent(odd[at]!)}`],
        list,
      )
    assert.deepEqual([strict.status, pathsOf(strict)], [400, ['/query/orderBy']], list)
  }
  const audit = await platform.get('/admin/audit?search=x&status=active')
  assert.deepEqual([audit.status, audit.headers.get('ignored-fields')], [200, 'query/search, query/status'])
})

test('a PATCH accepts read-only fields as they were read, and rejects other values', async (t) => {
  const { platform, newMember } = await startTestApp(t)
  const { user, system, membership } = await newMember()

  for (const path of [`users/${user.id}`, `systems/${system.id}`, `memberships/${membership.id}`]) {
    const { body } = await platform.get(`/admin/${path}`)
    const same = await platform.patch(`/admin/${path}`, body)
    const other = await platform.patch(`/admin/${path}`, { ...body, id: crypto.randomUUID() })

    assert.deepEqual([same.status, same.body], [200, body], path)
    assert.deepEqual([other.status, pathsOf(other)], [400, ['/id']], path)
  }
  const password = await platform.patch(`/admin/users/${user.id}`, { password: 'another horse battery' })
  const roles = await platform.patch(`/admin/memberships/${membership.id}`, {
    status: 'active',
    roles: ['x'],
  })
  assert.match(password.body.errors[0].message, /set-password/)
  assert.match(roles.body.errors[0].message, /\/roles/)
})

test('a browser gets a page for an unknown address, and other clients a problem', async (t) => {
  const { url } = await startTestApp(t)
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const at = (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers })

  const page = await at('/nowhere', browser)
  const others = [
    await at('/nowhere'),
    await at('/nowhere', { accept: 'application/json, text/html' }),
    await at('/admin/nowhere', browser),
  ]

  assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html'])
  assert.match(await page.text(), /<h1[^>]*>Page not found/)
  for (const { status, headers } of others)
    assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json; charset=utf-8'])
})

test('a created resource has a Location, which returns it, also when the creation is repeated', async (t) => {
  const { platform, newSystem, newUser } = await startTestApp(t)
  const [system, user] = [await newSystem({ multiAccount: true }), await newUser()]
  const key = { 'idempotency-key': crypto.randomUUID() }
  const email = `${crypto.randomUUID()}@example.test`
  const created = [
    await platform.post('/admin/systems', { name: 'Shop' }),
    await platform.post('/admin/users', { email }, key),
    await platform.post('/admin/users', { email }, key),
    await platform.post(`/admin/systems/${system.id}/roles`, { name: 'clerk' }),
    await platform.post(`/admin/systems/${system.id}/profiles`, { name: 'nurse' }),
    await platform.post(`/admin/systems/${system.id}/webhooks`, { url: 'https://shop.example/hook' }),
    await platform.post('/admin/memberships', { userId: user.id, systemId: system.id }),
  ]

  for (const { status, headers, body } of created) {
    const found = await platform.get(headers.get('location') ?? '')

    assert.deepEqual([status, found.status, found.body.id], [201, 200, body.id])
  }
})

test('a PATCH accepts a JSON merge patch', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const { id } = await newUser({ name: 'Ana', locale: 'de' })
  const type = { 'content-type': 'application/merge-patch+json' }

  const { status, body } = await platform.patch(`/admin/users/${id}`, { name: null }, type)

  assert.deepEqual([status, body.name, body.locale], [200, null, 'de'])
})

test('the page at / leads to the account pages, the console, the API documentation and the discovery document', async (t) => {
  const visitor = (await startTestApp(t)).newBrowser()

  const text = String((await visitor.get('/', { 'accept-language': 'es' })).body)
  const paths = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)]
    .map(([, path]) => path!)
    .filter((path) => !path.startsWith('/language/'))

  assert.match(text, /<html lang="es"/)
  assert.deepEqual(paths, ['/account', '/console/', '/docs', '/.well-known/openid-configuration'])
  for (const path of paths) assert.equal((await visitor.follow(await visitor.get(path))).status, 200, path)
})

test('what each caller reads of a resource can be sent back in a PATCH of it', async (t) => {
  const app = await startTestApp(t)
  const { platform, newUser, newMembership } = app
  const { system, accountId, role, account, service } = await newOrganization(app, {
    allowServiceAccounts: true,
  })
  const member = await newUser({ name: 'Bea' })
  const membership = await newMembership({ userId: member.id, accountId })
  const key = await platform.post(`/admin/accounts/${accountId}/service-accounts`, { name: 'nightly' })
  const of = { membership: `/admin/memberships/${membership.id}`, system: `/admin/systems/${system.id}` }
  const anyone = [
    [of.membership],
    [`${of.membership}/roles`, of.membership],
    [`${of.membership}/profiles`, of.membership],
    [`/admin/accounts/${accountId}`],
    [`/admin/accounts/${accountId}/service-accounts/${key.body.id}`],
  ]
  const systems = [[of.system], [`${of.system}/roles/${role.id}`]]
  const cases = [
    [platform, [...anyone, ...systems, [`/admin/users/${member.id}`]]],
    [service, [...anyone, ...systems]],
    [account, anyone],
  ] as const

  for (const [caller, paths] of cases)
    for (const [path, read = path] of paths) {
      const { body } = await caller.get(read!)
      const sent = await caller.patch(path!, body)
      const other = await caller.patch(path!, { ...body, systemId: crypto.randomUUID(), id: body.id })

      assert.deepEqual([sent.status, sent.body], [200, body], path)
      assert.equal(other.status, 400, path)
    }
})
