import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startTestApp } from '../../../test/support/testing.ts'
import { concurrently } from '../../../test/support/waiting.ts'

const unknown = '5d1f3a52-8a0e-4c1b-9e67-0b2f6c7d8e91'
const outcome = ({ status, body }: Answer) => [status, body?.code]
const masked = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } })
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

test('profiles of a system are listed newest first in pages, filtered by name', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const path = `/admin/systems/${shop.id}/profiles`

  const nurse = await platform.post(path, {
    name: 'Nurse 100%',
    description: 'Wards',
    attributes: { floor: 3, skills: ['a'] },
  })
  const plain = await platform.post(path, { name: 'doctor' })
  const { id, createdAt, updatedAt, ...fields } = nurse.body

  assert.deepEqual([nurse.status, plain.status], [201, 201])
  assert.deepEqual(fields, {
    systemId: shop.id,
    name: 'Nurse 100%',
    description: 'Wards',
    attributes: { floor: 3, skills: ['a'] },
  })
  assert.deepEqual([plain.body.description, plain.body.attributes, createdAt], [null, {}, updatedAt])
  assert.deepEqual((await platform.get(`${path}/${id}`)).body, nurse.body)
  const list = async (query = '') => (await platform.get(path + query)).body
  assert.deepEqual(await list(), {
    data: [plain.body, nurse.body],
    page: 1,
    pageSize: 20,
    total: 2,
    nextCursor: null,
  })
  assert.deepEqual(await list('?page=2&pageSize=1'), {
    data: [nurse.body],
    page: 2,
    pageSize: 1,
    total: 2,
    nextCursor: null,
  })
  assert.deepEqual(
    [
      (await list('?search=nURSe')).data,
      (await list('?search=0%25')).data,
      (await list('?search=d_ct')).total,
    ],
    [[nurse.body], [nurse.body], 0],
  )
  assert.equal((await platform.get(`/admin/systems/${other.id}/profiles`)).body.total, 0)
})

test('a profile of an unknown or another system is refused', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const { id } = (await platform.post(`/admin/systems/${other.id}/profiles`, { name: 'nurse' })).body
  const attempts = (systemId: string, profileId: string) => {
    const path = `/admin/systems/${systemId}/profiles`
    return Promise.all([
      platform.get(`${path}/${profileId}`),
      platform.patch(`${path}/${profileId}`, { name: 'x' }),
      platform.delete(`${path}/${profileId}`),
    ])
  }

  const crossed = [...(await attempts(shop.id, id)), ...(await attempts(shop.id, unknown))]
  const nowhere = [
    ...(await attempts(unknown, id)),
    await platform.get(`/admin/systems/${unknown}/profiles`),
    await platform.post(`/admin/systems/${unknown}/profiles`, { name: 'x' }),
  ]

  assert.deepEqual(crossed.map(outcome), Array(6).fill([404, 'profile_not_found']))
  assert.deepEqual(nowhere.map(outcome), Array(5).fill([404, 'system_not_found']))
  assert.equal((await platform.get(`/admin/systems/${other.id}/profiles/${id}`)).body.name, 'nurse')
})

test('of 20 concurrent profiles with one name one is created', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const path = `/admin/systems/${shop.id}/profiles`

  const answers = await concurrently(20, () => platform.post(path, { name: 'nurse' }))
  const elsewhere = await platform.post(`/admin/systems/${other.id}/profiles`, { name: 'nurse' })

  assert.deepEqual(answers.map(outcome).sort(), [
    [201, undefined],
    ...Array(19).fill([409, 'profile_name_taken']),
  ])
  assert.equal((await platform.get(path)).body.total, 1)
  assert.equal((await audited({ systemId: shop.id, action: 'profile.created' })).length, 1)
  assert.equal(elsewhere.status, 201)
})

