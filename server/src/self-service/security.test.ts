/** Second factors on the account pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs, removePasswords } from '../../test/support/browser-sessions.ts'
import { appCode, withinStep } from '../../test/support/factors.ts'
import { type Answer, PASSWORD, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import { eq, sql } from '../database/drizzle.ts'
import { identities, passkeys, passwords } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

async function signInToPages(app: App, email: string): Promise<{ browser: TestBrowser; page: Answer }> {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account/security'))
  return { browser, page: await browser.follow(await browser.submit(login, { email, password: PASSWORD })) }
}

const text = (answer: Answer) => String(answer.body)
const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(text(page))?.[1] ?? ''
const secretOf = (page: Answer) => /<code id="secret"[^>]*>([^<]+)/.exec(text(page))![1]!.replaceAll(' ', '')
const codesOf = (page: Answer) =>
  [...text(page).matchAll(/<li><code>([A-Z2-7-]+)<\/code>/g)].map(([, code]) => code!)
const cookieOf = (browser: TestBrowser) => browser.jar.get('_session /')?.value

async function withApp(app: App, email: string) {
  const { browser, page } = await signInToPages(app, email)
  await withinStep()
  const secret = secretOf(page)
  const shown = await browser.post('/account/security/app', { csrf: csrfOf(page), code: appCode(secret) })
  return { browser, secret, shown }
}

test('an added app is required at the next sign-in, and its recovery codes work', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()

  const { browser, secret, shown } = await withApp(app, user.email)
  const mine = await browser.get('/account/security')
  const next = await signInToPages(app, user.email)
  const skipped = await next.browser.get('/account')
  const again = await next.browser.submit(next.page, { code: appCode(secret) })
  const later = await next.browser.submit(next.page, { code: appCode(secret, 1) })
  const other = await signInToPages(app, user.email)
  const recovered = await other.browser.submit(other.page, { recoveryCode: codesOf(shown)[0]! })

  assert.equal(codesOf(shown).length, 10)
  assert.equal(mine.status, 200)
  assert.match(text(mine), /Authenticator app/)
  assert.match(text(next.page), /action="\/interaction\/[^"]+\/second-factor"/)
  assert.match(skipped.headers.get('location')!, /^\/auth\?.*&acr_values=urn%3Atenantry%3Aaal2$/)
  assert.equal(again.status, 401, 'a step is good once')
  assert.match(text(await next.browser.follow(later)), /action="\/account\/security\/remove"/)
  assert.equal(recovered.status, 303)
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mfaEnabled, true)
  const [entry] = await app.audited({ targetId: user.id, action: 'user.factor_added' })
  assert.equal(entry?.actorId, user.id)
  assert.deepEqual(
    (await app.emailsTo(user.email)).map(({ kind }) => kind).filter((kind) => kind !== 'new_device'),
    ['factor_added', 'recovery_code_used'],
  )
})

test('P25: every change of factors changes the session id and voids earlier offers', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser, page } = await signInToPages(app, user.email)
  const [csrf, secret, before] = [csrfOf(page), secretOf(page), cookieOf(browser)]

  await withinStep()
  await browser.post('/account/security/app', { csrf, code: appCode(secret) })
  const added = cookieOf(browser)
  const removed = await browser.follow(
    await browser.post('/account/security/remove', { csrf, factor: 'totp' }),
  )
  const replayed = await browser.post('/account/security/app', { csrf, code: appCode(secret, 1) })

  assert.equal(new Set([before, added, cookieOf(browser)]).size, 3)
  assert.notEqual(secretOf(removed), secret)
  assert.equal(replayed.status, 401)
  const read = (await app.platform.get(`/admin/users/${user.id}`)).body
  assert.equal(read.mfaEnabled, false)
  assert.equal((await app.emailsTo(user.email)).at(-1)?.kind, 'factor_removed')
})

test('a change of factors requires a login within 5 minutes, with a factor if enrolled', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser } = await withApp(app, user.email)
  const csrf = csrfOf(await browser.get('/account/security'))
  await changeProofs(app.db, user.id, { age: 400 })

  const shown = await browser.get('/account/security')
  const changes = []
  for (const path of ['remove', 'codes', 'app', 'passkey'])
    changes.push(
      await browser.post(`/account/security/${path}`, {
        csrf,
        factor: 'totp',
        code: '123456',
        passkey: '{}',
      }),
    )
  const login = await browser.follow(shown)
  const afterPassword = await browser.follow(
    await browser.submit(login, { email: user.email, password: PASSWORD }),
  )

  assert.deepEqual(
    [shown, ...changes].map((answer) => answer.headers.get('location')?.split('?')[0]),
    Array(5).fill('/auth'),
  )
  assert.match(text(afterPassword), /action="\/interaction\/[^"]+\/second-factor"/)
  assert.equal((await app.platform.get(`/admin/users/${user.id}`)).body.mfaEnabled, true)
})

test('P50: the only way to sign in cannot be removed, nor a passkey of another user', async (t) => {
  const app = await startTestApp(t)
  const [user, other] = [await app.newUser(), await app.newUser()]
  const { browser, page } = await signInToPages(app, user.email)
  const keyOf = async (userId: string) => {
    const key = {
      userId,
      credentialId: crypto.randomUUID(),
      publicKey: Buffer.from('key'),
      name: 'Key of <b>mine',
    }
    return (await app.db.insert(passkeys).values(key).returning({ id: passkeys.id }))[0]!.id
  }
  const foreign = await keyOf(other.id)
  await browser.post('/account/security/remove', { csrf: csrfOf(page), factor: foreign })
  const own = await keyOf(user.id)
  await removePasswords(app.db, user.id)
  await changeProofs(app.db, user.id, { login: { method: 'recoveryCode', credential: null } })

  const kept = await browser.follow(
    await browser.post('/account/security/remove', { csrf: csrfOf(page), factor: own }),
  )

  assert.match(text(kept), /only sign-in method/)
  assert.match(text(kept), /Key of &lt;b&gt;mine/)
  const left = await app.db.select({ id: passkeys.id }).from(passkeys)
  assert.ok([foreign, own].every((id) => left.some((row) => row.id === id)))
})

/** A user with `count` passkeys and no password, signed in to several browsers. */
async function passkeyOnly(app: App, { keys, browsers }: { keys: number; browsers: number }) {
  const user = await app.newUser()
  const pages = await Promise.all(Array.from({ length: browsers }, () => signInToPages(app, user.email)))
  const rows = Array.from({ length: keys }, (_, index) => ({
    userId: user.id,
    credentialId: crypto.randomUUID(),
    publicKey: Buffer.from('key'),
    name: `Key ${index}`,
  }))
  const ids = (await app.db.insert(passkeys).values(rows).returning({ id: passkeys.id })).map(({ id }) => id)
  await removePasswords(app.db, user.id)
  await changeProofs(app.db, user.id, { login: { method: 'recoveryCode', credential: null } })
  const at = pages.map(({ browser, page }) => ({
    remove: (factor: string) => browser.post('/account/security/remove', { csrf: csrfOf(page), factor }),
    unlink: (provider: string) => browser.post('/account/security/unlink', { csrf: csrfOf(page), provider }),
    rename: (passkey: string, name: string) =>
      browser.post('/account/security/rename', { csrf: csrfOf(page), passkey, name }),
    show: () => browser.get('/account/security'),
  }))
  const left = async () =>
    (await app.db.select({ name: passkeys.name }).from(passkeys).where(eq(passkeys.userId, user.id))).map(
      ({ name }) => name,
    )
  return { user, ids, at, left }
}

