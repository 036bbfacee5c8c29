/** The pages on which the admins of an organization manage its service accounts. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { newTeam, text, type Visitor, visitorOf } from '../../../test/support/organizations.ts'
import { type Answer, basicAuth, type Driver, PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { serviceAccountKeys } from '../../database/schema.ts'

const LIST = '/service-accounts'
const newOnce = () => randomBytes(32).toString('base64url')
const newPrograms = (app: Driver, fields: object = {}) =>
  newTeam(app, { allowServiceAccounts: true, ...fields })

const listed = async (app: Driver, accountId: string) =>
  (await app.platform.get(`/admin/accounts/${accountId}/service-accounts`)).body
const idIn = (answer: Answer) =>
  /service-accounts\/([\da-f-]{36})/.exec(answer.headers.get('location') ?? '')?.[1]
const secretIn = (answer: Answer) => /id="secret"><bdi>(tk_[\w-]{43})</.exec(text(answer))?.[1]
const onceIn = (page: Answer) => /name="once" value="([\w-]{43})"/.exec(text(page))?.[1] ?? ''

/** A service account that the visitor creates on the page, with the path of its own. */
async function create(visitor: Visitor, fields: string[][] = []) {
  await visitor.open(`${LIST}/new`)
  const id = idIn(await visitor.send(`${LIST}/new`, [['name', 'Nightly export'], ...fields]))!
  return { id, path: `${LIST}/${id}` }
}

async function addKey(visitor: Visitor, path: string, expiresIn = '7776000') {
  const fields = { expiresIn, once: onceIn(await visitor.open(path)) }
  return { fields, answer: await visitor.send(path, fields) }
}