test('a change sets the given fields, replaces attributes, and is audited once', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/profiles`
  const before = { name: 'nurse', description: 'Wards', attributes: { a: 1, b: { c: 2 } } }
  const { id } = (await platform.post(path, before)).body
  const patch = async (body: object) => {
    const { name, description, attributes } = (await platform.patch(`${path}/${id}`, body)).body
    return { name, description, attributes }
  }

  const steps = [
    await patch({ name: 'matron' }),
    await patch({ attributes: { b: { d: 3 } } }),
    await patch({ description: null }),
    await patch({}),
    await patch({ name: 'matron', attributes: { b: { d: 3 } } }),
  ]

  const after = { name: 'matron', description: null, attributes: { b: { d: 3 } } }
  assert.deepEqual(steps, [
    { ...before, name: 'matron' },
    { ...after, description: 'Wards' },
    after,
    after,
    after,
  ])
  assert.deepEqual(
    (await audited({ targetId: id })).map(({ action, changes }) => [action, changes]),
    [
      [
        'profile.created',
        { name: [null, 'nurse'], description: [null, 'Wards'], attributes: [null, before.attributes] },
      ],
      ['profile.updated', { name: ['nurse', 'matron'] }],
      ['profile.updated', { attributes: [before.attributes, after.attributes] }],
      ['profile.updated', { description: ['Wards', null] }],
    ],
  )
})

test('renaming to a name in use is profile_name_taken, without effect', async (t) => {
  const { platform, newMember, findEvents, audited } = await startTestApp(t)
  const { system, membership } = await newMember()
  const path = `/admin/systems/${system.id}/profiles`
  await platform.post(path, { name: 'nurse' })
  const doctor = (await platform.post(path, { name: 'doctor' })).body
  await platform.patch(`/admin/memberships/${membership.id}/profiles`, { profiles: [doctor.id] })
  const recorded = (await findEvents({ systemId: system.id })).length

  const answer = await platform.patch(`${path}/${doctor.id}`, { name: 'nurse', attributes: { a: 1 } })

  assert.deepEqual(outcome(answer), [409, 'profile_name_taken'])
  assert.deepEqual((await platform.get(`${path}/${doctor.id}`)).body, doctor)
  assert.equal((await findEvents({ systemId: system.id })).length, recorded)
  assert.deepEqual(await audited({ targetId: doctor.id, action: 'profile.updated' }), [])
})

test('the claim profiles follows a rename and a deletion at the next refresh', async (t) => {
  const { platform, newSystem, newUser, newMembership, signIn, refresh } = await startTestApp(t)
  const system = await newSystem({ skipConsent: true })
  const user = await newUser()
  const path = `/admin/systems/${system.id}/profiles`
  const [nurse, doctor] = [
    (await platform.post(path, { name: 'nurse' })).body,
    (await platform.post(path, { name: 'doctor' })).body,
  ]
  await newMembership({ userId: user.id, systemId: system.id, profiles: [nurse.id, doctor.id] })
  let tokens: { access_token: string; refresh_token?: string } = await signIn(system, user)
  const next = async () => {
    tokens = (await refresh(system, tokens.refresh_token!)).body
    return claimsOf(tokens.access_token).profiles
  }

  const first = claimsOf(tokens.access_token).profiles
  await platform.patch(`${path}/${nurse.id}`, { name: 'matron' })
  const renamed = await next()
  await platform.delete(`${path}/${doctor.id}`)
  const deleted = await next()
  await platform.delete(`${path}/${nurse.id}`)
  const none = await next()

  assert.deepEqual(
    [first, renamed, deleted, none],
    [['doctor', 'nurse'], ['doctor', 'matron'], ['matron'], undefined],
  )
})

test('a change or deletion of a profile sends user.access_updated for each membership', async (t) => {
  const { platform, newSystem, newUser, newMembership, findEvents } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const path = `/admin/systems/${system.id}/profiles`
  const [nurse, doctor] = [
    (await platform.post(path, { name: 'nurse' })).body,
    (await platform.post(path, { name: 'doctor' })).body,
  ]
  const join = async (profiles: string[]) =>
    (await newMembership({ userId: (await newUser()).id, systemId: system.id, profiles })).id
  const [one, two] = [await join([nurse.id]), await join([nurse.id, doctor.id])]
  await join([doctor.id])
  const notified: string[][] = []
  const recorded = async () =>
    (await findEvents({ systemId: system.id, type: 'user.access_updated' })).map((row) => row.membershipId!)
  const after = async (call: Promise<Answer>) => {
    await call
    notified.push((await recorded()).slice(notified.flat().length).sort())
  }

  await after(platform.patch(`${path}/${nurse.id}`, { name: 'matron' }))
  await after(platform.patch(`${path}/${nurse.id}`, { attributes: { floor: 3 } }))
  await after(platform.patch(`${path}/${nurse.id}`, { description: 'for people' }))
  await after(platform.patch(`${path}/${nurse.id}`, { name: 'matron' }))
  await after(platform.delete(`${path}/${nurse.id}`))

  const both = [one, two].sort()
  assert.deepEqual(notified, [both, both, [], [], both])
  assert.deepEqual((await platform.get(`/admin/memberships/${two}`)).body.profiles, [doctor.id])
})

test('a profile is deleted once, with an audit entry', async (t) => {
  const { platform, newSystem, audited } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/profiles`
  const { id } = (await platform.post(path, { name: 'nurse' })).body

  const answers = await Promise.all([1, 2, 3].map(() => platform.delete(`${path}/${id.toUpperCase()}`)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404])
  assert.equal((await platform.get(path)).body.total, 0)
  assert.deepEqual(
    (await audited({ targetId: id, action: 'profile.deleted' })).map(({ changes }) => changes),
    [{ name: ['nurse', null] }],
  )
})

