import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { concurrently } from '../../test/support/waiting.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** For each resource with PATCH: the paths to read and change it, and two different bodies. */
async function everyResource({ platform, newSystem, newUser, newRole, newMembership }: App) {
  const [system, user] = [await newSystem({ multiAccount: true }), await newUser()]
  const roles = [await newRole(system.id), await newRole(system.id)]
  const profile = (await platform.post(`/admin/systems/${system.id}/profiles`, { name: 'seller' })).body
  const membership = await newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })
  const of = `/admin/memberships/${membership.id}`
  const one = (path: string, bodies: object[], read = path) => ({ path, read, bodies })
  return [
    one(`/admin/systems/${system.id}`, [{ name: 'a' }, { name: 'b' }]),
    one(`/admin/systems/${system.id}/profiles/${profile.id}`, [{ description: 'a' }, { description: 'b' }]),
    one(`/admin/users/${user.id}`, [{ name: 'a' }, { name: 'b' }]),
    one(`/admin/accounts/${membership.account.id}`, [{ name: 'a' }, { name: 'b' }]),
    one(of, [{ status: 'blocked' }, { status: 'active' }]),
    one(`${of}/roles`, [{ roles: [roles[0].id] }, { roles: [roles[1].id] }], of),
    one(`${of}/profiles`, [{ profiles: [profile.id] }, { profiles: [] }], of),
  ]
}

test('every resource has a version that changes with it, and PATCH can require one', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app

  for (const { path, read, bodies } of await everyResource(app)) {
    const first = (await platform.get(read)).headers.get('etag') ?? ''
    const changed = await platform.patch(path, bodies[0], { 'if-match': first })
    const [now, reread] = [changed.headers.get('etag') ?? '', (await platform.get(read)).headers.get('etag')]
    const late = await platform.patch(path, bodies[1], { 'if-match': first })
    const kept = await platform.get(read)
    const listed = await platform.patch(path, bodies[1], { 'if-match': `${first}, ${now}` })

    assert.match(first, /^"[\w-]{27}"$/, path)
    assert.deepEqual([changed.status, reread, now !== first], [200, now, true], path)
    assert.deepEqual([late.status, late.body.code], [412, 'version_conflict'], path)
    assert.deepEqual([kept.headers.get('etag'), kept.body], [now, changed.body], path)
    assert.deepEqual([listed.status, listed.headers.get('etag') !== now], [200, true], path)
  }
})

test('a role, which is read only in its list, has the version of its last response', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/roles`
  const made = await platform.post(path, { name: 'owner' })
  const first = { 'if-match': made.headers.get('etag') ?? '' }

  const answers = [
    await platform.patch(`${path}/${made.body.id}`, { name: 'boss' }, first),
    await platform.patch(`${path}/${made.body.id}`, { name: 'chief' }, first),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 412],
  )
  assert.equal((await platform.get(path)).headers.get('etag'), null)
  assert.equal((await platform.get(path)).body[0].name, 'boss')
})

test('of 20 concurrent changes with one version exactly one succeeds', async (t) => {
  const { platform, newSystem, newUser, newRole, newMembership, audited } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const membership = await newMembership({ userId: (await newUser()).id, systemId: system.id })
  const role = await newRole(system.id)
  const version = async (path: string) => ({
    'if-match': (await platform.get(path)).headers.get('etag') ?? '',
  })
  const [ofSystem, ofMembership] = [`/admin/systems/${system.id}`, `/admin/memberships/${membership.id}`]
  const seen = { system: await version(ofSystem), membership: await version(ofMembership) }

  const renames = await concurrently(20, (nth) =>
    platform.patch(ofSystem, { name: `name ${nth}` }, seen.system),
  )
  const assignments = await concurrently(20, (nth) =>
    platform.patch(`${ofMembership}/roles`, { [nth % 2 ? 'add' : 'roles']: [role.id] }, seen.membership),
  )

  for (const answers of [renames, assignments])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)])
  const winner = renames.find(({ status }) => status === 200)!
  assert.equal((await platform.get(ofSystem)).body.name, winner.body.name)
  assert.equal((await audited({ targetId: system.id, action: 'system.updated' })).length, 1)
  assert.equal((await audited({ targetId: membership.id, action: 'membership.roles_changed' })).length, 1)
})

test('the ETag of a creation response equals that of a later read', async (t) => {
  const { platform } = await startTestApp(t)
  const key = { 'idempotency-key': crypto.randomUUID() }

  const made = await platform.post('/admin/systems', { name: 'Shop' }, key)
  const again = await platform.post('/admin/systems', { name: 'Shop' }, key)

  const read = await platform.get(`/admin/systems/${made.body.id}`)
  assert.ok(made.body.clientSecret)
  assert.equal(made.headers.get('etag'), read.headers.get('etag'))
  assert.equal(again.headers.get('etag'), read.headers.get('etag'))
})

/** What proxies that compress make of a tag; the last form is that of Apache before 2.4. */
const MARKED = [
  (tag: string) => `W/${tag}`,
  ...['-gzip', '--gzip', ';gzip', ':gzip', '-br', ';br', '-zstd', '-deflate', '.gz', '_gzip'].flatMap(
    (mark) => [
      (tag: string) => tag.replace(/"$/, `${mark}"`),
      (tag: string) => `W/${tag.replace(/"$/, `${mark}"`)}`,
    ],
  ),
  (tag: string) => tag.replace(/^"/, '"gzip-'),
  (tag: string) => `${tag}-gzip`,
]

