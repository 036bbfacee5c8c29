/** The filters of the list of users: each excludes the users that do not match, as the caller reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { passkeys, users } from '../../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Users by name, of whom `mine` lists those with the given ids. */
async function newCrowd(app: App, crowd: Record<string, object>) {
  const made = new Map<string, string>()
  for (const [name, fields] of Object.entries(crowd)) made.set((await app.newUser(fields)).id, name)
  const ids = [...made.keys()]
  /** The names of those that a filter returns, in order. */
  const mine = async (client: typeof app.platform, query: string): Promise<string[]> => {
    const { status, body } = await client.get(`/admin/users?ids=${ids.join()}&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.total, body.data.length)
    return body.data.map(({ id }: { id: string }) => made.get(id)!)
  }
  const idOf = (name: string) => ids.find((id) => made.get(id) === name)!
  return { ids, idOf, mine }
}

test('the platform filters users by their own values, alone and together', async (t) => {
  const app = await startTestApp(t)
  const { platform, db } = app
  const { ids, idOf, mine } = await newCrowd(app, {
    old: { emailVerified: true },
    disabled: { disabled: true },
    passkey: { password: undefined },
    system: {},
  })
  const system = await app.newSystem({ allowClientCredentials: true })
  await app.newMembership({ userId: idOf('system'), systemId: system.id })
  // A password that is valid in the system only.
  const service = await app.serviceOf(system as never)
  await platform.patch(`/admin/users/${idOf('system')}`, { emailVerified: true })
  await service.post(`/admin/users/${idOf('system')}/set-password`, { password: `${PASSWORD} there` })
  const key = { credentialId: crypto.randomUUID(), publicKey: Buffer.from('x'), name: 'key' }
  await db.insert(passkeys).values({ ...key, userId: idOf('passkey') })
  const set = (name: string, values: object) =>
    db
      .update(users)
      .set(values)
      .where(eq(users.id, idOf(name)))
  await set('old', { createdAt: sql`'2020-01-02T00:00:00Z'`, lastLoginAt: sql`'2020-02-02T00:00:00Z'` })
  await set('disabled', { lastLoginAt: sql`'2020-03-02T00:00:00Z'` })
  const everyone = ['system', 'passkey', 'disabled', 'old']
  const but = (...names: string[]) => everyone.filter((name) => !names.includes(name))
  const is = async (query: string, names: string[]) =>
    assert.deepEqual(await mine(platform, query), names, query)

  await is('', everyone)
  await is('emailVerified=true', ['system', 'old'])
  await is('emailVerified=false', ['passkey', 'disabled'])
  await is('disabled=true', ['disabled'])
  await is('disabled=false', but('disabled'))
  await is('mfa=true', ['passkey'])
  await is('mfa=false', but('passkey'))
  await is('hasPassword=true', but('passkey'))
  await is('hasPassword=false', ['passkey'])
  await platform.post(`/admin/users/${idOf('passkey')}/set-password`, { password: PASSWORD })
  await is('hasPassword=false', [])
  await is('createdBefore=2020-01-02T00:00:00Z', [])
  await is('createdBefore=2020-01-02T00:00:01Z', ['old'])
  await is('createdAfter=2020-01-02T00:00:01Z', but('old'))
  await is('lastLoginAfter=2020-02-02T00:00:00Z', ['disabled', 'old'])
  await is('lastLoginAfter=2020-02-02T00:00:01Z', ['disabled'])
  await is('lastLoginBefore=2020-03-02T00:00:00Z', but('disabled'))
  await is('sort=lastLoginAt&lastLoginAfter=2020-01-01T00:00:00Z', ['disabled', 'old'])
  assert.deepEqual((await mine(platform, 'sort=lastLoginAt')).slice(0, 2), ['disabled', 'old'])
  await is(`systemId=${system.id}`, ['system'])
  await is(`systemId=${system.id}&emailVerified=true`, ['system'])
  await is(`systemId=${system.id}&emailVerified=false`, [])
  await is(`systemId=${system.id}&sort=lastLoginAt`, ['system'])
  await is('disabled=true&mfa=true', [])
  await is('disabled=true&search=example.test', ['disabled'])
  const first = await platform.get(`/admin/users?ids=${ids[0]}`)
  assert.deepEqual([first.body.total, first.body.data[0].id], [1, ids[0]])
  for (const bad of ['ids=x', 'createdAfter=yesterday', 'sort=email', 'mfa=maybe'])
    assert.equal((await platform.get(`/admin/users?${bad}`)).status, 400, bad)
})

test('a system filters its users by what it reads, and learns nothing about others or elsewhere', async (t) => {
  const app = await startTestApp(t)
  const { platform } = app
  const { idOf, mine } = await newCrowd(app, { entered: {}, added: {}, stranger: { emailVerified: true } })
  const system = await app.newSystem({ allowClientCredentials: true })
  for (const name of ['entered', 'added'])
    await app.newMembership({ userId: idOf(name), systemId: system.id })
  const service = await app.serviceOf(system as never)
  const { email } = (await platform.get(`/admin/users/${idOf('entered')}`)).body
  await app.signIn(system as never, { email })
  const stranger = (await platform.get(`/admin/users/${idOf('stranger')}`)).body
  const is = async (query: string, names: string[]) =>
    assert.deepEqual(await mine(service, query), names, query)

  await is('', ['added', 'entered'])
  await is('emailVerified=false', ['added', 'entered'])
  for (const name of ['entered', 'added'])
    await platform.patch(`/admin/users/${idOf(name)}`, { emailVerified: true, disabled: true })
  await is('emailVerified=true', ['entered'])
  await is('emailVerified=false', ['added'])
  await is('disabled=true', ['entered'])
  await service.patch(`/admin/users/${idOf('added')}`, { disabled: true })
  await is('disabled=true', ['added', 'entered'])
  await is('createdAfter=2099-01-01T00:00:00Z', [])
  for (const by of [`email=${stranger.email}`, `search=${stranger.email}`]) {
    assert.equal((await service.get(`/admin/users?${by}`)).body.total, 1, by)
    for (const flag of ['emailVerified=true', 'disabled=false'])
      assert.equal((await service.get(`/admin/users?${by}&${flag}`)).body.total, 0, `${by} ${flag}`)
  }
  for (const by of [
    'mfa=true',
    'hasPassword=false',
    'lastLoginAfter=2020-01-01T00:00:00Z',
    'sort=lastLoginAt',
  ]) {
    const { status, body } = await service.get(`/admin/users?${by}`)
    assert.deepEqual([status, body.code], [403, 'insufficient_authority'], by)
  }
})
