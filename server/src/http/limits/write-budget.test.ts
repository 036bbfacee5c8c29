/** How much a system may write, on every surface. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { insertMembers } from '../../../test/support/many-sessions.ts'
import { newTeam } from '../../../test/support/organizations.ts'
import { type AdminClient, type Driver, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { sql } from '../../database/drizzle.ts'
import { limits } from '../../database/schema.ts'

/** A number of bodies of 16 kB: more than a process takes from the budget at a time. */
const MANY = 80

const writeOnce = (service: AdminClient, path: string) =>
  service.patch(path, { metadata: { text: crypto.randomUUID().padEnd(16_000, 'x') } })

/** Moves the budgets of all systems to their ends, and writes what the process has taken before. */
async function exhaust(app: Driver, service: AdminClient, path: string) {
  const first = await writeOnce(service, path)
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + ${10 * 86_400_000}` })
    .where(sql`${limits.key} like 'writes:%'`)
  const statuses: number[] = []
  let last = first
  for (let count = 0; count < MANY && last.status === 200; count++) {
    last = await writeOnce(service, path)
    statuses.push(last.status)
  }
  return { first, last, accepted: statuses.length - 1 }
}

test('a system that has written its bytes of the day gets 429 for writes, and can still read', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const path = `/admin/users/${user.id}`

  const { first, last, accepted } = await exhaust(app, service, path)
  const other = await app.newMember({ allowClientCredentials: true })
  const ofOther = await app.serviceOf(other.system)

  assert.equal(first.status, 200)
  assert.deepEqual([last.status, last.body.code], [429, 'too_many_requests'])
  assert.ok(Number(last.headers.get('retry-after')) > 0)
  assert.ok(accepted > 30, `${accepted} writes were accepted before`)
  assert.equal((await service.get(path)).status, 200)
  assert.equal((await ofOther.patch(`/admin/users/${other.user.id}`, { metadata: {} })).status, 200)
  assert.equal((await app.platform.patch(path, { name: 'A' })).status, 200)
})

/** A team whose system has used up its budget. */
async function given(t: TestContext) {
  const app = await startTestApp(t)
  const team = await newTeam(app)
  const service = await app.serviceOf(team.system)
  const { access_token: token } = await app.signIn(team.system, { email: team.admin.email })
  const { last } = await exhaust(app, service, `/admin/users/${team.member.id}`)
  assert.equal(last.status, 429)
  // The least that a request counts, until that is too much as well.
  const least = () => service.delete(`/admin/users/${crypto.randomUUID()}`)
  while ((await least()).status !== 429);
  return { app, team, service, token }
}

test('P53: every writing operation of the admin API counts, of services and of account admins', async (t) => {
  const { app, team, service, token } = await given(t)
  const writing = app.app.declared.filter(
    ({ method, url, authority }) =>
      url.startsWith('/admin/') && !['GET', 'HEAD', 'OPTIONS'].includes(method) && Array.isArray(authority),
  )
  const send = async (bearer: string, method: string, url: string) => {
    const known: Record<string, string> = { systemId: team.system.id, accountId: team.accountId }
    const path = url.replace(/:(\w+)/g, (_, name: string) => known[name] ?? team.member.id)
    const isImport = url.endsWith('/import')
    const { status } = await fetch(app.url + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': isImport ? 'application/x-ndjson' : 'application/json',
      },
      body: isImport ? `{"email":"${crypto.randomUUID()}@example.test"}\n` : '{}',
    })
    return status
  }

  const answers: Record<string, number> = {}
  for (const { method, url, authority } of writing)
    for (const [name, bearer] of [
      ['system', service.token],
      ['account', token],
    ] as const)
      if (authority?.includes(name)) answers[`${name}: ${method} ${url}`] = await send(bearer, method, url)

  assert.ok(Object.keys(answers).length > 60, `${Object.keys(answers).length} operations`)
  assert.deepEqual(
    Object.entries(answers).filter(([, status]) => status !== 429),
    [],
  )
})

/** A user leaves an organization whatever others have written. */
const NOT_COUNTED = ['/account/organizations/:accountId/leave']

test('P53: the forms of the pages of an organization count as the admin API does', async (t) => {
  const { app, team } = await given(t)
  const forms = app.app.declared.filter(
    ({ method, url }) => method === 'POST' && url.startsWith('/account/organizations/:accountId'),
  )
  await team.admin.open('')

  const answers: Record<string, number> = {}
  for (const { url } of forms) {
    const path = url
      .replace('/account/organizations/:accountId', '')
      .replace(/:\w+/g, team.member.membershipId)
    answers[url] = (await team.admin.send(path, {})).status
  }

  assert.ok(forms.length > 8, `${forms.length} forms`)
  assert.deepEqual(
    Object.keys(answers).filter((url) => answers[url] !== 429),
    NOT_COUNTED,
  )
})

/** Pieces of 1 MB that have been taken from the budgets of all systems. */
const taken = async (app: Driver) => {
  const rows = await app.db
    .select({ points: limits.points })
    .from(limits)
    .where(sql`${limits.key} like 'writes:%'`)
  return rows.reduce((sum, { points }) => sum + points, 0)
}

test('P53: a change that writes an event for each member counts as many', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(system)
  const [role, profile] = [
    await app.newRole(system.id),
    (await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'nurse' })).body,
  ]
  await insertMembers(app.db, system.id, 2_000, `member-${crypto.randomUUID()}`)
  await app.db.execute(sql`
    insert into membership_roles (membership_id, role_id, system_id, account_id, user_id, active, is_admin)
    select id, ${role.id}, system_id, account_id, user_id, true, false from memberships where system_id = ${system.id}`)
  await app.db.execute(sql`
    insert into membership_profiles (membership_id, profile_id, system_id)
    select id, ${profile.id}, system_id from memberships where system_id = ${system.id}`)

  for (const [path, body] of [
    [`/admin/systems/${system.id}/roles/${role.id}`, { scopes: ['orders:read'] }],
    [`/admin/systems/${system.id}/profiles/${profile.id}`, { name: 'midwife' }],
  ] as const) {
    const begun = await taken(app)
    const changed = await service.patch(path, body)
    await t.waitFor(async () => assert.ok((await taken(app)) >= begun + 1), SOON)
    assert.equal(changed.status, 200, path)
  }
})

test('P53: an export, which writes an audit entry, counts as a change', async (t) => {
  const { team, service } = await given(t)

  const answers = await Promise.all(
    [`/admin/users/${team.member.id}/export`, '/admin/audit/export'].map((path) => service.get(path)),
  )

  assert.deepEqual(
    answers.map(({ status }) => status),
    [429, 429],
  )
})

test('P53: invitations and imports count by what they contain', async (t) => {
  const app = await startTestApp(t)
  const team = await newTeam(app)
  const service = await app.serviceOf(team.system)
  await writeOnce(service, `/admin/users/${team.member.id}`)
  const begun = await taken(app)
  const lines = Array.from(
    { length: 60 },
    () =>
      `${JSON.stringify({ email: `${crypto.randomUUID()}@example.test`, metadata: { text: 'x'.repeat(16_000) } })}\n`,
  )
  const send = (path: string) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    }).then((answer) => answer.text())

  await send('/admin/users/import?dryRun=true')
  const dry = await taken(app)
  await send('/admin/users/import')
  const imported = await taken(app)
  for (let batch = 0; batch < 10; batch++) {
    const invitations = Array.from({ length: 100 }, () => ({
      email: `${crypto.randomUUID()}@example.test`,
      notify: false,
    }))
    await service.post(`/admin/accounts/${team.accountId}/invitations/batch`, { invitations })
  }

  assert.equal(dry, begun)
  assert.ok(imported >= begun + 1, `${imported - begun} MB for an import of 1 MB`)
  assert.ok((await taken(app)) >= imported + 1, 'a thousand invitations are at least 1 MB')
})
