/** Pages and `total` of every list, including lists too long to be counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { expectStatus } from '../../test/support/http.ts'
import { insertInParts } from '../../test/support/many-rows.ts'
import { type AdminClient, startTestApp } from '../../test/support/testing.ts'
import type { Db } from './database.ts'
import { sql } from './drizzle.ts'

/** Inserts audit entries of a system used only here, several with the same time. */
async function fillAudit(db: Db, count: number): Promise<string> {
  const systemId = crypto.randomUUID()
  await db.execute(sql`insert into audit (time, action, outcome, actor_type, system_id)
    select now() - (n / 7) * interval '1 second', 'test.made', 'success', 'server', ${systemId}::uuid from generate_series(1, ${count}) n`)
  return systemId
}

/** Reads a whole list as a caller does: page by page while `total` exceeds the rows read. */
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
  test(`a list of ${count} is read completely, each row once, while page * pageSize < total`, async (t) => {
    const { platform, db } = await startTestApp(t)
    const systemId = await fillAudit(db, count)

    const { rows, totals } = await readAll(platform, `/admin/audit?systemId=${systemId}`, 100)

    assert.deepEqual([rows.length, new Set(rows.map(({ id }) => id)).size], [count, count])
    assert.equal(totals.at(-1), count)
    if (exact) assert.deepEqual(new Set(totals), new Set([count]))
    else
      assert.ok(
        totals.every(
          (total, page) => total > 10_000 && total <= count && total >= Math.min(count, (page + 1) * 100 + 1),
        ),
      )
  })

test('a page beyond the end is empty and its total ends the reading', async (t) => {
  const { platform, db } = await startTestApp(t)
  const [short, long] = [await fillAudit(db, 5), await fillAudit(db, 10_500)]

  const answers = []
  for (const query of [`${short}&page=7`, `${long}&page=600`, `${short}&page=1000000000&pageSize=1000000000`])
    answers.push(await platform.get(`/admin/audit?systemId=${query}`))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.data, body.total]),
    [
      [200, [], 5],
      [200, [], 10_001],
      [200, [], 5],
    ],
  )
})

test("a system's list has each user once whatever their memberships, the newest user of the system first", async (t) => {
  const { serviceOf, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const [ana, bob, eva] = [await newUser(), await newUser(), await newUser()]
  for (const user of [eva, bob, ana, bob]) await newMembership({ userId: user.id, systemId: system.id })

  const { rows, totals } = await readAll(await serviceOf(system), '/admin/users?', 2)

  assert.deepEqual(
    rows.map(({ id }) => id),
    [ana.id, bob.id, eva.id],
  )
  assert.deepEqual(totals, [3, 3])
})

test('matches are newest first even when more than 50,000 newer rows do not match', async (t) => {
  const { platform, db, newSystem } = await startTestApp(t)
  const system = await newSystem()
  await insertInParts(db, 50_001, (from, to) =>
    db.execute(sql`insert into accounts (system_id, kind, name, created_at)
      select ${system.id}::uuid, 'organization', 'New ' || n || ' ¤', timestamptz '2026-01-01' from generate_series(${from}::int, ${to}::int) n
      union all select ${system.id}::uuid, 'organization', 'Old ' || n || ' §', timestamptz '2016-01-01' - (n / 3) * interval '1 second'
      from generate_series(${from}::int, least(${to}::int, 10050)) n`),
  )

  // One by one: the embedded database stops the process for each, and a connection whose request
  // is not read within 15 s is closed.
  const read = async (search: string, numbers: number[]) => {
    const pages = []
    for (const number of numbers)
      pages.push(
        (
          await platform.get(
            `/admin/systems/${system.id}/accounts?search=${search}&pageSize=100&page=${number}`,
          )
        ).body,
      )
    return pages
  }
  for (const part of ['old', '§']) {
    const pages = await read(part, [1, 2, 101, 102])
    const numbers = pages.map(({ data }) =>
      data.map(({ name }: { name: string }) => Number(/^Old (\d+) /.exec(name)?.[1])),
    )
    assert.deepEqual(
      numbers.map((found) => [found.length, Math.min(...found.map((n: number) => Math.floor(n / 3)))]),
      [
        [100, 0],
        [100, 33],
        [50, 3333],
        [0, Number.POSITIVE_INFINITY],
      ],
      part,
    )
    assert.equal(new Set(numbers.flat()).size, 250)
    assert.deepEqual(
      pages.map(({ total }) => total),
      [10_001, 10_001, 10_050, 10_001],
    )
  }
  for (const part of ['new', '¤']) {
    const pages = await read(part, [1, 100, 101, 500, 501, 502])
    assert.deepEqual(
      pages.map(({ data, total }) => [data.length, total]),
      [
        [100, 10_001],
        [100, 10_001],
        [100, 10_101],
        [100, 50_001],
        [1, 50_001],
        [0, 10_001],
      ],
      part,
    )
    assert.equal(new Set(pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))).size, 401)
  }
})

