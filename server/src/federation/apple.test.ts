/** Sign in with Apple, against a test server with Apple's requirements. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { APPLE_KEY, appleSettings, secrets, startWithApple } from '../../test/support/apple.ts'
import { OTHER_CLIENT, type OtherProvider, visitOtherForm } from '../../test/support/other-provider.ts'
import { addressOf, findByEmail, rest, tokensOf, unique } from '../../test/support/social.ts'
import { authUrl, newPkce, type startTestApp } from '../../test/support/testing.ts'
import { readConfig } from '../config/config.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type System = Awaited<ReturnType<App['newSystem']>>

const NAME = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'somebody@else.test' })
/** Headers of a cross-site form post; the browser sends no SameSite=Lax cookies with it. */
const CROSS_SITE = { cookie: '', origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' }

async function begin(app: App, system: System, visitor = app.newBrowser()) {
  const pkce = newPkce()
  const page = await visitor.follow(await visitor.get(authUrl(system, pkce.challenge, { prompt: 'login' })))
  const uid = /\/social\/apple\/login\?uid=([\w-]+)/.exec(String(page.body))?.[1] ?? ''
  const away = (await visitor.get(`/social/apple/login?uid=${uid}`)).headers.get('location')
  return { visitor, pkce, uid, page, link: () => '', away }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** Signs in at Apple and follows the redirects back. */
async function through({ visitor, away }: Begun, apple: OtherProvider) {
  const { action, fields } = await visitOtherForm(apple, away)
  return visitor.follow(await visitor.post(action, fields, CROSS_SITE))
}

const signIn = async (app: App, apple: OtherProvider, system: System) => {
  const begun = await begin(app, system)
  return tokensOf(app, system, begun, await rest(begun.visitor, await through(begun, apple)))
}

test('Apple: a new user gets the name of the form; later sign-ins without it find the user', async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = `${unique()}@privaterelay.appleid.com`
  apple.claims = { sub: unique(), email, email_verified: 'true', is_private_email: 'true' }
  const before = secrets.size

  apple.said = NAME
  const first = await signIn(app, apple, system)
  apple.said = undefined
  const again = await signIn(app, apple, system)

  const user = await findByEmail(app, email)
  assert.deepEqual([first.claims.sub, again.claims.sub, first.claims.amr], [user.id, user.id, ['fed']])
  assert.deepEqual(
    [user.name, user.givenName, user.familyName, user.emailVerified, user.identities],
    ['Ada Lovelace', 'Ada', 'Lovelace', true, [{ provider: 'apple', subject: apple.claims.sub, email }]],
  )
  assert.equal(secrets.size - before, 2, 'a new secret each time')
})

test('Apple gets scope, form_post, state, nonce and PKCE; the client secret is short-lived', async (t) => {
  const { app } = await startWithApple(t)

  const { away } = await begin(app, await app.newSystem())

  const asked = Object.fromEntries(new URL(away!).searchParams)
  assert.equal(new URL(away!).pathname, '/auth/authorize')
  assert.deepEqual(
    [asked.scope, asked.response_mode, asked.response_type, asked.redirect_uri, asked.code_challenge_method],
    ['openid email name', 'form_post', 'code', `${app.url}/social/callback`, 'S256'],
  )
  assert.ok(asked.state && asked.nonce && asked.code_challenge)
  for (const secret of secrets) {
    const { iat, exp } = JSON.parse(Buffer.from(secret.split('.')[1]!, 'base64url').toString())
    assert.equal(exp - iat, 300)
  }
})

test("the unsigned name in Apple's form is used for a new user only, truncated and cleaned", async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const known = await app.newUser({ emailVerified: true, name: 'Known' })
  await app.newMembership({ userId: known.id, systemId: system.id })
  const named = async (said: string, email = addressOf()) => {
    apple.claims = { sub: unique(), email, email_verified: true }
    apple.said = said
    await signIn(app, apple, system)
    const { name, givenName, familyName } = await findByEmail(app, email)
    return [name, givenName, familyName]
  }
  const said = (firstName: unknown, lastName?: unknown) => JSON.stringify({ name: { firstName, lastName } })

  const names = {
    known: await named(NAME, known.email),
    long: await named(said('x'.repeat(150), 'y')),
    hostile: await named(said('Ada\u202E\r\n', ' <b>')),
    numbers: await named(said(7, ['Lovelace'])),
    empty: await named(said('', '  ')),
    flood: await named(said('x'.repeat(3_000))),
    none: await named('{"name":null}'),
    words: await named('Ada'),
  }
  t.after(() => {
    apple.said = undefined
  })

  assert.deepEqual(names, {
    known: ['Known', null, null],
    long: ['x'.repeat(100), 'x'.repeat(100), 'y'],
    hostile: ['Ada  <b>', 'Ada', '<b>'],
    numbers: [null, null, null],
    empty: [null, null, null],
    flood: [null, null, null],
    none: [null, null, null],
    words: [null, null, null],
  })
  assert.equal(await findByEmail(app, 'somebody@else.test'), undefined)
})