const outcomes = (answers: Answer[]) =>
  answers.map(({ headers }) => headers.get('location')?.split('done=')[1]).toSorted()

test('P50: when the last two passkeys are removed concurrently, one remains', async (t) => {
  const app = await startTestApp(t)

  for (let round = 0; round < 5; round++) {
    const { ids, at, left } = await passkeyOnly(app, { keys: 2, browsers: 2 })
    const answers = await Promise.all(at.map(({ remove }, index) => remove(ids[index]!)))

    assert.deepEqual(outcomes(answers), ['onlyWayIn', 'removed'])
    assert.equal((await left()).length, 1)
  }
})

test('P50: when the last passkey and the last provider are removed concurrently, one remains', async (t) => {
  const app = await startTestApp(t)

  for (let round = 0; round < 5; round++) {
    const { user, ids, at, left } = await passkeyOnly(app, { keys: 1, browsers: 2 })
    await app.db
      .insert(identities)
      .values({ userId: user.id, provider: 'google', issuer: 'google', subject: user.id })
    const answers = await Promise.all([at[0]!.remove(ids[0]!), at[1]!.unlink('google')])
    const linked = await app.db.select().from(identities).where(eq(identities.userId, user.id))

    assert.equal(outcomes(answers).filter((outcome) => outcome === 'onlyWayIn').length, 1)
    assert.equal((await left()).length + linked.length, 1)
  }
})

