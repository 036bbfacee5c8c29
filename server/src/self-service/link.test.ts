/** Linking an external identity provider on the account pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import { visitOther } from '../../test/support/other-provider.ts'
import { addressOf, begin, rest, start, through, tokensOf, unique } from '../../test/support/social.ts'
import { type Answer, PASSWORD, type TestBrowser } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof start>>['app']
type Other = Awaited<ReturnType<typeof start>>['one']

const PAGE = '/account/security'
const LINK = `${PAGE}/link`
const text = (answer: Answer) => String(answer.body)

async function signInToPages(app: App, { email }: { email: string }, browser = app.newBrowser()) {
  const login = await browser.follow(await browser.get(PAGE))
  return { browser, page: await browser.follow(await browser.submit(login, { email, password: PASSWORD })) }
}

/** Signs in at the provider and returns to the confirmation page. */
async function authenticateAtProvider(browser: TestBrowser, other: Other, id = 'one'): Promise<Answer> {
  const away = await browser.get(`${LINK}/${id}`)
  return browser.follow(await browser.get(await visitOther(other, away.headers.get('location'))))
}

const identitiesOf = async (app: App, { id }: { id: string }) =>
  (await app.platform.get(`/admin/users/${id}`)).body.identities as { provider: string; subject: string }[]

test('a linked provider signs the user in whatever its address, and an email is sent', async (t) => {
  const { app, one } = await start(t)
  const { system, user } = await app.newMember()
  one.claims = { sub: unique(), email: addressOf('elsewhere'), email_verified: false }

  const { browser, page } = await signInToPages(app, user)
  const asked = await authenticateAtProvider(browser, one)
  const before = await identitiesOf(app, user)
  const done = await browser.follow(await browser.submit(asked))
  const begun = await begin(app, system)
  const { claims } = await tokensOf(app, system, begun, await rest(begun.visitor, await through(begun, one)))

  assert.match(text(page), /href="\/account\/security\/link\/one">.*Connect <bdi>One &amp; Only<\/bdi>/)
  assert.match(
    text(asked),
    new RegExp(`<bdi>${String(one.claims.email)}</bdi>[\\s\\S]+<bdi>${user.email}</bdi>`),
  )
  assert.deepEqual(before, [], 'nothing is changed by a GET')
  assert.match(text(done), /role="status">The service was connected\./)
  assert.doesNotMatch(text(done), /link\/one"/)
  assert.match(text(done), /link\/two"/)
  assert.deepEqual(await identitiesOf(app, user), [
    { provider: 'one', subject: one.claims.sub, email: one.claims.email },
  ])
  assert.deepEqual([claims.sub, claims.amr], [user.id, ['fed']])
  const [entry] = await app.audited({ targetId: user.id, action: 'user.identity_linked' })
  assert.deepEqual(
    [entry?.actorId, entry?.systemId, entry?.changes],
    [user.id, null, { provider: [null, 'one'] }],
  )
  assert.deepEqual(
    (await app.findEvents({ userId: user.id, type: 'user.updated' })).map(({ data }) => data.changed),
    [['identities']],
  )
  const emails = (await app.emailsTo(user.email)).filter(({ kind }) => kind === 'identity_added')
  assert.deepEqual(
    emails.map(({ subject }) => subject),
    ['A sign-in method was added'],
  )
})

test('P11: an identity of another user is refused, stays linked, and is audited', async (t) => {
  const { app, one } = await start(t)
  const [alice, mallory] = [await app.newUser(), await app.newUser()]
  one.claims = { sub: unique(), email: addressOf(), email_verified: true }
  const first = await signInToPages(app, alice)
  await first.browser.submit(await authenticateAtProvider(first.browser, one))

  const { browser } = await signInToPages(app, mallory)
  const refused = await browser.follow(await browser.submit(await authenticateAtProvider(browser, one)))
  await authenticateAtProvider(browser, one)
  const json = await browser.request(LINK, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: '{}',
  })

  assert.match(
    text(refused),
    /role="alert">\s*<p id="form-error">This account is already connected to another user/,
  )
  assert.deepEqual([json.status, json.body.code], [409, 'identity_taken'])
  assert.deepEqual(await identitiesOf(app, mallory), [])
  assert.equal((await identitiesOf(app, alice)).length, 1)
  const entries = await app.audited({ targetId: mallory.id, action: 'user.identity_linked' })
  assert.deepEqual(
    entries.map(({ outcome, changes }) => [outcome, changes]),
    Array.from({ length: 2 }, () => ['failure', { provider: [null, 'one'], code: [null, 'identity_taken'] }]),
  )
})

test('one identity per provider is linked, even concurrently', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  const browsers = []
  for (let each = 0; each < 4; each++) {
    const { browser } = await signInToPages(app, user)
    one.claims = { sub: unique(), email: addressOf(), email_verified: true }
    browsers.push({ browser, asked: await authenticateAtProvider(browser, one) })
  }

  const answers = await Promise.all(browsers.map(({ browser, asked }) => browser.submit(asked)))

  assert.deepEqual(answers.map(({ headers }) => headers.get('location')?.split('=')[1]).sort(), [
    'linked',
    ...Array.from({ length: 3 }, () => 'linkedAlready'),
  ])
  assert.equal((await identitiesOf(app, user)).length, 1)
})

