/** Random sequences of requests against a model of memberships (states.ts and the head of schema.ts). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AdminClient, type Answer, startTestApp } from '../../../test/support/testing.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'

type Status = 'pending' | 'active' | 'blocked'
type Member = {
  id: string
  userId: string
  systemId: string
  accountId: string
  status: Status
  roles: string[]
  events: string[]
}
/** The author of a block of a user in an account. It remains when the membership is deleted. */
type Block = Pick<Member, 'userId' | 'systemId' | 'accountId'> & { by: Operation['by'] }
type Account = { id: string; systemId: string; personalOf: string | null }

/** A number selects among the rows that exist at that moment, so that a sequence is reproducible. */
const number = fc.nat({ max: 7 })
const status = fc.constantFrom('pending', 'active', 'blocked')
const operation = fc.record(
  {
    by: fc.constantFrom('platform', 'platform', 'owner', 'outsider'),
    what: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('create'),
          system: fc.nat({ max: 1 }),
          user: number,
          status: fc.option(status, { nil: undefined }),
          role: number,
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('join'), account: number, user: number }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('status'), member: number, to: status }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('roles'),
          member: number,
          how: fc.constantFrom('roles', 'add', 'remove'),
          role: number,
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), member: number }) },
    ),
  },
  { requiredKeys: ['by', 'what'] },
)
type Operation = { by: 'platform' | 'owner' | 'outsider'; what: What }
type What =
  | { do: 'create'; system: number; user: number; status?: Status | undefined; role: number }
  | { do: 'join'; account: number; user: number }
  | { do: 'status'; member: number; to: Status }
  | { do: 'roles'; member: number; how: 'roles' | 'add' | 'remove'; role: number }
  | { do: 'delete'; member: number }

type World = Awaited<ReturnType<typeof newWorld>>

/** A 1:1 and a multi-account system, with two roles each; service tokens of the second and a third. */
async function newWorld({
  platform,
  newSystem,
  newUser,
  newRole,
  serviceOf,
}: Awaited<ReturnType<typeof startTestApp>>) {
  const solo = await newSystem()
  const multi = await newSystem({
    multiAccount: true,
    allowClientCredentials: true,
    requireAdminActivation: true,
  })
  const third = await newSystem({ multiAccount: true, allowClientCredentials: true })
  const systems: { id: string; multiAccount: boolean }[] = [solo, multi]
  const users: { id: string }[] = [
    await newUser({ password: undefined }),
    await newUser({ password: undefined }),
  ]
  const roles: { id: string; systemId: string }[] = [
    await newRole(solo.id),
    await newRole(solo.id),
    await newRole(multi.id),
    await newRole(multi.id),
  ]
  const clients: Record<Operation['by'], AdminClient> = {
    platform,
    owner: await serviceOf(multi),
    outsider: await serviceOf(third),
  }
  return {
    systems,
    users,
    roles,
    clients,
    members: [] as Member[],
    accounts: [] as Account[],
    blocks: [] as Block[],
  }
}

/** Selects one of these, or an unknown id for the remaining number. */
const pick = <T>(all: T[], n: number): T | undefined => all[n % (all.length + 1)]

const PATHS = { create: '/admin/memberships', join: '/admin/memberships' }

function send(
  { systems, users, roles, members, accounts, clients }: World,
  { by, what }: Operation,
): Promise<Answer> {
  const client = clients[by]
  if (what.do === 'create') {
    const role = pick(roles, what.role)
    const body = {
      systemId: systems[what.system]!.id,
      userId: pick(users, what.user)?.id ?? unknown,
      status: what.status,
      roles: role ? [role.id] : [],
    }
    return client.post(PATHS.create, body)
  }
  if (what.do === 'join')
    return client.post(PATHS.join, {
      accountId: pick(accounts, what.account)?.id ?? unknown,
      userId: pick(users, what.user)?.id ?? unknown,
    })
  const path = `/admin/memberships/${pick(members, what.member)?.id ?? unknown}`
  if (what.do === 'status') return client.patch(path, { status: what.to })
  if (what.do === 'delete') return client.delete(path)
  return client.patch(`${path}/roles`, { [what.how]: [pick(roles, what.role)?.id ?? unknown] })
}

