/**
 * Every transaction locks an account before memberships: one that waits for an account has locked none of
 * its memberships, so that it never waits for a transaction that waits for it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ON_POSTGRES, withLock } from '../../test/support/locks.ts'
import { visitorOf } from '../../test/support/organizations.ts'
import { startTestApp } from '../../test/support/testing.ts'
import { sql } from './drizzle.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Place = Awaited<ReturnType<typeof newPlace>>

/** An organization with an admin and a member, and a user of a 1:1 system, who has a personal account. */
async function newPlace(app: App) {
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const [boss, user] = [await app.newUser(), await app.newUser()]
  const own = await app.newMembership({ userId: boss.id, systemId: system.id, roles: [role.id] })
  const { accountId } = own
  const membership = await app.newMembership({ userId: user.id, systemId: system.id, accountId })
  const admin = app.as((await app.signIn(system, { email: boss.email })).access_token)
  const alone = await app.newMember({ skipConsent: true })
  const pages = await visitorOf(app, { accountId, membershipId: own.id }, { id: boss.id, email: boss.email })
  await pages.open(`/members/${membership.id}`)
  return { system, role, user, accountId: String(accountId), membership, own, admin, pages, alone }
}

/** Runs in an organization; with `personal`, in a personal account. Returns the status of the answer. */
type Act = { name: string; personal?: true; run: (app: App, place: Place) => Promise<{ status: number }> }

const ACTS: Act[] = [
  {
    name: 'a sign-in',
    run: async (app, { system, user }) => {
      await app.signIn(system, { email: user.email })
      return { status: 200 }
    },
  },
  {
    name: 'an admin of the account blocks a member',
    run: (_, { admin, membership }) =>
      admin.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' }),
  },
  {
    name: 'an admin of the account changes the roles of a member',
    run: (_, { admin, membership, role }) =>
      admin.patch(`/admin/memberships/${membership.id}/roles`, { add: [role.id] }),
  },
  {
    name: 'an admin of the account removes a member',
    run: (_, { admin, membership }) => admin.delete(`/admin/memberships/${membership.id}`),
  },
  {
    name: 'an admin blocks a member on the pages of the organization',
    run: (_, { pages, membership }) => pages.send(`/members/${membership.id}/status`, { action: 'block' }),
  },
  {
    name: 'the platform deletes the account',
    run: ({ platform }, { accountId }) => platform.delete(`/admin/accounts/${accountId}`),
  },
  {
    name: 'the platform deletes the system',
    run: ({ platform }, { system }) => platform.delete(`/admin/systems/${system.id}`),
  },
  {
    name: 'the platform deletes the user of a personal account',
    personal: true,
    run: ({ platform }, { alone }) => platform.delete(`/admin/users/${alone.user.id}`),
  },
  {
    name: 'the user of a personal account gets another address',
    personal: true,
    run: ({ platform }, { alone }) =>
      platform.patch(`/admin/users/${alone.user.id}`, { email: `moved-${alone.user.id}@example.test` }),
  },
]

for (const { name, personal, run } of ACTS)
  test(`an account is locked before its memberships: ${name}`, ON_POSTGRES, async (t) => {
    const app = await startTestApp(t)
    const place = await newPlace(app)
    const { accountId, id } = personal ? place.alone.membership : place.membership
    const account = sql`select from accounts where id = ${accountId} for update`
    const free = sql`select id from memberships where id = ${id} for update skip locked`

    const { found, answered } = await withLock(app.db, account, async (waiting) => {
      const answered = run(app, place)
      await waiting(1)
      const { rows } = (await app.db.execute(free)) as unknown as { rows: unknown[] }
      return { found: rows.length, answered: [answered] }
    })

    assert.equal(found, 1, 'no transaction that waits for the account has locked the membership')
    const { status } = await answered[0]!
    assert.ok(status < 400, `status ${status}`)
  })