async function isAccepted(app: Driver, clientId: string, secret: string): Promise<boolean> {
  const { status } = await fetch(`${app.url}/token`, {
    method: 'POST',
    headers: { authorization: basicAuth({ clientId, clientSecret: secret } as never) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return status === 200
}

test('an admin creates a service account with a key, changes it, revokes the key and deletes it', async (t) => {
  const app = await startTestApp(t)
  const { admin, role, adminRole, accountId, system } = await newPrograms(app)
  const empty = text(await admin.open(LIST))
  const { id, path } = await create(admin, [['roles', role.id]])
  const { answer } = await addKey(admin, path)
  const secret = secretIn(answer)!
  const [made] = await listed(app, accountId)
  const list = text(await admin.open(LIST))
  const wasAccepted = await isAccepted(app, made.clientId, secret)

  const names = [
    ['name', ' ERP '],
    ['nameBefore', made.name],
  ]
  const edited = await admin.send(`${path}/edit`, [
    ...names,
    ['roles', adminRole.id],
    ['rolesBefore', role.id],
  ])
  const [changed] = await listed(app, accountId)
  await admin.send(`${path}/disable`)
  const whileDisabled = await isAccepted(app, made.clientId, secret)
  await admin.send(`${path}/enable`)
  const whenEnabled = await isAccepted(app, made.clientId, secret)
  const revoked = await admin.browser.follow(await admin.send(`${path}/revoke`, { key: made.keys[0].id }))
  const afterwards = await isAccepted(app, made.clientId, secret)
  await admin.send(`${path}/delete`)

  assert.match(empty, /No service accounts yet/)
  assert.deepEqual([made.id, made.name, made.roles, made.keys.length], [id, 'Nightly export', [role.id], 1])
  assert.ok(Math.abs(Date.parse(made.keys[0].expiresAt) - Date.now() - 7_776_000_000) < 60_000)
  for (const part of ['Nightly export', 'Clerk', made.clientId, `tk_…${secret.slice(-4)}`, 'Never used'])
    assert.ok(list.includes(part), part)
  assert.equal(edited.status, 303)
  assert.deepEqual([changed.name, changed.roles], ['ERP', [adminRole.id]])
  assert.deepEqual([wasAccepted, whileDisabled, whenEnabled, afterwards], [true, false, true, false])
  assert.match(text(revoked), /The key was revoked/)
  assert.deepEqual(await listed(app, accountId), [])
  const entries = (await app.audited({ systemId: system.id })).filter(({ action }) =>
    action.startsWith('service_account.'),
  )
  assert.deepEqual(
    entries.map(({ action, actorId, actorVia }) => [action.split('.')[1], actorId, actorVia]),
    ['created', 'key_created', 'updated', 'updated', 'updated', 'key_revoked', 'deleted'].map((each) => [
      each,
      admin.id,
      'account_pages',
    ]),
  )
})

test('P38: the secret of a key is on one page only, which a reload neither shows again nor makes a second key', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newPrograms(app)
  const { path } = await create(admin)
  const { fields, answer } = await addKey(admin, path, '0')
  const secret = secretIn(answer)!

  const repeats = [
    ...(await Promise.all([admin.send(path, fields), admin.send(path, fields)])),
    await admin.send(path.toUpperCase().replace(LIST.toUpperCase(), LIST), fields),
  ]
  const [{ keys }] = await listed(app, accountId)
  const pages = [...repeats, await admin.open(path), await admin.open(LIST), await admin.open('/activity')]
  const written = [
    await app.audited({}),
    await app.findEvents({}),
    await app.db.select().from(serviceAccountKeys),
  ]

  assert.deepEqual([answer.status, answer.headers.get('location')], [200, null])
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.deepEqual(
    repeats.map(({ status }) => status),
    [409, 409, 409],
  )
  assert.match(text(repeats[0]!), /This key was created already/)
  assert.equal(keys.length, 1)
  assert.equal(keys[0].expiresAt, null)
  for (const each of [...pages.map(text), JSON.stringify(written)])
    assert.ok(!each.includes(secret.slice(3, 30)))
  await admin.send(`${path}/revoke`, { key: keys[0].id })
  assert.equal((await admin.send(path, fields)).status, 409, 'not after its end either')
  assert.deepEqual((await listed(app, accountId))[0].keys, [])
})

test('a repeated form that was refused by a limit creates its key when there is room', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newPrograms(app)
  const { id, path } = await create(admin)
  const keys = `/admin/accounts/${accountId}/service-accounts/${id}/keys`
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.push(expectStatus(await app.platform.post(keys, {}), 201).body.id)

  const { fields, answer } = await addKey(admin, path)
  await admin.send(`${path}/revoke`, { key: ids[0]! })
  const again = await admin.send(path, fields)

  assert.equal(answer.status, 409)
  assert.match(text(answer), /at most 5 keys/)
  assert.ok(secretIn(again))
  const wrong = [
    await admin.send(path, { ...fields, once: '' }),
    await admin.send(path, { ...fields, expiresIn: '99999999999' }),
    await admin.send(`${path}/edit`, { name: ' ' }),
    await admin.send(`${LIST}/new`, { name: 'x'.repeat(101) }),
  ]
  assert.deepEqual(
    wrong.map(({ status }) => status),
    [200, 200, 400, 400],
  )
  assert.equal((await listed(app, accountId))[0].keys.length, 5)
})

test('P63: only an admin of the account manages its service accounts, and only those of it', async (t) => {
  const app = await startTestApp(t)
  const [team, rival] = [await newPrograms(app, { admins: 2 }), await newPrograms(app)]
  const { admin, member, accountId } = team
  const former = team.admins[1]!
  const { id, path } = await create(admin)
  await addKey(admin, path)
  const [before] = await listed(app, accountId)
  await former.open(LIST)
  await app.platform.patch(`/admin/memberships/${former.membershipId}/roles`, { roles: [] })
  const across = await visitorOf(app, team, rival.admin)
  const once = newOnce()

  const answers: Record<string, number[]> = {}
  for (const [name, each] of Object.entries({ member, former, across, rival: rival.admin })) {
    const statuses = [
      await each.open(path),
      await each.send(path, { expiresIn: '0', once }),
      await each.send(`${path}/edit`, { name: 'Taken over' }),
      await each.send(`${path}/disable`),
      await each.send(`${path}/enable`),
      await each.send(`${path}/revoke`, { key: before.keys[0].id }),
      await each.send(`${path}/delete`),
      ...(name === 'rival' ? [] : [await each.open(LIST), await each.send(`${LIST}/new`, { name: 'Mine' })]),
    ]
    answers[name] = statuses.map(({ status }) => status)
  }
  const own = await create(rival.admin)
  const foreignKey = await rival.admin.send(`${LIST}/${own.id}/revoke`, { key: before.keys[0].id })

  assert.deepEqual(answers, {
    member: Array(9).fill(403),
    former: Array(9).fill(403),
    across: Array(9).fill(404),
    rival: Array(7).fill(404),
  })
  assert.equal(foreignKey.status, 404)
  assert.deepEqual(await listed(app, accountId), [before])
  assert.equal((await listed(app, rival.accountId))[0].keys.length, 0)
  assert.ok(!text(await member.open()).includes(LIST))
  assert.equal(before.id, id)
})

test('P63: a change that waits for the removal of the own admin role is refused', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newPrograms(app, { admins: 2 })
  const { path } = await create(admin)
  await addKey(admin, path)
  const before = await listed(app, accountId)

  const { sent } = await app.db.transaction(async (tx) => {
    await tx.execute(`select from memberships where id = '${admin.membershipId}' for update`)
    await tx.execute(`delete from membership_roles where membership_id = '${admin.membershipId}'`)
    const sent = [
      admin.send(path, { expiresIn: '0', once: newOnce() }),
      admin.send(`${path}/revoke`, { key: before[0].keys[0].id }),
      admin.send(`${path}/edit`, { name: 'Mine' }),
      admin.send(`${LIST}/new`, { name: 'Mine' }),
    ]
    await setTimeout(400) // on PostgreSQL they have read the role, and wait for the row
    return { sent }
  })
  const answers = await Promise.all(sent)

  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 403, 403],
  )
  assert.deepEqual(await listed(app, accountId), before)
})

