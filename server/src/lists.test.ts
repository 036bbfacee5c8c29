/** What every list promises of its pages and its `total`, also where it is too long to be counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from './db.ts'
import { sql } from './drizzle.ts'
import { type AdminClient, startTestApp } from './testing.ts'

/** Audit entries of a system that is nowhere else, several of them at the same time. */
async function fillAudit(db: Db, count: number): Promise<string> {
  const systemId = crypto.randomUUID()
  await db.execute(sql`insert into audit (time, action, outcome, actor_type, system_id)
    select now() - (n / 7) * interval '1 second', 'test.made', 'success', 'server', ${systemId}::uuid from generate_series(1, ${count}) n`)
  return systemId
}

/** Everything, in the way a caller reads a list: page by page while `total` says that there is more. */
async function readAll(client: AdminClient, path: string, pageSize: number) {
  const pages: { data: { id: string }[]; total: number }[] = []
  let total = 1
  for (let page = 1; (page - 1) * pageSize < total; page += 1) {
    assert.ok(page < 200, 'it does not end')
    const { body } = await client.get(`${path}&page=${page}&pageSize=${pageSize}`)
    pages.push(body)
    total = body.total
  }
  return { rows: pages.flatMap(({ data }) => data), totals: pages.map((page) => page.total) }
}

for (const [count, exact] of [
  [9_999, true],
  [10_000, true],
  [10_001, false],
  [10_101, false],
] as const)
  test(`a list of ${count} is read whole and once by who asks for the next page while page * pageSize < total`, async (t) => {
    const { platform, db } = await startTestApp(t)
    const systemId = await fillAudit(db, count)

    const { rows, totals } = await readAll(platform, `/admin/audit?systemId=${systemId}`, 100)

    assert.deepEqual([rows.length, new Set(rows.map(({ id }) => id)).size], [count, count])
    assert.equal(totals.at(-1), count)
    if (exact) assert.deepEqual(new Set(totals), new Set([count]))
    else
      assert.ok(totals.every((total, page) => total > 10_000 && total <= count && total >= Math.min(count, (page + 1) * 100 + 1)))
  })

test('beyond the end there is an empty page, whose total ends the reading', async (t) => {
  const { platform, db } = await startTestApp(t)
  const [short, long] = [await fillAudit(db, 5), await fillAudit(db, 10_500)]

  const answers = await Promise.all(
    [`${short}&page=7`, `${long}&page=600`, `${short}&page=1000000000&pageSize=1000000000`].map((query) =>
      platform.get(`/admin/audit?systemId=${query}`),
    ),
  )

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.data, body.total]),
    [
      [200, [], 5],
      [200, [], 10_001],
      [200, [], 5],
    ],
  )
})

test("a system's list has each of its users once, however many memberships they have, those who joined last first", async (t) => {
  const { serviceOf, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const [ana, bob, eva] = [await newUser(), await newUser(), await newUser()]
  for (const user of [eva, bob, ana, bob]) await newMembership({ userId: user.id, systemId: system.id })

  const { rows, totals } = await readAll(await serviceOf(system), '/admin/users?', 2)

  assert.deepEqual(
    rows.map(({ id }) => id),
    [bob.id, ana.id, eva.id],
  )
  assert.deepEqual(totals, [3, 3])
})

test('what matches is found newest first also where more than can be counted is older than the newest 20,000', async (t) => {
  const { platform, db } = await startTestApp(t)
  const tag = crypto.randomUUID().slice(0, 8)
  t.after(() => db.execute(sql`delete from users where email like ${`%${tag}.test`}`))
  await db.execute(sql`insert into users (email, created_at)
    select 'old' || n || '@' || ${tag}::text || '.test', now() - interval '10 years' - (n / 3) * interval '1 second' from generate_series(1, 10050) n
    union all select 'new' || n || '@else-' || ${tag}::text || '.test', now() from generate_series(1, 20001) n`)

  const page = async (number: number, text: string) =>
    (await platform.get(`/admin/users?search=${text}${tag}&pageSize=100&page=${number}`)).body
  const pages = await Promise.all([1, 2, 101, 102].map((number) => page(number, '@')))
  const near = await page(1, 'else-')

  const numbers = pages.map(({ data }) => data.map(({ email }: { email: string }) => Number(/^old(\d+)@/.exec(email)?.[1])))
  assert.deepEqual(
    numbers.map((found) => [found.length, Math.min(...found.map((n: number) => Math.floor(n / 3)))]),
    [
      [100, 0],
      [100, 33],
      [50, 3333],
      [0, Number.POSITIVE_INFINITY],
    ],
  )
  assert.equal(new Set(numbers.flat()).size, 250)
  assert.deepEqual([pages.map(({ total }) => total), near.data.length], [[10_001, 10_001, 10_050, 10_001], 100])
})

test('a part of any length and any characters is found as it is written, in any letter case', async (t) => {
  const { platform, newUser } = await startTestApp(t)
  const tag = crypto.randomUUID().slice(0, 8)
  const made = ['a_b', 'a+b', 'a%b', 'q.z', 'Zq', "o'k"].map((name) => `${name}-${tag}@example.test`)
  for (const email of made) await newUser({ email })
  const parts = ['_', '%', '+', 'q', 'ZQ', '.', '@', "'", 'a_', '%b', '_b-', '\\', '%%', '__', '+b-', 'x', `b-${tag}`]

  const found = await Promise.all(
    parts.map(async (part) => {
      const { data } = (await platform.get(`/admin/users?search=${encodeURIComponent(part)}&pageSize=100`)).body
      return data.map(({ email }: { email: string }) => email).filter((email: string) => email.includes(tag))
    }),
  )

  const expected = parts.map((part) => made.filter((email) => email.toLowerCase().includes(part.toLowerCase())))
  assert.deepEqual(
    found.map((emails) => emails.sort()),
    expected.map((emails) => emails.sort()),
  )
})