test('P13: id and system of a profile cannot be changed', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const [shop, other] = [await newSystem(), await newSystem()]
  const foreign = { id: unknown, systemId: other.id, createdAt: '2000-01-01T00:00:00Z' }
  const lenient = { prefer: 'handling=lenient' }
  const made = await platform.post(
    `/admin/systems/${shop.id}/profiles`,
    { name: 'nurse', ...foreign },
    lenient,
  )

  const changed = await platform.patch(`/admin/systems/${shop.id}/profiles/${made.body.id}`, foreign)

  assert.deepEqual([made.status, made.body.systemId, made.body.id === unknown], [201, shop.id, false])
  assert.deepEqual(
    [changed.status, changed.body.errors.map(({ path }: { path: string }) => path)],
    [400, ['/id', '/systemId']],
  )
  assert.equal((await platform.get(`/admin/systems/${other.id}/profiles`)).body.total, 0)
})

test('P37: a service token reaches its own profiles only', async (t) => {
  const { platform, newSystem, serviceOf } = await startTestApp(t)
  const [own, other] = [await newSystem({ allowClientCredentials: true }), await newSystem()]
  const foreign = (await platform.post(`/admin/systems/${other.id}/profiles`, { name: 'nurse' })).body
  const service = await serviceOf(own)
  const attempts = (systemId: string, profileId: string) => {
    const path = `/admin/systems/${systemId}/profiles`
    return Promise.all([
      service.get(path),
      service.post(path, { name: 'mine' }),
      service.get(`${path}/${profileId}`),
      service.patch(`${path}/${profileId}`, { name: 'mine' }),
      service.delete(`${path}/${profileId}`),
    ])
  }

  const [theirs, absent] = [await attempts(other.id, foreign.id), await attempts(unknown, unknown)]
  const crossed = (await attempts(own.id, foreign.id)).slice(2)
  const path = `/admin/systems/${own.id}/profiles`
  const list = (await service.get(path)).body
  const changed = await service.patch(`${path}/${list.data[0].id}`, { name: 'ours' })
  const deleted = await service.delete(`${path}/${list.data[0].id}`)

  assert.deepEqual(theirs.map(masked), absent.map(masked))
  assert.deepEqual(theirs.map(outcome), Array(5).fill([404, 'system_not_found']))
  assert.deepEqual(crossed.map(outcome), Array(3).fill([404, 'profile_not_found']))
  assert.deepEqual((await platform.get(`/admin/systems/${other.id}/profiles`)).body.data, [foreign])
  assert.deepEqual(
    [list.total, list.data[0].name, changed.body.name, deleted.status],
    [1, 'mine', 'ours', 204],
  )
})

test('an account administrator reads the profiles of their system and changes none', async (t) => {
  const { platform, as, newSystem, newUser, newRole, newMembership, signIn } = await startTestApp(t)
  const [own, other, ann] = [
    await newSystem({ multiAccount: true, skipConsent: true }),
    await newSystem(),
    await newUser(),
  ]
  const owner = await newRole(own.id, { isAdmin: true })
  await newMembership({ userId: ann.id, systemId: own.id, roles: [owner.id] })
  const path = `/admin/systems/${own.id}/profiles`
  const nurse = (await platform.post(path, { name: 'nurse' })).body
  const admin = as((await signIn(own, ann)).access_token)

  const read = [await admin.get(path), await admin.get(`${path}/${nurse.id}`)]
  const refused = [
    await admin.post(path, { name: 'more' }),
    await admin.patch(`${path}/${nurse.id}`, { name: 'more' }),
    await admin.delete(`${path}/${nurse.id}`),
  ]
  const [foreign, nowhere] = [
    await admin.get(`/admin/systems/${other.id}/profiles`),
    await admin.get(`/admin/systems/${unknown}/profiles`),
  ]

  assert.deepEqual([read[0]!.body.data, read[1]!.body], [[nurse], nurse])
  assert.deepEqual(refused.map(outcome), Array(3).fill([403, 'insufficient_authority']))
  assert.deepEqual([masked(foreign), outcome(foreign)], [masked(nowhere), [404, 'system_not_found']])
  assert.deepEqual((await platform.get(path)).body.data, [nurse])
})

test('P42: an invalid name, description or attribute is refused by name', async (t) => {
  const { platform, newSystem } = await startTestApp(t)
  const path = `/admin/systems/${(await newSystem()).id}/profiles`
  const wrong = {
    name: ['', 'x'.repeat(101), 1, null, [], {}],
    description: [1, [], {}, 'x'.repeat(1_001)],
    attributes: [null, 'a', 1, true, [], [{}]],
  }
  const cases = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => [field, value] as const),
  )

  const answers = await Promise.all(
    cases.map(([field, value]) => platform.post(path, { name: 'nurse', [field]: value })),
  )
  const large = await platform.post(path, { name: 'nurse', attributes: { text: 'x'.repeat(65_536) } })

  answers.forEach((answer, at) => {
    assert.equal(answer.status, 400, JSON.stringify(cases[at]))
    assert.ok(answer.body.errors[0].path.startsWith(`/${cases[at]![0]}`), JSON.stringify(answer.body))
  })
  assert.deepEqual(outcome(large), [413, 'payload_too_large'])
  assert.equal((await platform.get(path)).body.total, 0)
})
