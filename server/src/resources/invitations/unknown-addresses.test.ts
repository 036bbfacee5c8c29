/** Whoever invites does not learn whether an address has a user: from no response, and not from its cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAddress } from '../../../test/support/invitations.ts'
import { newTeam } from '../../../test/support/organizations.ts'
import { assertSameTime } from '../../../test/support/response-times.ts'
import { recordStatements } from '../../../test/support/statements.ts'
import { type Answer, type Driver, startTestApp } from '../../../test/support/testing.ts'

type Team = Awaited<ReturnType<typeof newTeam>>

/** An address that is not of a member of the account, of each kind. */
const KINDS: Record<string, (app: Driver, team: Team) => Promise<string>> = {
  nobody: async () => newAddress(),
  user: (app) => addressOfUser(app, { emailVerified: true, locale: 'ja', name: 'Rui' }),
  'user without a verified address': (app) => addressOfUser(app, { emailVerified: false }),
  'disabled user': async (app) => {
    const user = await app.newUser({ password: undefined })
    await app.platform.patch(`/admin/users/${user.id}`, { disabled: true })
    return user.email
  },
  'member of another account': async (app, { system }) => {
    const user = await app.newUser({ password: undefined })
    await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Other' })
    return user.email
  },
  'member who has left': async (app, { accountId }) => {
    const user = await app.newUser({ password: undefined })
    const { id } = await app.newMembership({ userId: user.id, accountId })
    await app.platform.delete(`/admin/memberships/${id}`)
    return user.email
  },
}

const addressOfUser = async (app: Driver, fields: object): Promise<string> =>
  (await app.newUser({ password: undefined, ...fields })).email

/** What differs between any two requests is left out: ids, times, the address. */
const masked = ({ status, headers, body }: Answer, email: string): string =>
  JSON.stringify([status, [...headers.keys()].sort(), headers.get('location'), body])
    .replaceAll(email, 'ADDRESS')
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

/** An admin of the account, with a token and with a browser on the pages. */
async function newInviter(app: Driver) {
  const team = await newTeam(app)
  const { access_token } = await app.signIn(team.system, { email: team.admin.email })
  await team.admin.open('/invitations')
  const path = `/admin/accounts/${team.accountId}/invitations`
  return { team, path, client: app.as(access_token) }
}

test('an invitation has the same response and SQL statements, whether or not the address has a user', async (t) => {
  const app = await startTestApp(t)
  const { team, path, client } = await newInviter(app)
  const statements = recordStatements(app.db)

  const seen: Record<string, Record<string, unknown>> = {}
  // The first kind is asked twice: other first requests load what later ones find in a cache.
  for (const kind of ['nobody', ...Object.keys(KINDS)]) {
    const [one, two, three] = [
      await KINDS[kind]!(app, team),
      await KINDS[kind]!(app, team),
      await KINDS[kind]!(app, team),
    ]
    const operations: Record<string, [string, (id: string) => Promise<Answer>]> = {
      create: [one, () => client.post(path, { email: one, roles: [team.role.id], message: 'Welcome' })],
      twice: [one, () => client.post(path, { email: one })],
      read: [one, (id) => client.get(`${path}/${id}`)],
      resend: [one, (id) => client.post(`${path}/${id}/resend`)],
      list: [one, () => client.get(`${path}?search=${one}`)],
      revoke: [one, (id) => client.delete(`${path}/${id}`)],
      batch: [two, () => client.post(`${path}/batch`, { invitations: [{ email: two }] })],
      page: [three, () => team.admin.send('/invitations', { emails: three, roles: team.role.id })],
    }
    seen[kind] = {}
    let id = ''
    for (const [name, [email, run]] of Object.entries(operations)) {
      const answer = await run(id)
      if (name === 'create') id = answer.body.id
      seen[kind][name] = { answer: masked(answer, email), statements: [...statements()] }
    }
  }

  const { nobody, ...others } = seen
  for (const [kind, answers] of Object.entries(others)) assert.deepEqual(answers, nobody, kind)
  const codes = Object.values(nobody!).map((each) => JSON.parse((each as { answer: string }).answer)[0])
  assert.deepEqual(codes, [201, 409, 200, 200, 200, 204, 200, 303])
})

test('an invitation takes as long for the address of a user as for any other', async (t) => {
  const app = await startTestApp(t)
  const { team, path, client } = await newInviter(app)
  const inviting = (kind: string) => async () => {
    const email = await KINDS[kind]!(app, team)
    return async () => assert.equal((await client.post(path, { email })).status, 201)
  }

  await assertSameTime(t, { nobody: inviting('nobody'), user: inviting('user') }, { rounds: 30 })
})
