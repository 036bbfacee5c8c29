import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestCode, newOpenSystem, register } from '../../../test/support/registration.ts'
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
  const pending = await register(app, system, { email: registered.taken })
  await pending.browser.submit(pending.page, { code: await newestCode(app, registered.composed) })

  assert.equal(patched.body.email, changed.composed)
  assert.equal(lines.status, 200)
  for (const { composed } of [imported, registered]) {
    const { body } = await app.platform.get(`/admin/users?email=${encodeURIComponent(composed)}`)
    assert.equal(body.data[0]?.email, composed)
  }
})

test('every operation stores, returns and finds the stored form of an address', async (t) => {
  const app = await startTestApp(t)
  const tag = crypto.randomUUID()
  const [typed, stored] = [`Ana+Shop-${tag}@Bücher.Test.`, `ana+shop-${tag}@xn--bcher-kva.test`]
  const system = await app.newSystem()

  const user = await app.newUser({ email: typed.replace('B', 'b') })
  await app.newMembership({ userId: user.id, systemId: system.id })
  const found = await Promise.all(
    [stored, typed.replace('B', 'b'), `ANA+SHOP-${tag}@XN--BCHER-KVA.TEST`].flatMap((email) =>
      ['email', 'search'].map((name) =>
        app.platform.get(`/admin/users?${new URLSearchParams({ [name]: email })}`),
      ),
    ),
  )
  const again = await app.platform.post('/admin/users', { email: stored })
  const { back } = await app.authorize(system, { email: typed.replace('B', 'b') })
  const moved = await app.platform.patch(`/admin/users/${user.id}`, { email: `NEW-${tag}@x.test.` })

  assert.equal(user.email, stored)
  for (const { body } of found) assert.deepEqual([body.data[0]?.email, body.total], [stored, 1])
  assert.deepEqual([again.status, again.body.code], [409, 'email_taken'])
  assert.ok(back.code)
  assert.equal(moved.body.email, `new-${tag}@x.test`)
})

test('an address without a stored form is refused by field, and is unknown at a sign-in', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const user = await app.newUser()

  for (const email of ['ana@ｘ.test', 'ana@İ.test', 'a\u202Ena@x.test', 'ana@x..test']) {
    const made = await app.platform.post('/admin/users', { email })
    const patched = await app.platform.patch(`/admin/users/${user.id}`, { email })
    const listed = await app.platform.get(`/admin/users?${new URLSearchParams({ email })}`)
    for (const [{ status, body }, path] of [
      [made, '/email'],
      [patched, '/email'],
      [listed, '/query/email'],
    ] as const)
      assert.deepEqual(
        [status, body.code, body.errors],
        [400, 'invalid_request', [{ path, message: 'must be an email address' }]],
      )
    const { page } = await register(app, system, { email })
    assert.deepEqual(
      [page.status, /The address is not valid|valid email/i.test(String(page.body))],
      [400, true],
    )
    const signIn = await app.authorize(system, { email })
    assert.deepEqual(
      [signIn.page.status, signIn.back],
      [(await app.authorize(system, { email: 'nobody@x.test' })).page.status, {}],
    )
  }
})

test('a look-alike that was created before is neither found nor signed in for the real address', async (t) => {
  const app = await startTestApp(t)
  const tag = crypto.randomUUID()
  const system = await app.newSystem({ multiAccount: true })
  const likes = [`alİce-${tag}@x.test`, `alıce-${tag}@x.test`, `ａlice-${tag}@x.test`, `аlice-${tag}@x.test`]
  for (const email of likes) await app.newUser({ email, password: 'a look-alike password' })
  const email = `alice-${tag}@x.test`

  const before = await app.platform.get(`/admin/users?email=${email}`)
  const real = await app.newUser({ email })
  await app.newMembership({ userId: real.id, systemId: system.id })
  const after = await app.platform.get(`/admin/users?email=${email}`)

  assert.deepEqual(before.body.data, [])
  assert.deepEqual(
    after.body.data.map(({ id }: { id: string }) => id),
    [real.id],
  )
  const wrong = await app.authorize(system, { email, password: 'a look-alike password' })
  assert.deepEqual([wrong.page.status, wrong.back], [401, {}])
  assert.ok((await app.authorize(system, { email })).back.code)
})