test('P10: from Apple the text "true" verifies an address too, and no other value does', async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const made: Record<string, boolean> = {}
  for (const given of [true, 'true', 'false', 'TRUE', 1, undefined]) {
    const email = addressOf()
    apple.claims = { sub: unique(), email, ...(given !== undefined && { email_verified: given }) }
    await through(await begin(app, system), apple)
    made[JSON.stringify(given) ?? 'missing'] = (await findByEmail(app, email)) !== undefined
  }

  assert.deepEqual(made, {
    true: true,
    '"true"': true,
    '"false"': false,
    '"TRUE"': false,
    '1': false,
    missing: false,
  })
})

test('P11: a cross-site form post to the callback is redirected without effect', async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = addressOf('mallory')
  apple.claims = { sub: unique(), email, email_verified: true }
  const mallory = await begin(app, system)
  const { action, fields } = await visitOtherForm(apple, mallory.away)
  const victim = await begin(app, system)

  const forged = await victim.visitor.post(action, { ...fields, user: NAME }, CROSS_SITE)
  const ended = await victim.visitor.follow(forged)
  const empty = await victim.visitor.follow(await victim.visitor.post(action, {}, CROSS_SITE))
  const twice = await victim.visitor.post(action, [
    ['state', 'a'],
    ['state', 'b'],
    ['code', 'c\r\nset-cookie: a=b'],
    ['redirect_uri', 'https://evil.example'],
    ['said', 'mine'],
  ])
  const elsewhere = await victim.visitor.post('/social/apple/callback?provider=one', {
    state: '//evil.example',
    code: 'c',
  })

  for (const answer of [forged, twice, elsewhere]) {
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location')!, /^\/social\/apple\/callback\?/)
    assert.equal(answer.headers.get('set-cookie'), null)
  }
  assert.equal(forged.headers.get('location')!.includes('Ada'), false, 'a URL contains no name')
  assert.equal(twice.headers.get('location'), '/social/apple/callback?code=c%0D%0Aset-cookie%3A+a%3Db')
  assert.deepEqual([ended.status, empty.status], [400, 400])
  assert.equal(await findByEmail(app, email), undefined)
  const own = await rest(victim.visitor, await through(victim, apple))
  assert.ok(own.code, 'and the victim’s own sign-in goes on')
})

test('P11: only a provider that answers by form_post has a POST callback', async (t) => {
  const { app } = await startWithApple(t)
  const visitor = app.newBrowser()

  const answers = [
    await visitor.post('/social/nobody/callback', { code: 'a' }),
    await visitor.post('/social/callback', { code: 'a' }),
    await visitor.post('/apple/callback', { code: 'a' }),
    await visitor.post('/social/apple/callback', { code: 'a'.repeat(20_000) }),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 303, 405, 413],
  )
})

test('P11: a callback with the code of another browser and the state of this one is rejected', async (t) => {
  const { app, apple } = await startWithApple(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = addressOf('victim')
  apple.claims = { sub: unique(), email, email_verified: true }
  const [victim, mallory] = [await begin(app, system), await begin(app, system)]
  const stolen = await visitOtherForm(apple, victim.away)
  const own = await visitOtherForm(apple, mallory.away)

  const injected = await mallory.visitor.follow(
    await mallory.visitor.post(own.action, { ...own.fields, code: stolen.fields.code! }, CROSS_SITE),
  )

  assert.equal(injected.status, 400)
  assert.equal(await findByEmail(app, email), undefined)
})

test('an error from Apple arrives by form as well and returns to the sign-in', async (t) => {
  const { app } = await startWithApple(t)
  const { visitor, away, uid } = await begin(app, await app.newSystem())
  const state = new URL(away!).searchParams.get('state')!

  const page = await visitor.follow(
    await visitor.post('/social/apple/callback', { state, error: 'user_cancelled_authorize' }, CROSS_SITE),
  )

  assert.equal(page.status, 400)
  assert.match(String(page.body), /provider_refused[\s\S]+user_cancelled_authorize/)
  assert.match(String(page.body), new RegExp(`href="/interaction/${uid}"`))
})

test('incomplete Apple settings or a key that is not ES256 stop the start with a message', () => {
  const whole = appleSettings(1, 'localhost')
  const pem = (type: 'ec' | 'rsa') =>
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
          type: 'pkcs8',
          format: 'pem',
        })
  const oneLine = APPLE_KEY.trim().replaceAll('\n', '\\n')

  const [apple] = readConfig({ ...whole, SOCIAL_APPLE_PRIVATE_KEY: oneLine }).social
  const { SOCIAL_APPLE_ISSUER: _issuer, ...preset } = whole

  assert.ok(apple?.kind === 'apple' && apple.key.privateKey.asymmetricKeyType === 'ec')
  assert.deepEqual([apple.name, apple.clientId], ['Apple', OTHER_CLIENT.id])
  assert.equal(readConfig(preset).social[0]?.issuer, 'https://appleid.apple.com')
  for (const key of [String(pem('ec')), String(pem('rsa')), 'no key'])
    assert.throws(
      () => readConfig({ ...whole, SOCIAL_APPLE_PRIVATE_KEY: key }),
      /SOCIAL_APPLE_PRIVATE_KEY must be/,
    )
  assert.throws(
    () => readConfig({ SOCIAL_APPLE_CLIENT_ID: 'a' }),
    /TEAM_ID[\s\S]+KEY_ID[\s\S]+PRIVATE_KEY is required/,
  )
})
