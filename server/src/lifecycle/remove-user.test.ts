/** Operations that end a user's access: deletion, disabling, set-password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../test/support/testing.ts'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code]

test('deleting a user deletes memberships and personal account, and anonymizes the audit', async (t) => {
  const { platform, newUser, newSystem, newMembership, audited, findEvents } = await startTestApp(t)
  const user = await newUser({ name: 'Ana Lima' })
  const [solo, multi] = [await newSystem(), await newSystem({ multiAccount: true })]
  const members = [
    await newMembership({ userId: user.id, systemId: solo.id }),
    await newMembership({ userId: user.id, systemId: multi.id }),
  ]
  await platform.patch(`/admin/users/${user.id}`, { name: 'Ana Souza' })

  const answers = await Promise.all([1, 2, 3].map(() => platform.delete(`/admin/users/${user.id}`)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404])
  assert.deepEqual(outcome(await platform.get(`/admin/users/${user.id}`)), [404, 'user_not_found'])
  assert.equal((await platform.get(`/admin/memberships?userId=${user.id}`)).body.total, 0)
  const revoked = await findEvents({ userId: user.id, type: 'user.access_revoked' })
  assert.deepEqual(revoked.map(({ membershipId }) => membershipId).sort(), members.map(({ id }) => id).sort())
  assert.equal((await findEvents({ userId: user.id, type: 'user.deleted' })).length, 1)
  const entries = await audited({ targetId: user.id })
  assert.deepEqual(entries.map(({ action }) => action).sort(), [
    'user.created',
    'user.deleted',
    'user.updated',
  ])
  entries.push(...(await audited({ targetId: members[0].accountId }))) // an account named after the user
  assert.equal(entries.at(-1)?.action, 'account.created')
  assert.doesNotMatch(JSON.stringify(entries), new RegExp(`Ana|${user.email}`))
})

test('a personal account with other members outlives its user under a neutral name', async (t) => {
  const { platform, newUser, newSystem, newMembership, newRole, findEvents, signIn, me } =
    await startTestApp(t)
  const system = await newSystem({ skipConsent: true })
  const [owner, guest] = [await newUser(), await newUser()]
  const { accountId } = await newMembership({ userId: owner.id, systemId: system.id })
  await platform.patch(`/admin/systems/${system.id}`, { multiAccount: true })
  const role = await newRole(system.id, { isAdmin: true })
  const joined = await newMembership({ userId: guest.id, accountId, roles: [role.id] })
  const { access_token } = await signIn(system, { email: guest.email })

  const answer = await platform.delete(`/admin/users/${owner.id}`)

  assert.equal(answer.status, 204)
  const account = (await platform.get(`/admin/accounts/${accountId}`)).body
  assert.deepEqual([account.kind, account.name], ['organization', `Account ${accountId.slice(0, 8)}`])
  assert.equal((await platform.get(`/admin/memberships/${joined.id}`)).status, 200)
  assert.equal((await me(access_token)).status, 200)
  const recorded = await findEvents({ accountId, type: 'account.updated' })
  assert.deepEqual(recorded.at(-1)?.data.account, { id: accountId, name: account.name, kind: 'organization' })
  const audit = (await platform.get(`/admin/audit?targetId=${accountId}`)).body.data
  assert.deepEqual(audit[0].changes, { kind: ['personal', 'organization'] })
  assert.doesNotMatch(JSON.stringify(audit), new RegExp(owner.email))
})

for (const [how, change] of [
  ['disabled', (app, id) => app.platform.patch(`/admin/users/${id}`, { disabled: true })],
  [
    'given another password',
    (app, id) => app.platform.post(`/admin/users/${id}/set-password`, { password: 'another horse' }),
  ],
  ['deleted', (app, id) => app.platform.delete(`/admin/users/${id}`)],
] as [string, (app: Awaited<ReturnType<typeof startTestApp>>, id: string) => Promise<Answer>][]) {
  test(`P04, P21: a user who is ${how} is signed out of all systems, and no other user is`, async (t) => {
    const app = await startTestApp(t)
    const systems = [await app.newSystem({ skipConsent: true }), await app.newSystem({ skipConsent: true })]
    const [user, bystander] = [await app.newUser(), await app.newUser()]
    const tokens = []
    for (const system of systems) {
      await app.newMembership({ userId: user.id, systemId: system.id })
      tokens.push(await app.signIn(system, { email: user.email }))
    }
    await app.newMembership({ userId: bystander.id, systemId: systems[0].id })
    const other = await app.signIn(systems[0], { email: bystander.email })

    const answer = await change(app, user.id)

    assert.ok(answer.status < 300)
    for (const [n, { access_token, refresh_token, visitor }] of tokens.entries()) {
      assert.equal((await app.me(access_token)).status, 401)
      assert.equal((await app.refresh(systems[n], refresh_token!)).body.error, 'invalid_grant')
      const silent = await app.authorize(systems[n], {
        email: user.email,
        visitor,
        parameters: { prompt: 'none' },
      })
      assert.equal(silent.back.error, 'login_required')
    }
    assert.equal((await app.me(other.access_token)).status, 200)
    assert.equal((await app.findEvents({ userId: user.id, type: 'session.ended' })).length, 2)
  })
}