test('P65: a system that does not allow service accounts has no such pages, nor has a personal account', async (t) => {
  const app = await startTestApp(t)
  const { admin, system, accountId } = await newPrograms(app)
  const { path } = await create(admin)
  await admin.send(`${path}/delete`)
  const before = text(await admin.open())
  const single = await app.newSystem({ allowServiceAccounts: true })
  const chief = await app.newRole(single.id, { isAdmin: true })
  const person = await app.newUser()
  const personal = await app.newMembership({ userId: person.id, systemId: single.id, roles: [chief.id] })
  const alone = await visitorOf(app, { accountId: String(personal.accountId) }, person as never)
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: false }), 200)

  const statuses = [
    await admin.open(LIST),
    await admin.open(path),
    await admin.send(`${LIST}/new`, { name: 'More' }),
    await admin.send(path, { expiresIn: '0', once: newOnce() }),
    await admin.send(`${path}/enable`),
    await alone.open(LIST),
    await alone.send(`${LIST}/new`, { name: 'Mine' }),
  ].map(({ status }) => status)

  assert.deepEqual(statuses, Array(7).fill(404))
  assert.ok(before.includes(`${LIST}"`) && !text(await admin.open()).includes(`${LIST}"`))
  assert.deepEqual(await listed(app, accountId), [])
})

test('P65: when the system stops allowing service accounts, an admin still revokes keys, disables and deletes', async (t) => {
  const app = await startTestApp(t)
  const { admin, system, accountId } = await newPrograms(app)
  const [first, second] = [await create(admin), await create(admin)]
  await addKey(admin, first.path)
  await addKey(admin, first.path)
  const [{ keys }] = await listed(app, accountId)
  expectStatus(await app.platform.patch(`/admin/systems/${system.id}`, { allowServiceAccounts: false }), 200)

  const [list, page] = [text(await admin.open(LIST)), text(await admin.open(first.path))]
  const refused = [
    await admin.open(`${LIST}/new`),
    await admin.send(`${LIST}/new`, { name: 'More' }),
    await admin.send(first.path, { expiresIn: '0', once: newOnce() }),
  ]
  await admin.send(`${first.path}/revoke`, { key: keys[0].id })
  await admin.send(`${first.path}/disable`)
  const enabled = await admin.send(`${first.path}/enable`)
  await admin.send(`${second.path}/delete`)
  const left = await listed(app, accountId)
  await admin.send(`${first.path}/delete`)

  for (const shown of [list, page]) assert.match(shown, /does not allow service accounts any more/)
  assert.doesNotMatch(list, /id="new"/)
  assert.doesNotMatch(page, /id="create-key"|id="submit"/)
  assert.deepEqual(
    [...refused, enabled].map(({ status }) => status),
    [404, 404, 409, 409],
  )
  assert.match(text(enabled), /does not allow service accounts any more/)
  assert.deepEqual(
    left.map((each: (typeof left)[number]) => [each.id, each.disabled, each.keys.length]),
    [[first.id, true, 1]],
  )
  assert.equal((await admin.open(LIST)).status, 404, 'none has remained')
})

