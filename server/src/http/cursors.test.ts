/** Walks over the lists of the admin API by cursor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linkMember } from '../../test/support/connections.ts'
import { statusAndPaths } from '../../test/support/http.ts'
import { newAddress, newOrganization } from '../../test/support/invitations.ts'
import { readDocument } from '../../test/support/openapi.ts'
import { type AdminClient, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'

type Page = {
  data: { id: string }[]
  page: number
  pageSize: number
  total: number
  nextCursor: string | null
}
const BOTH = ['', 'order=createdAt']

const addressOf = (path: string, ...queries: string[]) =>
  `${path}${path.includes('?') ? '&' : '?'}${queries.filter((query) => query !== '').join('&')}`

/** All pages of a list, the next by the cursor of the one before. `between` is called after each page. */
async function walk(
  client: AdminClient,
  path: string,
  query = '',
  between: (page: Page) => Promise<unknown> = async () => {},
): Promise<Page[]> {
  const pages: Page[] = []
  let cursor = ''
  while (true) {
    const { status, body } = await client.get(addressOf(path, query, cursor))
    assert.equal(status, 200, JSON.stringify(body))
    pages.push(body)
    if (body.nextCursor === null) return pages
    assert.ok(pages.length < 200, 'it does not end')
    cursor = `cursor=${body.nextCursor}`
    await between(body)
  }
}

const idsOf = (pages: Page[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))

/** Three or more rows of every list. */
async function fillLists(app: Awaited<ReturnType<typeof startTestApp>>): Promise<Record<string, string>> {
  const { platform, newSystem, newUser, newMembership, db, signIn } = app
  const { system, accountId, admin } = await newOrganization(app)
  const inSystem = `/admin/systems/${system.id}`
  const hook = { url: 'https://receiver.example/hook', enabled: true }
  const webhooks = []
  const connections = `/admin/accounts/${accountId}/connections`
  const { id: connectionId } = (await platform.post(connections, { name: 'Okta', kind: 'oidc' })).body
  for (const n of [1, 2, 3]) {
    await newSystem()
    const user = await newUser()
    await newMembership({ userId: user.id, accountId })
    await linkMember(app, { accountId, connectionId, userId: user.id, email: user.email })
    await newMembership({ userId: user.id, systemId: system.id, accountName: `Organization ${n}` })
    await platform.post(`${inSystem}/profiles`, { name: `Profile ${n}` })
    await platform.post(`/admin/accounts/${accountId}/invitations`, { email: newAddress() })
    await platform.post('/admin/operators', { userId: user.id, level: 'viewer' })
    await signIn(system, { email: admin.email })
    webhooks.push((await platform.post(`${inSystem}/webhooks`, hook)).body.id)
    await platform.post(`${inSystem}/webhooks/${webhooks[0]}/test`, {})
    await db.execute(sql`insert into background_jobs (kind, system_id, target_type, target_id, total, finished_at)
      values ('end_sessions', ${system.id}::uuid, 'system', ${system.id}, 0, now())`)
  }
  return {
    '/admin/systems': '/admin/systems',
    '/admin/systems/{systemId}/accounts': `${inSystem}/accounts`,
    '/admin/systems/{systemId}/profiles': `${inSystem}/profiles`,
    '/admin/systems/{systemId}/webhooks': `${inSystem}/webhooks`,
    '/admin/systems/{systemId}/webhooks/{webhookId}/deliveries': `${inSystem}/webhooks/${webhooks[0]}/deliveries`,
    '/admin/webhooks': `/admin/webhooks?systemId=${system.id}`,
    '/admin/users': `/admin/users?systemId=${system.id}`,
    '/admin/accounts': `/admin/accounts?systemId=${system.id}`,
    '/admin/accounts/{accountId}/connections/{connectionId}/links': `${connections}/${connectionId}/links`,
    '/admin/accounts/{accountId}/members': `/admin/accounts/${accountId}/members`,
    '/admin/accounts/{accountId}/invitations': `/admin/accounts/${accountId}/invitations`,
    '/admin/memberships': `/admin/memberships?systemId=${system.id}`,
    '/admin/sessions': `/admin/sessions?systemId=${system.id}`,
    '/admin/operators': '/admin/operators',
    '/admin/audit': `/admin/audit?systemId=${system.id}`,
    '/admin/jobs': `/admin/jobs?systemId=${system.id}`,
    '/admin/mail': '/admin/mail?kind=invitation',
  }
}