type Expected = { status: number; code?: string; change?: (answer: Answer) => void }
const refused = (status: number, code: string): Expected => ({ status, code })
const EVENTS: Record<string, string> = {
  'pending active': 'granted',
  'pending blocked': 'blocked',
  'active blocked': 'blocked',
  'blocked active': 'restored',
}
const FIRST: Record<Status, string> = { pending: 'requested', active: 'granted', blocked: 'blocked' }

/** The platform reaches both systems, the owner the second, the outsider neither. */
const reaches = (world: World, by: Operation['by'], systemId: string) =>
  by === 'platform' || (by === 'owner' && systemId === world.systems[1]!.id)

/** Whether the platform has blocked a user in the system: the owner cannot lift this. */
const isCovered = ({ blocks }: World, by: Operation['by'], member: Pick<Member, 'userId' | 'systemId'>) =>
  by === 'owner' &&
  blocks.some(
    (one) => one.by === 'platform' && one.userId === member.userId && one.systemId === member.systemId,
  )

/** Replaces the block of a user in an account. */
function setBlock(world: World, { userId, systemId, accountId }: Member, by?: Operation['by']): void {
  world.blocks = world.blocks.filter((one) => one.userId !== userId || one.accountId !== accountId)
  if (by) world.blocks.push({ userId, systemId, accountId, by })
}

function expectNew(
  world: World,
  by: Operation['by'],
  what: Extract<What, { do: 'create' | 'join' }>,
): Expected {
  const { systems, users, roles, members, accounts } = world
  const account = what.do === 'join' ? pick(accounts, what.account) : undefined
  if (what.do === 'join' && (!account || !reaches(world, by, account.systemId)))
    return refused(404, 'account_not_found')
  const system =
    what.do === 'create' ? systems[what.system]! : systems.find(({ id }) => id === account!.systemId)!
  if (!reaches(world, by, system.id)) return refused(404, 'system_not_found')
  const user = pick(users, what.user)
  if (!user) return refused(404, 'user_not_found')
  if (!system.multiAccount && account && account.personalOf !== user.id)
    return refused(409, 'account_occupied')
  if (!system.multiAccount && members.some((one) => one.systemId === system.id && one.userId === user.id))
    return refused(409, 'account_taken')
  const isTaken = account && members.some((one) => one.accountId === account.id && one.userId === user.id)
  if (isCovered(world, by, { userId: user.id, systemId: system.id }))
    return refused(403, 'insufficient_authority')
  if (isTaken) return refused(409, 'membership_exists')
  const role = what.do === 'create' ? pick(roles, what.role) : undefined
  if (role && role.systemId !== system.id) return refused(400, 'role_not_in_system')
  const first =
    (what.do === 'create' ? what.status : undefined) ?? (system.multiAccount ? 'pending' : 'active')
  const kept = system.multiAccount
    ? undefined
    : accounts.find((one) => one.systemId === system.id && one.personalOf === user.id)
  return {
    status: 201,
    change({ body }) {
      if (account ?? kept) assert.equal(body.accountId, (account ?? kept)!.id)
      else
        accounts.push({
          id: body.accountId,
          systemId: system.id,
          personalOf: system.multiAccount ? null : user.id,
        })
      members.push({
        id: body.id,
        userId: user.id,
        systemId: system.id,
        accountId: body.accountId,
        status: first,
        roles: role ? [role.id] : [],
        events: [FIRST[first]],
      })
      setBlock(world, members.at(-1)!, first === 'blocked' ? by : undefined)
    },
  }
}

function expect(world: World, { by, what }: Operation): Expected {
  if (what.do === 'create' || what.do === 'join') return expectNew(world, by, what)
  const { members, roles } = world
  const member = pick(members, what.member)
  if (!member || !reaches(world, by, member.systemId)) return refused(404, 'membership_not_found')
  if (what.do === 'delete')
    return { status: 204, change: () => void members.splice(members.indexOf(member), 1) }
  if (what.do === 'status') {
    const event = EVENTS[`${member.status} ${what.to}`]
    if (member.status === what.to)
      return {
        status: 200,
        change: () => void (what.to === 'blocked' && by === 'platform' && setBlock(world, member, by)),
      }
    if (!event) return refused(409, 'invalid_transition')
    if (what.to === 'active' && isCovered(world, by, member)) return refused(403, 'insufficient_authority')
    const change = () => {
      setBlock(world, member, what.to === 'blocked' ? by : undefined)
      member.status = what.to
      member.events.push(event)
    }
    return { status: 200, change }
  }
  const role = pick(roles, what.role)
  const rest = what.how === 'roles' ? [] : member.roles.filter((id) => id !== role?.id)
  const wanted = what.how === 'remove' ? rest : [...rest, role?.id ?? unknown]
  const same = wanted.length === member.roles.length && wanted.every((id) => member.roles.includes(id))
  if (same) return { status: 200 }
  if (what.how !== 'remove' && role?.systemId !== member.systemId) return refused(400, 'role_not_in_system')
  const change = () => {
    member.roles = wanted
    member.events.push('updated')
  }
  return { status: 200, change }
}

