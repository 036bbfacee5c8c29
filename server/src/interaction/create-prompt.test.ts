/** prompt=create and screen_hint=signup. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  begin,
  codeOf,
  findUser,
  JSON_ONLY,
  newEmail,
  newestCode,
  newOpenSystem,
  OWN,
  type register,
} from '../../test/support/registration.ts'
import { type Answer, codeFields, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'

const title = (page: Answer) => /<h1[^>]*>([^<]*)/.exec(String(page.body))?.[1]?.trim()
const REGISTRATION = 'Register for'

test('prompt=create and screen_hint=signup begin with the registration page, with a link to the login', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const member = await app.newUser()
  await app.newMembership({ userId: member.id, systemId: system.id })

  for (const parameters of [{ prompt: 'create' }, { screen_hint: 'signup' }]) {
    const browser = app.newBrowser()
    const page = await begin(browser, system, { ...parameters, login_hint: 'ana@x.test' })
    const login = await browser.get(/href="([^"]+)" id="sign-in"/.exec(String(page.body))![1]!)
    const done = await browser.follow(
      await browser.submit(login, { email: member.email, password: PASSWORD }),
    )

    assert.deepEqual([page.status, title(page)], [200, REGISTRATION])
    assert.match(String(page.body), /name="email"[^>]*value="ana@x.test"/)
    assert.ok(codeOf(done), 'the login page is still there')
    const json = await begin(app.newBrowser(), system, parameters, JSON_ONLY)
    assert.equal(json.body.step, 'register')
  }
})

test('with prompt=create a signed-in browser registers another user, and the application gets that one', async (t) => {
  const app = await startTestApp(t)
  const system = await newOpenSystem(app)
  const { user, visitor } = await signedIn(app, system)
  const email = newEmail()
  const pkce = newPkce()

  const hinted = await begin(visitor, system, { screen_hint: 'signup' })
  const page = await begin(visitor, system, {
    prompt: 'create',
    code_challenge: pkce.challenge,
  })
  const sent = await visitor.submit(page, { email, password: OWN })
  let done = await visitor.submit(sent, { code: await newestCode(app, email) })
  // the user who was signed in before is signed out first
  for (let steps = 0; steps < 3 && !codeOf(done); steps++) {
    done = await visitor.follow(done)
    if (done.status === 200) done = await visitor.submit(done)
  }

  assert.ok(codeOf(hinted), 'screen_hint=signup asks no one who is signed in')
  assert.equal(title(page), REGISTRATION)
  const back = { code: codeOf(done) ?? '' }
  const tokens = await app.token(system, codeFields(system, { back, pkce }))
  const { sub } = (await app.me(tokens.body.access_token)).body
  assert.equal(sub, (await findUser(app, email)).id)
  assert.notEqual(sub, user.id)
})

test('P12: prompt=create at a closed system is invalid_request, and screen_hint=signup is ignored', async (t) => {
  const app = await startTestApp(t)
  const closed = await app.newSystem()

  const refused = await begin(app.newBrowser(), closed, { prompt: 'create' })
  const silent = await begin(app.newBrowser(), await newOpenSystem(app), { prompt: 'create none' })
  const ignored = await begin(app.newBrowser(), closed, { screen_hint: 'signup' })
  const browser = app.newBrowser()
  const [, uid] = /interaction\/([\w-]+)\//.exec(String((await begin(browser, closed)).body))!
  const forced = await browser.get(`/interaction/${uid}?screen=register`)

  const { searchParams } = new URL(refused.headers.get('location')!)
  assert.deepEqual(
    [searchParams.get('error'), searchParams.get('error_description')],
    ['invalid_request', 'prompt=create requires allowSelfRegister of the system'],
  )
  assert.equal(new URL(silent.headers.get('location')!).searchParams.get('error'), 'invalid_request')
  assert.match(String(ignored.body), /id="forgot-password"/)
  assert.equal(forced.status, 404)
  const discovery = await (await fetch(`${app.url}/.well-known/openid-configuration`)).json()
  assert.ok((discovery as { prompt_values_supported: string[] }).prompt_values_supported.includes('create'))
})

async function signedIn(
  app: Awaited<ReturnType<typeof startTestApp>>,
  system: Parameters<typeof register>[1],
) {
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id })
  return { user, ...(await app.signIn(system, { email: user.email })) }
}
