import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '../../../test/support/registration.ts'
import { startTestApp } from '../../../test/support/testing.ts'

/** Two encodings that look alike: a precomposed letter, and a letter with a combining accent. */
const spellings = () => {
  const email = `josé-${crypto.randomUUID()}@x.test`
  return { composed: email.normalize('NFC'), taken: email.normalize('NFD') }
}

test('an address is stored in NFC, and both encodings find the same user', async (t) => {
  const { platform, authorize, newSystem, newMembership } = await startTestApp(t)
  const { composed, taken } = spellings()
  assert.notEqual(composed, taken)

  const made = await platform.post('/admin/users', { email: taken, password: 'a long enough one' })
  const again = await platform.post('/admin/users', { email: composed })
  const found = await Promise.all(
    [composed, taken].map((email) => platform.get(`/admin/users?email=${encodeURIComponent(email)}`)),
  )
  const part = await platform.get(`/admin/users?search=${encodeURIComponent(taken.toUpperCase())}`)

  assert.deepEqual([made.status, made.body.email], [201, composed])
  assert.deepEqual([again.status, again.body.code], [409, 'email_taken'])
  for (const { body } of [...found, part])
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [made.body.id],
    )

  const system = await newSystem()
  await newMembership({ userId: made.body.id, systemId: system.id })
  const { back } = await authorize(system, { email: taken, password: 'a long enough one' })
  assert.ok(back.code)
})

test('NFC also applies to changes, imports and registration', async (t) => {
  const app = await startTestApp(t)
  const [changed, imported, registered] = [spellings(), spellings(), spellings()]
  const system = await app.newSystem({ allowSelfRegister: true })

  const user = await app.newUser()
  const patched = await app.platform.patch(`/admin/users/${user.id}`, { email: changed.taken })
  const lines = await fetch(`${app.url}/admin/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.platform.token}`, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify({ email: imported.taken }),
  })
  await lines.text()
  await register(app, system, { email: registered.taken })

  assert.equal(patched.body.email, changed.composed)
  assert.equal(lines.status, 200)
  for (const { composed } of [imported, registered]) {
    const { body } = await app.platform.get(`/admin/users?email=${encodeURIComponent(composed)}`)
    assert.equal(body.data[0]?.email, composed)
  }
})
