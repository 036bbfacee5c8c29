/** The color and the logo of an organization: who sets them, and who sees them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTeam } from '../../../test/support/organizations.ts'
import { pngChunk, pngOf } from '../../../test/support/png.ts'
import {
  type AdminClient,
  type Answer,
  authUrl,
  newBrowser,
  newPkce,
  PASSWORD,
  startTestApp,
} from '../../../test/support/testing.ts'

const TYPE = { 'content-type': 'image/png' }
const at = (accountId: string) => `/admin/accounts/${accountId}/branding/logo`
const put = (client: AdminClient, accountId: string, png: Buffer = pngOf()) =>
  client.put(at(accountId), png, TYPE)

async function prepare(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const role = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  const { accountId } = await app.newMembership({
    userId: user.id,
    systemId: system.id,
    accountName: 'Acme',
    roles: [role.id],
  })
  const other = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: system.id,
    accountName: 'Other',
  })
  const admin = app.as((await app.signIn(system, { email: user.email })).access_token)
  const service = await app.serviceOf(system)
  return { app, system, user, accountId: String(accountId), other: String(other.accountId), admin, service }
}

test('platform, system and account admin set the color and the logo, with event and audit entry', async (t) => {
  const { app, accountId, other, admin, service } = await prepare(t)

  const statuses = []
  for (const [client, color] of [
    [app.platform, '#111111'],
    [service, '#222222'],
    [admin, '#333333'],
  ] as const) {
    const stored = await put(client, accountId, pngOf({ color }))
    const { logoUrl } = stored.body.branding
    const changed = await client.patch(`/admin/accounts/${accountId}`, { branding: { logoUrl, color } })
    const served = await fetch(logoUrl)
    const removed = await client.delete(at(accountId))
    statuses.push([
      stored.status,
      changed.status,
      served.status,
      removed.status,
      (await fetch(logoUrl)).status,
    ])
    assert.deepEqual(changed.body.branding, { logoUrl, color })
    assert.deepEqual((await client.get(`/admin/accounts/${accountId}`)).body.branding, { color })
  }

  assert.deepEqual(
    statuses,
    Array.from({ length: 3 }, () => [200, 200, 200, 204, 404]),
  )
  const entries = await app.audited({ targetId: accountId, action: 'account.updated' })
  const events = await app.findEvents({ accountId, type: 'account.updated' })
  assert.deepEqual([entries.length, events.length], [9, 9])
  assert.ok(entries.every(({ changes }) => Object.keys(changes ?? {}).join() === 'branding'))
  const refused = [
    await put(admin, other),
    await admin.delete(at(accountId)),
    await put(admin, accountId, pngOf({ before: [pngChunk('tEXt', Buffer.alloc(32_768, 'a'))] })),
    await put(admin, accountId, Buffer.from('<svg/>')),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    [
      [404, 'account_not_found'],
      [404, 'image_not_found'],
      [413, 'payload_too_large'],
      [400, 'invalid_request'],
    ],
  )
})

test('a change of branding keeps the logo by its address, removes it without, and takes no other', async (t) => {
  const { accountId, other, admin, service } = await prepare(t)
  const { branding } = (await put(admin, accountId)).body
  const foreign = (await put(service, other)).body.branding.logoUrl
  const patch = (next: object) => admin.patch(`/admin/accounts/${accountId}`, { branding: next })

  const whole = (await admin.get(`/admin/accounts/${accountId}`)).body
  const same = await admin.patch(`/admin/accounts/${accountId}`, whole)
  const refused = [
    await patch({ logoUrl: foreign }),
    await patch({ logoUrl: 'https://cdn.example/a.png' }),
    await patch({ color: 'red' }),
    await patch({ ...branding, faviconUrl: branding.logoUrl }),
  ]
  const kept = (await fetch(branding.logoUrl)).status
  const removed = await patch({ color: '#123456' })

  assert.deepEqual([same.status, same.body.branding], [200, branding])
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.errors[0].path]),
    [
      [400, '/branding/logoUrl'],
      [400, '/branding/logoUrl'],
      [400, '/branding/color'],
      [400, '/branding/faviconUrl'],
    ],
  )
  assert.deepEqual(
    [kept, removed.body.branding, (await fetch(branding.logoUrl)).status],
    [200, { color: '#123456' }, 404],
  )
})

test('a personal account has no brand', async (t) => {
  const app = await startTestApp(t)
  const { membership } = await app.newMember()

  const answers = [
    await put(app.platform, membership.accountId),
    await app.platform.patch(`/admin/accounts/${membership.accountId}`, { branding: { color: '#123456' } }),
  ]

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    [
      [409, 'not_organization'],
      [409, 'not_organization'],
    ],
  )
})

test('the logo of a deleted organization is not found', async (t) => {
  const { app, accountId } = await prepare(t)
  const { logoUrl } = (await put(app.platform, accountId)).body.branding

  await app.platform.delete(`/admin/accounts/${accountId}`)

  assert.equal((await fetch(logoUrl)).status, 404)
})

/** The page after the login. */
async function chooser(
  app: Awaited<ReturnType<typeof prepare>>['app'],
  system: Parameters<typeof authUrl>[0],
  email: string,
) {
  const visitor = newBrowser(app.url)
  const login = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
  const page = await visitor.follow(await visitor.submit(login, { email, password: PASSWORD }))
  return { visitor, page }
}

