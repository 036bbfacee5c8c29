/** Concurrent requests that lock the same rows wait for each other and never deadlock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMember, noteOpenedBy, noteTested } from '../../test/support/connections.ts'
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

/** A connection of the account that has opened the sessions of the member. */
async function connected(app: App) {
  const member = await signedIn(app)
  const { system, user, membership } = member
  const accountId = String(membership.accountId)
  const path = `/admin/accounts/${accountId}/connections`
  const { id } = (await app.platform.post(path, { name: 'Okta', kind: 'oidc' })).body
  await noteTested(app, id)
  await app.platform.patch(`${path}/${id}`, { enabled: true })
  await linkMember(app, { accountId, connectionId: id, userId: user.id, email: user.email })
  for (let session = 0; session < 2; session++) {
    const { access_token: token } = await app.signIn(system, { email: user.email })
    await noteOpenedBy(app, token, id)
  }
  return { ...member, connection: `${path}/${id}` }
}

type Connected = Awaited<ReturnType<typeof connected>>
const disable = ({ platform }: App, { connection }: Connected) =>
  platform.patch(connection, { enabled: false })
const deleteConnection = ({ platform }: App, { connection }: Connected) => platform.delete(connection)
const endItsSessions = ({ platform }: App, { connection }: Connected) =>
  platform.delete(`${connection}/sessions`)
const unlink = ({ platform }: App, { connection }: Connected) => platform.delete(`${connection}/links`)
const unlinkMember = ({ platform }: App, { membership }: Connected) =>
  platform.delete(`/admin/accounts/${membership.accountId}/members/${membership.id}/link`)

const OF_CONNECTIONS: Record<string, ((app: App, member: Connected) => Promise<Answer>)[]> = {
  'a connection is disabled while its account is deleted': [disable, deleteAccount],
  'a connection is deleted while a member is removed and its sessions end': [
    deleteConnection,
    remove,
    endItsSessions,
  ],
  'links end while their member is removed and blocked': [unlink, unlinkMember, remove, block],
  'links end while their user and their system are deleted': [unlink, unlinkMember, deleteUser, deleteSystem],
}

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

function testConflicts<Made>(
  conflicts: Record<string, ((app: App, made: Made) => Promise<Answer>)[]>,
  make: (app: App) => Promise<Made>,
): void {
  for (const [what, sides] of Object.entries(conflicts))
    test(`concurrent requests do not deadlock: ${what}`, async (t) => {
      const app = await startTestApp(t)
      const members: Made[] = []
      for (let count = 0; count < MEMBERS; count++) members.push(await make(app))

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

testConflicts(CONFLICTS, signedIn)
testConflicts(OF_CONNECTIONS, connected)