const byId = <T extends { id: string }>(rows: T[]) =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
const seen = ({ id, userId, systemId, accountId, status, roles }: Omit<Member, 'events'>) => ({
  id,
  userId,
  systemId,
  accountId,
  status,
  roles: roles.toSorted(),
})

test('every sequence of requests matches the model, with one event per change', async (t) => {
  const app = await startTestApp(t)
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
      const world = await newWorld(app)

      for (const each of operations as Operation[]) {
        const { status, code, change } = expect(world, each)
        const answer = await send(world, each)
        assert.deepEqual([answer.status, answer.body?.code], [status, code], JSON.stringify(each))
        change?.(answer)
      }

      for (const { id } of world.systems) {
        const list = (await app.platform.get(`/admin/memberships?systemId=${id}&pageSize=100`)).body
          .data as Member[]
        assert.deepEqual(
          byId(list).map(seen),
          byId(world.members.filter(({ systemId }) => systemId === id)).map(seen),
        )
      }
      for (const member of world.members) {
        const events = await app.findEvents({ membershipId: member.id })
        assert.deepEqual(
          events.map(({ type }) => type),
          member.events.map((each) => `user.access_${each}`),
        )
      }
    }),
    { numRuns: 20 },
  )
})

/** The status of a membership after an event; undefined if the event must not follow. */
const AFTER: Record<string, Partial<Record<string, string>>> = {
  none: { requested: 'pending', granted: 'active', blocked: 'blocked' },
  pending: { granted: 'active', blocked: 'blocked', revoked: 'gone', updated: 'pending' },
  active: { blocked: 'blocked', revoked: 'gone', updated: 'active' },
  blocked: { restored: 'active', revoked: 'gone', updated: 'blocked' },
}

test('concurrent requests keep all invariants, and their events form a valid history', async (t) => {
  const app = await startTestApp(t)
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 4, maxLength: 6 }),
      fc.array(operation, { minLength: 10, maxLength: 20 }),
      async (before, atOnce) => {
        const world = await newWorld(app)
        for (const each of before as Operation[]) expect(world, each).change?.(await send(world, each))

        const answers = await Promise.all((atOnce as Operation[]).map((each) => send(world, each)))

        assert.ok(answers.every(({ status }) => status < 500))
        const memberships = await Promise.all(
          world.systems.map(
            async ({ id }) =>
              (await app.platform.get(`/admin/memberships?systemId=${id}&pageSize=100`)).body
                .data as Member[],
          ),
        )
        const userIds = memberships[0]!.map(({ userId }) => userId)
        const pairs = memberships.flat().map(({ userId, accountId }) => `${userId} ${accountId}`)
        assert.deepEqual([new Set(userIds).size, new Set(pairs).size], [userIds.length, pairs.length])
        const now = new Map(memberships.flat().map(({ id, status }) => [id, status]))
        const history = new Map<string, string>()
        for (const { id: systemId } of world.systems) {
          for (const { type, membershipId } of await app.findEvents({ systemId })) {
            const step = /^user\.access_(.+)$/.exec(type)?.[1]
            if (!step || !membershipId) continue
            const next = AFTER[history.get(membershipId) ?? 'none']?.[step]
            assert.ok(next, `${step} after ${history.get(membershipId)}`)
            history.set(membershipId, next)
          }
        }
        for (const [id, status] of history) assert.equal(now.get(id) ?? 'gone', status)
        assert.equal([...history.values()].filter((status) => status !== 'gone').length, now.size)
      },
    ),
    { numRuns: 15 },
  )
})
