/**
 * The last admins of an account who act at the same time. The transactions of both requests have changed
 * their rows and wait for a lock of the test when they are let go, so that neither reads what the other did.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleClient } from '../../../test/support/console.ts'
import { ON_POSTGRES, withLock } from '../../../test/support/locks.ts'
import { newTeam, type Visitor } from '../../../test/support/organizations.ts'
import { type AdminClient, type Answer, startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'

/** Each race is repeated. */
const ROUNDS = 2
const HANDING_OVER = 'one hands over to a member, who leaves'

type App = Awaited<ReturnType<typeof startTestApp>>
type Person = Visitor & { client: AdminClient }
type Team = { one: Person; two: Person; clerk: Person; adminRole: string }
type Act = (team: Team) => Promise<Answer>

const memberOf = ({ membershipId }: Person) => `/admin/memberships/${membershipId}`
const leave =
  (who: 'one' | 'two' | 'clerk'): Act =>
  (team) =>
    team[who].send('/leave')

/** What `by` does to the membership of `to`, by the admin API (in the console). */
const remove =
  (by: 'one' | 'two', to: 'one' | 'two'): Act =>
  (team) =>
    team[by].client.delete(memberOf(team[to]))
const block =
  (by: 'one' | 'two', to: 'one' | 'two'): Act =>
  (team) =>
    team[by].client.patch(memberOf(team[to]), { status: 'blocked' })
const demote =
  (by: 'one' | 'two', to: 'one' | 'two'): Act =>
  (team) =>
    team[by].client.patch(`${memberOf(team[to])}/roles`, { remove: [team.adminRole] })

/** Makes the change on the pages of the organization. */
const onPage =
  (by: 'one' | 'two', to: 'one' | 'two' | 'clerk', form: string, fields: Record<string, string> = {}): Act =>
  (team) =>
    team[by].send(`/members/${team[to].membershipId}/${form}`, fields)
const demoteSelfOnPage: Act = (team) =>
  team.one.send(`/members/${team.one.membershipId}/roles`, { rolesBefore: team.adminRole })

const RACES: Record<string, [Act, Act]> = {
  'both leave': [leave('one'), leave('two')],
  'one leaves and removes the other': [leave('one'), remove('one', 'two')],
  'one leaves and blocks the other': [leave('one'), block('one', 'two')],
  'one leaves and demotes the other': [leave('one'), demote('one', 'two')],
  'one leaves and removes the other on the page': [leave('one'), onPage('one', 'two', 'remove')],
  'one leaves, the other removes itself': [leave('one'), remove('two', 'two')],
  'one demotes itself on the page, the other leaves': [demoteSelfOnPage, leave('two')],
  'one demotes itself, the other blocks itself': [demote('one', 'one'), block('two', 'two')],
  'each removes the other': [remove('one', 'two'), remove('two', 'one')],
  'each demotes the other': [demote('one', 'two'), demote('two', 'one')],
  // Before this one the other admin is removed.
  [HANDING_OVER]: [onPage('one', 'clerk', 'hand-over'), leave('clerk')],
}

async function newAdmins(app: App) {
  const { accountId, adminRole, admins, member } = await newTeam(app, { admins: 2 })
  const withClient = async (visitor: Visitor): Promise<Person> => {
    await visitor.open()
    await visitor.browser.follow(await visitor.browser.get('/console/sign-in'))
    const client = consoleClient(app.url, visitor.browser, visitor, `account:${accountId}`)
    return { ...visitor, client }
  }
  const [one, two, clerk] = await Promise.all([...admins, member].map(withClient))
  return { accountId, team: { one: one!, two: two!, clerk: clerk!, adminRole: String(adminRole.id) } }
}

/** Makes all three members again, the first two as admins. */
async function restore(app: App, { accountId, team }: Awaited<ReturnType<typeof newAdmins>>): Promise<void> {
  const { one, two, clerk, adminRole } = team
  for (const each of [one, two, clerk]) {
    await app.platform.delete(memberOf(each))
    const roles = each === clerk ? [] : [adminRole]
    each.membershipId = (await app.newMembership({ userId: each.id, accountId, roles, status: 'active' })).id
  }
}

test('of the last two admins one stays, whatever both do at the same time', ON_POSTGRES, async (t) => {
  // Requests of one account have a part of the slots of its system: two of them must wait in the database.
  const app = await startTestApp(t, { DATABASE_POOL: '24' })
  const { accountId, team } = await newAdmins(app)
  const ofAdmins = `/admin/memberships?accountId=${accountId}&roleId=${team.adminRole}&status=active`

  for (const [name, acts] of Object.entries(RACES))
    for (let round = 0; round < ROUNDS; round += 1) {
      await restore(app, { accountId, team })
      if (name === HANDING_OVER) await app.platform.delete(memberOf(team.two))
      const { sent } = await withLock(app.db, sql`lock table audit in share mode`, async (waiting) => {
        const sent = (round % 2 ? acts.toReversed() : acts).map((act) => act(team))
        await waiting(acts.length)
        return { sent }
      })

      const answers = (await Promise.all(sent)).map(({ status }) => status)

      const left = (await app.platform.get(ofAdmins)).body.total
      const done = answers.filter((status) => status < 400).length
      assert.deepEqual([done, left], [1, 1], `${name}: ${answers}`)
      assert.ok(Math.max(...answers) < 500, `${name}: ${answers}`)
    }
})