type Document = {
  paths: Record<
    string,
    {
      get?: {
        parameters?: { name: string }[]
        responses: Record<
          string,
          { content?: { 'application/json'?: { schema: { properties?: Record<string, unknown> } } } }
        >
      }
    }
  >
}

test('every list is walked by cursor in both orders, each row once, page by page as by number', async (t) => {
  const app = await startTestApp(t)
  const lists = await fillLists(app)
  const { paths } = await readDocument<Document>(app.url)
  const paged = Object.entries(paths).filter(([, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'pageSize'),
  )

  assert.deepEqual(Object.keys(lists).sort(), paged.map(([path]) => path).sort())
  for (const [path, { get }] of paged) {
    const names = get!.parameters!.map(({ name }) => name)
    assert.deepEqual(
      ['order', 'cursor'].filter((name) => !names.includes(name)),
      [],
      path,
    )
    const answer = get!.responses['200']!.content!['application/json']!.schema.properties!
    assert.ok('nextCursor' in answer, path)
    const list = lists[path]!
    const whole: Page = (await app.platform.get(addressOf(list, 'pageSize=100'))).body
    assert.ok(whole.data.length >= 3, `${path}: ${whole.data.length}`)
    assert.equal(whole.nextCursor, null, path)
    for (const order of BOTH) {
      const pages = await walk(app.platform, list, `${order}&pageSize=2`)
      const expected = whole.data.map(({ id }) => id)
      assert.deepEqual(idsOf(pages), order === '' ? expected : expected.reverse(), `${path} ${order}`)
      for (const [at, page] of pages.entries()) {
        const { body } = await app.platform.get(addressOf(list, order, `pageSize=2&page=${at + 1}`))
        assert.deepEqual(body, { ...page, nextCursor: body.nextCursor }, `${path} ${order}, page ${at + 1}`)
      }
    }
  }
})

test('rows that exist through a whole walk are seen exactly once, whatever is added and deleted', async (t) => {
  const { platform, db, newSystem } = await startTestApp(t)
  const moment = fc.integer({ min: 0, max: 12 })
  const times = fc.array(moment, { minLength: 1, maxLength: 40 })
  const changes = fc.array(fc.record({ added: fc.array(moment, { maxLength: 4 }), deleted: fc.nat(4) }), {
    minLength: 1,
    maxLength: 6,
  })
  const options = {
    order: fc.constantFrom(...BOTH),
    search: fc.constantFrom('', 'search=kept', 'search=k'),
    pageSize: fc.integer({ min: 1, max: 7 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  }

  await fc.assert(
    fc.asyncProperty(times, changes, fc.record(options), async (given, steps, chosen) => {
      const { id: systemId } = await newSystem()
      // Many have the same time to the microsecond, others differ in the last digit only.
      const insert = async (moments: number[]): Promise<string[]> =>
        moments.length === 0
          ? []
          : (
              (await db.execute(sql`insert into accounts (system_id, kind, name, created_at)
                select ${systemId}::uuid, 'organization', 'kept ' || n, timestamptz '2026-01-01 12:00:00.123450Z' + m * interval '1 microsecond'
                from unnest(${sql.param(moments)}::int[]) with ordinality as given(m, n) returning id`)) as unknown as {
                rows: { id: string }[]
              }
            ).rows.map(({ id }) => id)
      const first = await insert(given)
      const present = new Set(first)
      let random = chosen.seed
      const draw = (below: number) => {
        random = (random * 48_271) % 2_147_483_647
        return random % below
      }
      let at = 0
      const between = async () => {
        const { added, deleted } = steps[at % steps.length]!
        at += 1
        if (at > 20) return // otherwise a walk may never end
        for (let n = 0; n < deleted && present.size > 0; n += 1) {
          const id = [...present][draw(present.size)]!
          present.delete(id)
          await db.execute(sql`delete from accounts where id = ${id}`)
        }
        for (const id of await insert(added)) present.add(id)
      }

      const query = `${chosen.order}&${chosen.search}&pageSize=${chosen.pageSize}`.replace(/^&|&(?=&)/g, '')
      const pages = await walk(platform, `/admin/systems/${systemId}/accounts`, query, between)
      const seen = idsOf(pages)

      assert.equal(new Set(seen).size, seen.length, 'a row was seen twice')
      assert.deepEqual(
        first.filter((id) => present.has(id) && !seen.includes(id)),
        [],
        'a row was missed',
      )
      for (const [n, { page, total }] of pages.entries()) {
        assert.equal(page, n + 1)
        const soFar = idsOf(pages.slice(0, n + 1)).length
        if (n + 1 < pages.length) assert.ok(total > soFar, 'the total hides a next page')
        else if (n > 0) assert.equal(total, soFar)
      }
    }),
    { numRuns: 40 },
  )
})

test('five rows deleted between the pages cost no row that remains', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const list = `/admin/systems/${id}/profiles`
  for (let n = 0; n < 30; n += 1) await platform.post(list, { name: `Profile ${n}` })
  const before = new Set(idsOf(await walk(platform, list, 'pageSize=100')))

  for (const order of BOTH) {
    let deleted: string[] = []
    const pages = await walk(platform, list, `${order}&pageSize=10`, async ({ data }) => {
      if (deleted.length > 0) return
      deleted = data.slice(0, 5).map((row) => row.id)
      for (const profile of deleted) await platform.delete(`${list}/${profile}`)
    })

    assert.deepEqual(new Set(idsOf(pages)), before)
    for (const profile of deleted) before.delete(profile)
  }
})

test('a list of more than 10,000 rows is walked by cursor to its end, in both orders and with a search', async (t) => {
  const { platform, db, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  await db.execute(sql`insert into accounts (system_id, kind, name, created_at)
    select ${id}::uuid, 'organization', case when n % 2 = 0 then 'even ' else 'odd ' end || n, now() - (n / 3) * interval '1 second'
    from generate_series(1, 10150) n`)

  for (const [query, count, orders] of [
    ['', 10_150, BOTH],
    ['search=even', 5_075, BOTH],
    ['withoutAdmin=true', 10_150, ['order=createdAt']],
  ] as const)
    for (const order of orders) {
      const pages = await walk(platform, `/admin/accounts?systemId=${id}`, `${query}&${order}&pageSize=100`)
      const ids = idsOf(pages)
      assert.deepEqual([ids.length, new Set(ids).size], [count, count], `${query} ${order}`)
      assert.ok(pages.slice(0, -1).every(({ total }, at) => total > (at + 1) * 100))
      assert.equal(pages.at(-1)!.total, count)
      assert.equal(pages.at(-1)!.page, pages.length)
    }
})

test('sorted by another time, a walk by cursor has every row once; another order is refused', async (t) => {
  const app = await startTestApp(t)
  const { system } = await newOrganization(app)
  for (let n = 0; n < 5; n += 1) {
    const user = await app.newUser()
    await app.newMembership({ userId: user.id, systemId: system.id, accountName: `Organization ${n}` })
    if (n % 2 === 0)
      await app.db.execute(
        sql`update users set last_login_at = now() - ${n} * interval '1 day' where id = ${user.id}`,
      )
  }
  for (const list of ['/admin/users?sort=lastLoginAt', '/admin/memberships?sort=updatedAt']) {
    const path = `${list}&systemId=${system.id}`
    const whole = await walk(app.platform, path, 'pageSize=100')
    const pages = await walk(app.platform, path, 'pageSize=2')
    const refused = await app.platform.get(`${path}&order=createdAt`)

    assert.equal(whole.length, 1)
    assert.deepEqual(idsOf(pages), idsOf(whole))
    assert.deepEqual(
      [refused.body.code, ...statusAndPaths(refused)],
      ['invalid_request', 400, ['/query/order']],
    )
  }
  const same = await app.platform.get('/admin/memberships?sort=createdAt&order=createdAt')
  assert.equal(same.status, 200)
})

const decoded = (cursor: string) => Buffer.from(cursor, 'base64url').toString()
const encoded = (text: string) => Buffer.from(text).toString('base64url')

test('a cursor that is malformed, of another list, filter or order, or of another page is refused by name', async (t) => {
  const { platform, newSystem, newUser } = await startTestApp(t)
  const [one, other] = [await newSystem(), await newSystem()]
  await newUser()
  for (const { id } of [one, other])
    for (const n of [1, 2, 3]) await platform.post(`/admin/systems/${id}/profiles`, { name: `Profile ${n}` })
  const list = `/admin/systems/${one.id}/profiles`
  const { nextCursor } = (await platform.get(`${list}?pageSize=1`)).body
  const oldest = (await platform.get(`${list}?pageSize=1&order=createdAt`)).body.nextCursor
  const parts = decoded(nextCursor).split('.')
  const changed = (at: number, value: string) => encoded(parts.toSpliced(at, 1, value).join('.'))
  const ofUsers = (await platform.get('/admin/users?pageSize=1')).body.nextCursor

  const refused = [
    `${list}?cursor=`,
    `${list}?cursor=x`,
    `${list}?cursor=null`,
    `${list}?cursor=${'A'.repeat(300)}`,
    `${list}?cursor=${'A'.repeat(3_000)}`,
    `${list}?cursor=${nextCursor}!`,
    `${list}?cursor=${nextCursor.slice(0, -6)}`,
    `${list}?cursor=${nextCursor}%3D`,
    `${list}?cursor=${encoded(`${decoded(nextCursor)}\n`)}`,
    `${list}?cursor=${encodeURIComponent(JSON.stringify({ id: one.id }))}`,
    `${list}?cursor=${nextCursor}&order=createdAt`,
    `${list}?cursor=${oldest}`,
    `${list}?cursor=${nextCursor}&page=1`,
    `${list}?cursor=${nextCursor}&page=3`,
    `${list}?cursor=${nextCursor}&search=Profile`,
    `/admin/systems/${other.id}/profiles?cursor=${nextCursor}`,
    `/admin/systems/${one.id}/webhooks?cursor=${nextCursor}`,
    `/admin/systems?cursor=${nextCursor}`,
    `${list}?cursor=${ofUsers}`,
    ...['0', '-1', '1.5', '1e9', '', '99999999999'].map((page) => `${list}?cursor=${changed(2, page)}`),
    ...['x', '-0', '01', '1e3', '', '99999999999999999', "1'"].map(
      (time) => `${list}?cursor=${changed(3, time)}`,
    ),
    ...['x', '', "'", '\0', 'not-a-uuid', 'a'.repeat(65), one.id.toUpperCase().replace(/.$/, 'G')].map(
      (id) => `${list}?cursor=${changed(4, id)}`,
    ),
    ...['-1', '', 'x', '9'.repeat(13)].map((count) => `${list}?cursor=${changed(5, count)}`),
  ]
  for (const path of refused) {
    const answer = await platform.get(path)
    assert.deepEqual(
      [answer.body.code, ...statusAndPaths(answer)],
      ['invalid_request', 400, ['/query/cursor']],
      path,
    )
  }
  const twice = await platform.get(`${list}?cursor=${nextCursor}&cursor=${nextCursor}`)
  assert.equal(twice.status, 400)

  const taken = [
    `${list}?cursor=${nextCursor}`,
    `${list}?cursor=${nextCursor}&page=2`,
    `${list}?cursor=${nextCursor}&page=2&pageSize=1`,
    `${list}?cursor=${oldest}&order=createdAt&page=2`,
    ...['0', '-9999999999999999', '9999999999999999'].map((time) => `${list}?cursor=${changed(3, time)}`),
  ]
  for (const path of taken) assert.equal((await platform.get(path)).status, 200, path)
})

test('a cursor grants nothing: reach and filters apply to the request that presents it', async (t) => {
  const app = await startTestApp(t)
  const [mine, other] = [await newOrganization(app), await newOrganization(app)]
  for (const { system } of [mine, other, mine])
    for (const n of [1, 2, 3]) {
      const user = await app.newUser()
      await app.newMembership({ userId: user.id, systemId: system.id, accountName: `Organization ${n}` })
    }
  const all = (await app.platform.get('/admin/memberships?pageSize=1')).body

  for (const caller of [mine.service, mine.account]) {
    const { status, body } = await caller.get(`/admin/memberships?pageSize=100&cursor=${all.nextCursor}`)
    assert.equal(status, 200)
    assert.ok(
      body.data.length > 0 && body.data.every((row: { systemId: string }) => row.systemId === mine.system.id),
    )
  }
  const { nextCursor } = (await app.platform.get('/admin/operators?pageSize=1')).body
  const denied = await mine.service.get(`/admin/operators?cursor=${nextCursor ?? 'x'}`)
  assert.deepEqual([denied.status, denied.body.code], [403, 'insufficient_authority'])
})