test('the opaque tag decides, whatever a proxy that compresses put around it', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  const path = `/admin/systems/${(await app.newSystem()).id}`
  const read = async () => (await platform.get(path)).headers.get('etag') ?? ''

  for (const mark of MARKED) {
    const [before, form] = [await read(), mark('"tag"')]
    const alone = await platform.get(path, { 'if-none-match': mark(before) })
    const unchanged = await platform.get(path, { 'if-none-match': `"x-gzip", ${mark(before)}` })
    const changed = await platform.patch(path, { name: crypto.randomUUID() }, { 'if-match': mark(before) })
    const listed = await platform.patch(
      path,
      { name: crypto.randomUUID() },
      { 'if-match': `${mark(before)}, ${mark(await read())}` },
    )
    const late = await platform.patch(path, { name: 'late' }, { 'if-match': mark(before) })
    const old = await platform.get(path, { 'if-none-match': mark(before) })

    assert.deepEqual(
      [alone, unchanged, changed, listed, late, old].map(({ status }) => status),
      [304, 304, 200, 200, 412, 200],
      form,
    )
  }
})

test('every resource accepts the version that a proxy marked, and none accepts another tag', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app

  for (const { path, read, bodies } of await everyResource(app)) {
    const tag = (await platform.get(read)).headers.get('etag') ?? ''
    const other = []
    for (const each of [
      tag.replace(/"$/, 'x"'),
      tag.replace(/^"./, '"'),
      'W/"-gzip"',
      '""',
      `"${tag.slice(1, -2)}-gzip"`,
    ])
      other.push((await platform.patch(path, bodies[0], { 'if-match': each })).status)
    const marked = await platform.patch(path, bodies[0], { 'if-match': `W/${tag}` })

    assert.deepEqual(other, [412, 412, 412, 412, 412], path)
    assert.equal(marked.status, 200, path)
  }
})

test('If-Match * matches any version, and an invalid tag is 400', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const path = `/admin/systems/${id}`
  const version = (await platform.get(path)).headers.get('etag') ?? ''
  const send = (condition: string, to = path) =>
    platform.patch(to, { name: crypto.randomUUID() }, { 'if-match': condition })

  const faulty = await Promise.all(
    ['', 'abc', '"', '"a" "b"', '"a', '*, "a"', version.slice(1)].map((each) => send(each)),
  )
  const unknown = await send('*', `/admin/systems/${crypto.randomUUID()}`)
  const any = await send('*')

  for (const answer of faulty) assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'])
  assert.deepEqual([unknown.status, any.status], [404, 200])
})

test('an operation that does not support If-Match refuses it without effect', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const version = { 'if-match': (await platform.get(`/admin/systems/${id}`)).headers.get('etag') ?? '' }

  const answers = [
    await platform.delete(`/admin/systems/${id}`, undefined, version),
    await platform.post(`/admin/systems/${id}/roles`, { name: 'owner' }, version),
  ]

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    [
      [400, 'invalid_request'],
      [400, 'invalid_request'],
    ],
  )
  assert.deepEqual((await platform.get(`/admin/systems/${id}/roles`)).body, [])
})

test('If-None-Match with the current version is answered 304', async (t) => {
  const { url, platform, newUser } = await startTestApp(t)
  const path = `/admin/users/${(await newUser()).id}`
  const version = (await platform.get(path)).headers.get('etag') ?? ''
  const read = (condition: string) => platform.get(path, { 'if-none-match': condition })

  const same = await Promise.all([version, `"x", W/${version}`, '*'].map(read))
  const other = await read('"x"')
  const headers = { authorization: `Bearer ${platform.token}`, 'if-none-match': version }
  const head = await fetch(url + path, { method: 'HEAD', headers })

  for (const { status, headers, body } of same)
    assert.deepEqual(
      [status, headers.get('etag'), headers.get('content-type'), body],
      [304, version, null, undefined],
    )
  assert.deepEqual([other.status, other.headers.get('etag')], [200, version])
  assert.deepEqual([head.status, head.headers.get('etag')], [304, version])
})