test('P50: an expired password does not count as a way to sign in', async (t) => {
  const app = await startTestApp(t)
  const { user, ids, at, left } = await passkeyOnly(app, { keys: 1, browsers: 1 })
  const expiresAt = sql`now() - interval '1 hour'`
  await app.db.insert(passwords).values({ userId: user.id, hash: 'expired', expiresAt })

  const kept = await at[0]!.remove(ids[0]!)
  await app.db.update(passwords).set({ expiresAt: null }).where(eq(passwords.userId, user.id))
  const removed = await at[0]!.remove(ids[0]!)

  assert.deepEqual(outcomes([kept]), ['onlyWayIn'])
  assert.deepEqual(outcomes([removed]), ['removed'])
  assert.deepEqual(await left(), [])
})

test('a passkey has a name of 1 to 64 characters, shown as text, changed by its owner', async (t) => {
  const app = await startTestApp(t)
  const { user, ids, at, left } = await passkeyOnly(app, { keys: 1, browsers: 1 })
  const other = await passkeyOnly(app, { keys: 1, browsers: 1 })
  const [mine, id] = [at[0]!, ids[0]!]
  const long = '😀'.repeat(64)

  const wrong = [
    await mine.rename(id, ''),
    await mine.rename(id, ' \n\0 '),
    await mine.rename(id, `${long}x`),
  ]
  const before = await left()
  const longest = await mine.rename(id, long)
  const atLongest = await left()
  await mine.rename(id, '  <img src=x>\r\n of   mine ')
  const shown = await mine.show()
  await mine.rename(other.ids[0]!, 'Taken')
  await mine.rename('nothing', 'Taken')

  assert.deepEqual(
    wrong.map(({ status }) => status),
    [400, 400, 400],
  )
  assert.match(text(wrong[0]!), /Enter a name of 1 to 64 characters\./)
  assert.deepEqual([before, longest.status, atLongest], [['Key 0'], 303, [long]])
  assert.deepEqual([await left(), await other.left()], [['<img src=x> of mine'], ['Key 0']])
  assert.match(text(shown), /&lt;img src=x&gt; of mine/)
  assert.doesNotMatch(text(shown), /<img src=x/)
  const entry = (await app.audited({ targetId: user.id, action: 'user.factor_renamed' })).at(-1)
  assert.deepEqual([entry?.actorId, entry?.changes], [user.id, { passkey: [long, '<img src=x> of mine'] }])
})

test('new recovery codes send an email', async (t) => {
  const app = await startTestApp(t)
  const user = await app.newUser()
  const { browser } = await withApp(app, user.email)

  const page = await browser.get('/account/security')
  const renewed = await browser.post('/account/security/codes', { csrf: csrfOf(page) })

  assert.equal(codesOf(renewed).length, 10)
  assert.equal((await app.emailsTo(user.email)).at(-1)?.kind, 'recovery_codes_renewed')
})