test('a search in a system has each user once, the newest user of the system first; sign-ins, the latest', async (t) => {
  const { platform, serviceOf, db, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const [ana, bob] = [
    await newUser({ email: `ana-${system.id}@example.test` }),
    await newUser({ email: `bob-${system.id}@example.test` }),
  ]
  for (const user of [ana, bob, ana]) await newMembership({ userId: user.id, systemId: system.id })
  await db.execute(
    sql`insert into accounts (system_id, kind, name) select ${system.id}::uuid, 'organization', n::text from generate_series(1, 2) n`,
  )
  await insertInParts(db, 10_001, (from, to) =>
    db.execute(sql`with new_users as (
      insert into users (email, last_login_at) select 'mass' || n || '-' || ${system.id}::text || '@example.test',
        case when n < 9900 then timestamptz '2026-01-01' + n * 7919 % 10007 * interval '1 second' end from generate_series(${from}::int, ${to}::int) n returning id, email),
      of_system as (
      insert into system_users (user_id, email, system_id, created_at)
      select id, email, ${system.id}::uuid, now() - interval '1 day' from new_users)
      insert into memberships (user_id, email, system_id, account_id, status, exclusive, added_by, created_at)
      select p.id, p.email, ${system.id}::uuid, a.id, 'active', false, 'platform', now() - interval '1 day' from new_users p
      join accounts a on a.system_id = ${system.id}::uuid and (a.name = '1' or a.name = '2' and p.email like 'mass1%')`),
  )
  const service = await serviceOf(system)
  const latest = async (page: number): Promise<number[]> => {
    const { data } = (
      await platform.get(`/admin/users?sort=lastLoginAt&systemId=${system.id}&pageSize=10&page=${page}`)
    ).body
    return data.map(({ lastLoginAt }: { lastLoginAt: string | null }) =>
      Date.parse(lastLoginAt ?? '1970-01-01'),
    )
  }
  const times = Array.from({ length: 10_003 }, (_, n) =>
    n < 9_899 ? Date.parse('2026-01-01') + 1_000 * (((n + 1) * 7_919) % 10_007) : 0,
  ).sort((one, other) => other - one)
  for (const page of [1, 1, 1, 2, 40, 989, 991])
    assert.deepEqual(await latest(page), times.slice(10 * (page - 1), 10 * page), `sign-ins, page ${page}`)

  const found = []
  for (const part of ['-', system.id, 'ana-', 'n'])
    found.push((await service.get(`/admin/users?search=${part}`)).body)
  const ids = found.map(({ data }) => data.map(({ id }: { id: string }) => id))

  assert.deepEqual(
    found.map(({ total }) => total),
    [10_001, 10_001, 1, 1],
  )
  assert.deepEqual(
    [ids[0].slice(0, 2), ids[1].slice(0, 2), ids[2]],
    [[bob.id, ana.id], [bob.id, ana.id], [ana.id]],
  )
  assert.deepEqual(
    ids.map((page) => new Set(page).size),
    ids.map((page) => page.length),
  )
})

test('a changed address is found in the membership list, and the former one is not', async (t) => {
  const { db, platform, newSystem, newUser, newMembership } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const user = await newUser()
  const [one, other] = [
    await newMembership({ userId: user.id, systemId: system.id }),
    await newMembership({ userId: user.id, systemId: system.id }),
  ]
  const email = `moved-${user.id}@example.test`
  // a system reads the present address of users who have entered it
  await db.execute(sql`update system_users set entered_at = now() where user_id = ${user.id}`)

  const changed = await platform.patch(`/admin/users/${user.id}`, { email })
  const found = await Promise.all(
    [email.toUpperCase(), user.email].map(async (part) => {
      const { data } = (
        await platform.get(`/admin/memberships?systemId=${system.id}&search=${encodeURIComponent(part)}`)
      ).body
      return data.map((membership: { id: string; user: { email: string } }) => [
        membership.id,
        membership.user.email,
      ])
    }),
  )

  assert.equal(changed.status, 200)
  assert.deepEqual(found, [
    [
      [other.id, email],
      [one.id, email],
    ],
    [],
  ])
})

test('a search of any length and any characters matches literally, in any letter case', async (t) => {
  const { platform, db, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const text = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(..."aAbq9_%+-.'\\ éß💚\n".match(/./gsu)!), minLength, maxLength })
  const names = fc.sample(text(1, 9), { numRuns: 300, seed: 7 })
  await db.execute(
    sql`insert into accounts (system_id, kind, name) select ${id}::uuid, 'organization', name from unnest(${sql.param(names)}::text[]) name`,
  )

  await fc.assert(
    fc.asyncProperty(text(1, 4), async (part) => {
      const { body } = await platform.get(
        `/admin/systems/${id}/accounts?search=${encodeURIComponent(part)}&pageSize=100`,
      )
      const expected = names.filter((name) => name.toLowerCase().includes(part.toLowerCase()))
      assert.equal(body.total, expected.length)
      if (expected.length <= 100)
        assert.deepEqual(body.data.map(({ name }: { name: string }) => name).sort(), expected.sort())
    }),
    { numRuns: 150 },
  )
})

test('a literal search matches whatever characters the database can fold the case of', async (t) => {
  const { platform, db, newSystem } = await startTestApp(t)
  const { id } = await newSystem()
  const names = ['École', 'ΟΔΟΣ', 'İstanbul', 'STRAẞE', 'Ωmega-Ünit', '日本語 株式会社']
  await db.execute(
    sql`insert into accounts (system_id, kind, name) select ${id}::uuid, 'organization', name from unnest(${sql.param(names)}::text[]) name`,
  )
  const partsOf = (name: string) =>
    [1, 2, 3, 99].flatMap((length) => [...name].map((_, at) => [...name].slice(at, at + length).join('')))

  /** One part of a name after the other: of many requests at once those that wait for 2 s are refused. */
  const missedOf = async (name: string) => {
    const missed = []
    for (const part of partsOf(name)) {
      const path = `/admin/systems/${id}/accounts?search=${encodeURIComponent(part)}`
      const { data } = expectStatus(await platform.get(path), 200).body
      if (!data.some((account: { name: string }) => account.name === name)) missed.push(`${part} of ${name}`)
    }
    return missed
  }

  const missed = await Promise.all(names.map(missedOf))

  assert.deepEqual(missed.flat(), [])
})