test('P11: a callback links once, by our form, in the browser of its user', async (t) => {
  const { app, one } = await start(t)
  const [user, other] = [await app.newUser(), await app.newUser()]
  one.claims = { sub: unique(), email: addressOf(), email_verified: true }
  const { browser } = await signInToPages(app, user)
  const away = (await browser.get(`${LINK}/one`)).headers.get('location')
  const back = await visitOther(one, away)
  const outsider = (await signInToPages(app, other)).browser

  const foreign = await outsider.get(back)
  const asked = await browser.follow(await browser.get(back))
  const csrf = /name="csrf" value="([^"]+)"/.exec(text(asked))![1]!
  const forged = [
    await browser.post(LINK, {}),
    await browser.post(LINK, { csrf: 'another' }),
    await browser.post(LINK, { csrf }, { origin: 'https://evil.example' }),
    await browser.post(LINK, { csrf }, { 'sec-fetch-site': 'cross-site' }),
    await app.newBrowser().post(LINK, { csrf }),
  ]
  const cookies = new Map(browser.jar)
  const taken = await outsider.request(LINK, {
    method: 'POST',
    body: new URLSearchParams({
      csrf: /name="csrf" value="([^"]+)"/.exec(text(await outsider.get(PAGE)))![1]!,
    }),
    headers: {
      cookie: [...outsider.jar, ...[...browser.jar].filter(([key]) => key.startsWith('_arrived'))]
        .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
        .join('; '),
    },
  })
  const none = [await identitiesOf(app, user), await identitiesOf(app, other)]
  const done = await browser.submit(asked)
  for (const [name, cookie] of cookies) browser.jar.set(name, cookie)
  await app.platform.delete(`/admin/users/${user.id}/social/one`)
  const again = await browser.submit(asked)

  assert.equal(foreign.status, 400)
  assert.deepEqual(
    forged.map(({ status, headers }) => [status, headers.get('location')?.split('?')[0]]),
    [...Array.from({ length: 4 }, () => [403, undefined]), [303, '/auth']],
  )
  assert.equal(taken.headers.get('location'), `${PAGE}?done=linkLost`)
  assert.deepEqual(none, [[], []])
  assert.equal(done.headers.get('location'), `${PAGE}?done=linked`)
  assert.equal(again.headers.get('location'), `${PAGE}?done=linkLost`)
  assert.deepEqual(await identitiesOf(app, user), [])
})

test('P11: if another user signs in meanwhile nothing is linked', async (t) => {
  const { app, one } = await start(t)
  const [user, next] = [await app.newUser(), await app.newUser()]
  one.claims = { sub: unique(), email: addressOf(), email_verified: true }
  const { browser } = await signInToPages(app, user)
  const asked = await authenticateAtProvider(browser, one)
  const away = (await browser.get(`${LINK}/one`)).headers.get('location')
  const signOut = () => {
    for (const key of browser.jar.keys()) if (key.startsWith('_session')) browser.jar.delete(key)
  }

  signOut()
  await signInToPages(app, next, browser)
  const old = await browser.submit(asked)
  const back = await browser.get(await visitOther(one, away))
  const page = await browser.get(LINK)
  const csrf = /name="csrf" value="([^"]+)"/.exec(text(await browser.get(PAGE)))![1]!
  const own = await browser.post(LINK, { csrf })

  assert.equal(old.status, 403)
  assert.equal(back.headers.get('location'), LINK)
  assert.equal(page.headers.get('location'), PAGE)
  assert.equal(own.headers.get('location'), `${PAGE}?done=linkLost`)
  assert.deepEqual([await identitiesOf(app, user), await identitiesOf(app, next)], [[], []])
})

test('another site cannot start linking, and a sign-in callback does not link', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  const { browser } = await signInToPages(app, user)
  one.claims = { sub: unique(), email: addressOf('mallory'), email_verified: true }

  const crossSite = await browser.get(`${LINK}/one`, { 'sec-fetch-site': 'cross-site' })
  const away = await browser.get('/social/one/login?uid=of-a-sign-in-somewhere')
  const ended = await browser.get(await visitOther(one, away.headers.get('location')))
  const page = await browser.get(LINK)

  assert.equal(crossSite.headers.get('location'), PAGE)
  assert.match(ended.headers.get('location')!, /^\/interaction\//)
  assert.equal(page.headers.get('location'), PAGE)
  assert.deepEqual(await identitiesOf(app, user), [])
})

test('linking requires a login within 5 minutes at each step, and continues after one', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  one.claims = { sub: unique(), email: addressOf(), email_verified: true }
  const { browser } = await signInToPages(app, user)
  const asked = await authenticateAtProvider(browser, one)
  await changeProofs(app.db, user.id, { age: 400 })

  const steps = [await browser.get(`${LINK}/one`), await browser.get(LINK), await browser.submit(asked)]
  const login = await browser.follow(steps[1]!)
  const authenticated = await browser.follow(
    await browser.submit(login, { email: user.email, password: PASSWORD }),
  )
  const none = await identitiesOf(app, user)
  const done = await browser.submit(authenticated)

  assert.deepEqual(
    steps.map(({ headers }) => headers.get('location')?.split('?')[0]),
    Array(3).fill('/auth'),
  )
  assert.deepEqual(none, [])
  assert.match(text(authenticated), /action="\/account\/security\/link"/)
  assert.equal(done.headers.get('location'), `${PAGE}?done=linked`)
})

test('an error of the provider returns to its page and is audited', async (t) => {
  const { app, one } = await start(t)
  const user = await app.newUser()
  const { browser } = await signInToPages(app, user)
  const away = (await browser.get(`${LINK}/one`)).headers.get('location')!
  const state = new URL(away).searchParams.get('state')

  const denied = await browser.get(
    `/social/one/callback?error=access_denied&iss=${encodeURIComponent(one.url)}&state=${state}`,
  )
  const unknown = await browser.get(`${LINK}/nobody`)

  assert.equal(denied.status, 400)
  assert.match(text(denied), /href="\/account\/security"/)
  assert.equal(unknown.status, 404)
  const entries = await app.audited({ targetId: user.id, action: 'user.identity_linked' })
  assert.deepEqual(
    entries.map(({ outcome, actorId, changes }) => [outcome, actorId, changes?.code]),
    [['failure', user.id, [null, 'provider_refused']]],
  )
})
