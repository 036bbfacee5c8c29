/** The invariants at the head of schema.ts hold under concurrent changes of memberships and related rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'

/** A number selects among the rows that exist at that moment. */
const number = fc.nat({ max: 11 })
const request = fc.record({
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('create', 'join', 'roles', 'profiles', 'status') },
    { weight: 2, arbitrary: fc.constantFrom('remove', 'switch') },
    { weight: 1, arbitrary: fc.constantFrom('user', 'role', 'profile', 'system') },
  ),
  one: number,
  other: number,
  yes: fc.boolean(),
})
type Request = { do: string; one: number; other: number; yes: boolean }
type App = Awaited<ReturnType<typeof startTestApp>>
type Row = { id: string; accountId: string }

async function newWorld({ platform, newSystem, newUser, newRole }: App) {
  const systems: { id: string }[] = [await newSystem(), await newSystem({ multiAccount: true })]
  const users: { id: string }[] = await Promise.all([1, 2, 3, 4].map(() => newUser({ password: undefined })))
  const roles: { id: string; systemId: string }[] = []
  const profiles: { id: string; systemId: string }[] = []
  for (const { id } of systems) {
    roles.push(await newRole(id), await newRole(id))
    profiles.push((await platform.post(`/admin/systems/${id}/profiles`, { name: 'one' })).body)
  }
  return { systems, users, roles, profiles, members: [] as Row[] }
}
type World = Awaited<ReturnType<typeof newWorld>>

const pick = <T>(all: T[], n: number): T | undefined => all[n % all.length]

async function send(
  { platform }: App,
  world: World,
  { do: what, one, other, yes }: Request,
): Promise<Answer | undefined> {
  const { systems, users, roles, profiles, members } = world
  const [system, user, member] = [pick(systems, one)!, pick(users, other)!, pick(members, one)]
  if (what === 'create' || what === 'join') {
    const place = what === 'create' ? { systemId: system.id } : { accountId: member?.accountId ?? system.id }
    const answer = await platform.post('/admin/memberships', {
      ...place,
      userId: user.id,
      roles: yes ? [pick(roles, one)!.id] : [],
    })
    if (answer.status === 201) members.push(answer.body)
    return answer
  }
  if (what === 'switch') return platform.patch(`/admin/systems/${system.id}`, { multiAccount: yes })
  if (what === 'user') return platform.delete(`/admin/users/${user.id}`)
  if (what === 'system') return yes && other > 8 ? platform.delete(`/admin/systems/${system.id}`) : undefined
  if (what === 'role' || what === 'profile') {
    const { id, systemId } = pick(what === 'role' ? roles : profiles, other)!
    return platform.delete(`/admin/systems/${systemId}/${what}s/${id}`)
  }
  const path = `/admin/memberships/${member?.id ?? system.id}`
  if (what === 'status') return platform.patch(path, { status: yes ? 'active' : 'blocked' })
  if (what === 'remove') return platform.delete(path)
  const id = pick(what === 'roles' ? roles : profiles, other)!.id
  return platform.patch(`${path}/${what}`, { [yes ? 'add' : 'remove']: [id] })
}

/** For each invariant the number of rows that violate it, orphaned rows included. */
const BROKEN = sql`
  select
    (select count(*)::int from (select from memberships group by account_id, user_id having count(*) > 1) x) as same_account_twice,
    (select count(*)::int from memberships m join systems s on s.id = m.system_id where m.exclusive = s.multi_account) as exclusive_differs_from_system,
    (select count(*)::int from (select from memberships m join systems s on s.id = m.system_id and not s.multi_account
      group by m.system_id, m.user_id having count(*) > 1) x) as two_accounts_in_a_single_account_system,
    (select count(*)::int from (select from memberships m join systems s on s.id = m.system_id and not s.multi_account
      group by m.account_id having count(*) > 1) x) as two_members_in_a_single_member_account,
    (select count(*)::int from (select from accounts where kind = 'personal' group by system_id, personal_of having count(*) > 1) x) as personal_account_twice,
    (select count(*)::int from memberships m where not exists (select from accounts a where a.id = m.account_id and a.system_id = m.system_id)) as account_elsewhere,
    (select count(*)::int from memberships m where not exists (select from users u where u.id = m.user_id)) as membership_without_user,
    (select count(*)::int from membership_roles r where not exists (select from memberships m join roles o on o.system_id = m.system_id
      where m.id = r.membership_id and o.id = r.role_id)) as role_elsewhere,
    (select count(*)::int from membership_profiles r where not exists (select from memberships m join profiles o on o.system_id = m.system_id
      where m.id = r.membership_id and o.id = r.profile_id)) as profile_elsewhere,
    (select count(*)::int from sessions s where not exists (select from memberships m where m.id = s.membership_id)) as session_without_membership`

for (const [how, atOnce] of [
  ['sequentially', false],
  ['concurrently', true],
] as const)
  test(`invariants hold while memberships and all related rows change ${how}`, async (t) => {
    const app = await startTestApp(t)
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 15, maxLength: 40 }), async (requests) => {
        const world = await newWorld(app)

        const [before, then] = [requests.slice(0, 12), requests.slice(12)]
        const answers: (Answer | undefined)[] = []
        for (const each of before) answers.push(await send(app, world, each))
        if (atOnce) answers.push(...(await Promise.all(then.map((each) => send(app, world, each)))))
        else for (const each of then) answers.push(await send(app, world, each))

        // 503: PostgreSQL rolled back one of two deadlocked transactions.
        const faults = answers.filter(
          (answer) => answer && answer.status >= 500 && !(atOnce && answer.status === 503),
        )
        const { rows } = (await app.db.execute(BROKEN)) as unknown as { rows: Record<string, number>[] }
        assert.deepEqual(
          faults.map((answer) => answer!.body),
          [],
        )
        assert.deepEqual(
          Object.entries(rows[0]!).filter(([, count]) => count > 0),
          [],
        )
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })
