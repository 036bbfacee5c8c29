/** Concurrent requests that lock the same rows wait for each other and never deadlock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, authorizeAt, startTestApp } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Member = Awaited<ReturnType<typeof signedIn>>

/** Memberships per test; a deadlock needs a bad interleaving on one of them. */
const MEMBERS = 8
/** Whose requests are sent at the same time: the platform has a limit of concurrent requests. */
const AT_ONCE = 2

async function signedIn(app: App) {
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const user = await app.newUser()
  const membership = await app.newMembership({ userId: user.id, systemId: system.id })
  for (let session = 0; session < 2; session++) await app.signIn(system, { email: user.email })
  return { system, user, membership }
}

const block = ({ platform }: App, { membership }: Member) =>
  platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
const remove = ({ platform }: App, { membership }: Member) =>
  platform.delete(`/admin/memberships/${membership.id}`)
const deleteSystem = ({ platform }: App, { system }: Member) => platform.delete(`/admin/systems/${system.id}`)
const deleteUser = ({ platform }: App, { user }: Member) => platform.delete(`/admin/users/${user.id}`)
const endAll = ({ platform }: App, { user }: Member) => platform.delete(`/admin/sessions/by-user/${user.id}`)
const move = ({ platform }: App, { user }: Member) =>
  platform.patch(`/admin/users/${user.id}`, { email: `moved-${user.id}@example.test` })
const setPassword = ({ platform }: App, { user }: Member) =>
  platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' })

const deleteAccount = ({ platform }: App, { membership }: Member) =>
  platform.delete(`/admin/accounts/${membership.accountId}`)
const suspend = ({ platform }: App, { membership }: Member) =>
  platform.patch(`/admin/accounts/${membership.accountId}`, { status: 'suspended' })
const rename = ({ platform }: App, { membership }: Member) =>
  platform.patch(`/admin/accounts/${membership.accountId}`, { name: 'Acme' })
/** Whether it succeeds depends on the others. */
const signIn = async (app: App, { system, user }: Member) =>
  (await authorizeAt(app.url, system as never, { email: user.email })).page

const CONFLICTS: Record<string, ((app: App, member: Member) => Promise<Answer>)[]> = {
  'a membership is blocked while its system is deleted': [block, deleteSystem],
  'a membership is removed while its user is deleted': [remove, deleteUser],
  'a user and a system of theirs are deleted': [deleteUser, deleteSystem],
  'a user gets another address while a membership is blocked': [move, block],
  'a membership is blocked while its user is deleted': [block, deleteUser],
  'a user gets another address while a system of theirs is deleted': [move, block, deleteSystem],
  'an account is deleted during a sign-in, a block and a change of it': [
    deleteAccount,
    signIn,
    block,
    rename,
  ],
  'an account is suspended during a sign-in and the deletion of its system': [suspend, signIn, deleteSystem],
  'an account and its member are deleted': [deleteAccount, remove, deleteUser],
  'sessions are ended from all sides': [endAll, block, setPassword, deleteSystem, deleteUser],
}

for (const [what, sides] of Object.entries(CONFLICTS)) {
  test(`concurrent requests do not deadlock: ${what}`, async (t) => {
    const app = await startTestApp(t)
    const members: Member[] = []
    for (let count = 0; count < MEMBERS; count++) members.push(await signedIn(app))

    const answers: Answer[] = []
    while (members.length > 0) {
      const some = members.splice(0, AT_ONCE)
      const requests = some.flatMap((member) => sides.map((side) => side(app, member)))
      answers.push(...(await Promise.all(requests)))
    }

    const failed = answers.filter(({ status }) => status >= 500).map(({ status, body }) => [status, body])
    assert.deepEqual(failed, [])
  })
}