test('P38: what creates a key or grants a role requires a recent sign-in; what ends access does not', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId, role } = await newPrograms(app)
  const { path } = await create(admin)
  await addKey(admin, path)
  const [before] = await listed(app, accountId)
  await admin.open(path)
  await changeProofs(app.db, admin.id, { age: 310 })

  const asked = [
    await admin.open(`${LIST}/new`),
    await admin.open(path),
    await admin.send(`${LIST}/new`, { name: 'More' }),
    await admin.send(path, { expiresIn: '0', once: newOnce() }),
    await admin.send(`${path}/edit`, { name: 'ERP', roles: role.id }),
    await admin.send(`${path}/enable`),
  ]
  const unchanged = await listed(app, accountId)
  const shown = await admin.open(LIST)
  const revoked = await admin.send(`${path}/revoke`, { key: before.keys[0].id })
  const login = await admin.browser.follow(asked[0]!)
  const continued = await admin.browser.follow(
    await admin.browser.submit(login, { email: admin.email, password: PASSWORD }),
  )

  assert.match(text(continued), /action="[^"]*\/service-accounts\/new"/, 'continues at the form')
  for (const { status, headers } of asked) {
    assert.equal(status, 303)
    assert.equal(new URL(headers.get('location')!, app.url).searchParams.get('max_age'), '300')
  }
  assert.deepEqual(unchanged, [before])
  assert.deepEqual([shown.status, revoked.status], [200, 303])
  assert.deepEqual((await listed(app, accountId))[0].keys, [])
})

test('P51: an admin neither assigns a reserved role nor changes a service account that has one, only revokes its keys', async (t) => {
  const app = await startTestApp(t)
  const { admin, system, accountId } = await newPrograms(app)
  const reserved = await app.newRole(system.id, { assignableByAccountAdmins: false, name: 'Vendor' })
  const at = `/admin/accounts/${accountId}/service-accounts`
  const { id } = (await app.platform.post(at, { name: 'Sync', roles: [reserved.id] })).body
  const { id: key } = (await app.platform.post(`${at}/${id}/keys`, {})).body
  const path = `${LIST}/${id}`
  const own = await create(admin)

  const page = text(await admin.open(path))
  const refused = [
    await admin.send(path, { expiresIn: '0', once: newOnce() }),
    await admin.send(`${path}/edit`, { name: 'Mine' }),
    await admin.send(`${path}/disable`),
    await admin.send(`${path}/delete`),
    await admin.send(`${LIST}/new`, { name: 'More', roles: reserved.id }),
    await admin.send(`${own.path}/edit`, { name: 'Nightly export', roles: reserved.id }),
  ]
  const revoked = await admin.send(`${path}/revoke`, { key })

  assert.match(page, /a role that only the application assigns/)
  assert.ok(
    !page.includes('name="once"') && !page.includes(`${path}/edit`) && page.includes(`${path}/revoke`),
  )
  assert.deepEqual(
    refused.map(({ status }) => status),
    Array(6).fill(403),
  )
  for (const each of refused) assert.match(text(each), /Only the application can make this change/)
  assert.equal(revoked.status, 303)
  const rows = (await listed(app, accountId)) as { name: string; roles: string[]; keys: unknown[] }[]
  assert.deepEqual(
    rows.map(({ name, roles, keys }) => [name, roles, keys.length]),
    [
      ['Sync', [reserved.id], 0],
      ['Nightly export', [], 0],
    ],
  )
})
