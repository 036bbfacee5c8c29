/** The state of the installation, its signing keys and its email, with platform authority only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { mail } from '../../database/schema.ts'

type Setting = { name: string; value: string | null; isDefault: boolean }

test('the installation shows its settings, tables and email, and no secret', async (t) => {
  const { platform } = await startTestApp(t)

  const { status, body } = await platform.get('/admin/installation')

  const setting = (name: string) => body.settings.find((each: Setting) => each.name === name)
  assert.equal(status, 200)
  assert.deepEqual(setting('TTL_CODE'), { name: 'TTL_CODE', value: '60', isDefault: true, secret: false })
  assert.deepEqual([setting('MAIL_URL').value, setting('MAIL_URL').isDefault], ['smtp://127.0.0.1:1', false])
  assert.deepEqual([setting('ADMIN_CLIENT_SECRET').value, setting('SECRET_KEY').value], ['set', null])
  assert.deepEqual([body.mail.transport, body.mail.host, body.health.database], ['smtp', '127.0.0.1:1', 'ok'])
  assert.ok(
    body.database.tables.some(
      (each: { name: string; bytes: number }) => each.bytes > 0 && each.name === 'users',
    ),
  )
})

test('only the platform reads the installation, its keys and its email, and rotates the keys', async (t) => {
  const app = await startTestApp(t)
  const service = await app.serviceOf((await app.newSystem({ allowClientCredentials: true })) as never)

  for (const answer of [
    await service.get('/admin/installation'),
    await service.get('/admin/keys'),
    await service.get('/admin/mail'),
    await service.post('/admin/keys/rotate'),
  ])
    assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_authority'])
})

test('the keys are those of the key set, and a rotation publishes new ones and names its actor', async (t) => {
  const { platform, url, audited } = await startTestApp(t)
  const kidsOf = (keys: { kid: string }[]) => keys.map(({ kid }) => kid).sort()

  const before = (await platform.get('/admin/keys')).body
  const published = (await (await fetch(`${url}/jwks`)).json()) as { keys: { kid: string }[] }
  const { status, body } = await platform.post('/admin/keys/rotate')
  const after = (await platform.get('/admin/keys')).body

  // Another test may have rotated the keys a moment ago.
  assert.deepEqual(
    kidsOf(published.keys).filter((kid) => !kidsOf(before.data).includes(kid)),
    [],
  )
  assert.ok(Date.parse(before.nextRotationAt) > Date.now())
  assert.deepEqual([status, body.kids.length], [200, 2])
  assert.deepEqual(kidsOf(after.data), [...kidsOf(before.data), ...body.kids].sort())
  const states = after.data.map(
    ({ kid, state }: { kid: string; state: string }) => body.kids.includes(kid) && state,
  )
  assert.deepEqual(states.filter(Boolean), ['next', 'next'])
  const entries = await audited({ targetId: 'signing_keys' })
  assert.ok(
    entries.some(
      ({ actorType, changes }) => actorType === 'service' && JSON.stringify(changes).includes(body.kids[0]),
    ),
  )
  assert.ok(!JSON.stringify(after).includes('"d"'))
})

test('emails by status, kind and user, with a masked recipient, also where the mail server repeats it', async (t) => {
  const { platform, db, newUser } = await startTestApp(t)
  const user = await newUser()
  const kind = `test-${crypto.randomUUID()}`
  const due = { tenant: '', isAwaited: false, expiresAt: sql`now() + interval '1 day'` }
  const row = { kind, recipient: user.email, ...due }
  await db.insert(mail).values([
    { ...row, status: 'failed', lastError: `550 <${user.email.toUpperCase()}> unknown`, userId: user.id },
    { ...row, status: 'sent', kind: `${kind}-sent`, sentAt: sql`now()` },
  ] as never)
  const list = async (query: string) => (await platform.get(`/admin/mail?${query}`)).body

  const failed = await list(`kind=${kind}`)

  assert.deepEqual([failed.total, failed.data[0].recipient], [1, 'u***@example.test'])
  assert.deepEqual(
    [failed.data[0].lastError, failed.data[0].nextAttemptAt],
    ['550 <u***@example.test> unknown', null],
  )
  assert.equal((await list(`kind=${kind}&status=failed`)).total, 1)
  assert.equal((await list(`kind=${kind}&status=sent`)).total, 0)
  assert.equal((await list(`kind=${kind}-sent&status=sent`)).total, 1)
  assert.deepEqual((await list(`userId=${user.id}&status=failed`)).data[0].id, failed.data[0].id)
  assert.equal((await list(`userId=${crypto.randomUUID()}`)).total, 0)
  assert.equal((await platform.get('/admin/mail?status=lost')).status, 400)
})
