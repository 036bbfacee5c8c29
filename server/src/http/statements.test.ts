/** Number of SQL statements per request: small, and independent of the number of rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Operation,
  readOperations,
  requestOf,
  send,
  type Things,
} from '../../test/support/admin-requests.ts'
import { recordStatements } from '../../test/support/statements.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { concurrently } from '../../test/support/waiting.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A system with `count` roles and profiles, each assigned to `count` members of one account. */
async function newCrowd(app: App, size: number): Promise<Things> {
  const many = <T>(make: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: size }, (_, n) => make(n)))
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const roles = (await many(() => app.newRole(system.id))).map(({ id }) => id)
  const path = `/admin/systems/${system.id}/profiles`
  const profiles = (
    await concurrently(size, () => app.platform.post(path, { name: crypto.randomUUID() }))
  ).map(({ body }) => body.id)
  const users = await many(() => app.newUser({ password: undefined }))
  const first = await app.newMembership({ userId: users[0].id, systemId: system.id, roles, profiles })
  const join = ({ id }: { id: string }) =>
    app.newMembership({ userId: id, accountId: first.accountId, roles, profiles })
  const others = await Promise.all(users.slice(1).map(join))
  return {
    system: [system.id],
    role: roles,
    profile: profiles,
    user: users.map(({ id }) => id),
    account: [first.accountId],
    membership: [first, ...others].map(({ id }) => id),
    search: ['@example.test'],
  }
}

/** Order of the operations: reads first, deletions last, the system at the end; limits before their user. */
const order = ({ id, method, path }: Operation) =>
  ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].indexOf(method) * 10 -
  path.split('/').length +
  ({ deleteSystem: 10, clearLimits: -5 }[id] ?? 0)

/** A change with audit entry, event and email, and the check of the token. */
const STATEMENTS_MAX = 18
/** The page, its rows, its system or account, and the check of the token. */
const LIST_MAX = 6
/** Reloading the system after its cache expires; rows in batches. */
const TOLERANCE = 2

function maxOf(id: string): number {
  if (id.startsWith('list')) return LIST_MAX
  // It also revokes what the user has invited, and ends what connections have answered before.
  if (id === 'deleteUser') return STATEMENTS_MAX + 2
  if (id === 'exportUser') return STATEMENTS_MAX + 2 // reads each kind of thing
  return id === 'createInvitations' ? 2 * STATEMENTS_MAX : STATEMENTS_MAX // the request has two invitations
}

test('an admin request takes a small number of SQL statements, independent of the rows', async (t) => {
  const app = await startTestApp(t)
  const operations = (await readOperations(app.url)).toSorted((one, other) => order(one) - order(other))
  const crowds = [await newCrowd(app, 1), await newCrowd(app, 50)]
  // assigns positions to all events so far, which otherwise the first reader does
  await app.platform.get('/admin/events')
  const statements = recordStatements(app.db)

  const costs = []
  for (const operation of operations) {
    const [request] = fc.sample(
      fc.gen().map((g) => requestOf(g, operation, () => 'own')),
      { numRuns: 1, seed: 1 },
    )
    const cost = []
    for (const own of crowds) {
      const { status } = await send({ client: app.platform, own, foreign: {} }, request!)
      cost.push({ status, statements: statements().length })
    }
    costs.push({ id: operation.id, few: cost[0]!, many: cost[1]! })
  }

  const growing = costs.filter(
    ({ few, many }) => few.status !== many.status || many.statements > few.statements + TOLERANCE,
  )
  assert.deepEqual(growing, [])
  assert.ok(
    costs.every(({ few }) => few.status >= 400 || few.statements > 0),
    'each that is done is counted',
  )
  // The smaller number: one of the two may have reloaded the system.
  assert.deepEqual(
    costs.filter(({ id, few, many }) => Math.min(few.statements, many.statements) > maxOf(id)),
    [],
  )
  const done = costs.filter(({ few }) => few.status < 300)
  assert.ok(done.length > costs.length / 2, `${done.length} of ${costs.length} were done`)
})