test('members see the brand where they choose; an invited user and a first entry do not', async (t) => {
  const { app, system, accountId, other } = await prepare(t)
  const logo = (await put(app.platform, accountId)).body.branding.logoUrl
  const foreign = (await put(app.platform, other)).body.branding.logoUrl
  await app.platform.patch(`/admin/accounts/${accountId}`, { branding: { logoUrl: logo, color: '#123456' } })
  const user = await app.newUser({ emailVerified: true })
  for (const id of [accountId]) await app.newMembership({ userId: user.id, accountId: id })
  const plain = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Plain' })
  await app.platform.post(`/admin/accounts/${other}/invitations`, { email: user.email })

  const { page, visitor } = await chooser(app, system, user.email)
  const json = await visitor.get(/action="([^"]+)\/account"/.exec(String(page.body))![1]!, {
    accept: 'application/json',
  })

  assert.ok(String(page.body).includes(`<img class="avatar" src="${logo}" alt=""`), String(page.body))
  assert.ok(!String(page.body).includes(foreign))
  const options: { id: string; logoUrl?: string; color?: string }[] = json.body.fields[0].options
  assert.deepEqual(
    options
      .map(({ id, logoUrl, color }) => [id, logoUrl, color])
      .filter(([id]) => id !== undefined)
      .slice(0, 2),
    [
      [accountId, logo, '#123456'],
      [plain.accountId, undefined, undefined],
    ],
  )
  await visitor.submit(page, { accountId })
  const consent = await visitor.follow(
    await visitor.get(/action="([^"]+)\/account"/.exec(String(page.body))![1]!),
  )
  assert.match(String(consent.body), new RegExp(`<img class="avatar" src="${logo}"`))

  const ended = await app.platform.get(`/admin/memberships?userId=${user.id}&accountId=${accountId}`)
  await app.platform.patch(`/admin/memberships/${ended.body.data[0].id}`, { status: 'blocked' })
  const again = await visitor.get(/action="([^"]+)\/account"/.exec(String(page.body))![1]!)
  assert.ok(!String(again.body).includes(logo))
})

test('an admin sets the brand on the page of the organization, which shows it to members', async (t) => {
  const app = await startTestApp(t)
  const { admins, member, accountId } = await newTeam(app)
  const [admin] = admins
  const brandOf = async () => (await app.platform.get(`/admin/accounts/${accountId}`)).body.branding
  const fields = { hasColor: 'yes', color: '#0f766e', colorBefore: '' }
  const logo = pngOf().toString('base64')

  const saved = await admin!.send('/settings/brand', { ...fields, logo })
  const { logoUrl } = await brandOf()
  const shown: Answer = await member!.open('')
  const denied = await member!.send('/settings/brand', fields)
  const wrong = [
    await admin!.send('/settings/brand', { ...fields, color: 'red' }),
    await admin!.send('/settings/brand', { ...fields, logo: Buffer.from('<svg/>').toString('base64') }),
    await admin!.send('/settings/brand', { ...fields, logo: Buffer.alloc(32_769).toString('base64') }),
  ]
  const after = await brandOf()
  await admin!.send('/settings/brand', { colorBefore: '#0f766e', removeLogo: 'yes' })

  assert.equal(saved.status, 303)
  assert.deepEqual(after, { color: '#0f766e', logoUrl })
  assert.ok(String(shown.body).includes(`src="${logoUrl}"`), String(shown.body))
  assert.equal(denied.status, 403)
  assert.deepEqual(
    wrong.map(({ status }) => status),
    [400, 400, 400],
  )
  assert.deepEqual(await brandOf(), {})
})
