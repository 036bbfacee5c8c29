/**
 * The first factor of a user requires a recent login: another person at an open browser could add their own.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../test/support/browser-sessions.ts'
import {
  afterPassword,
  appCode,
  begin,
  continueSignIn,
  secretOn,
  sendTo,
  stepOf,
  withinStep,
} from '../../test/support/factors.ts'
import { PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { AAL2 } from '../authentication/assurance.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Moves the sign-in of every browser of a user 400 seconds into the past. */
const age = ({ db }: App, { id }: { id: string }) => changeProofs(db, id, { age: 400 })

test('a first factor is enrolled only within 5 minutes of the login, whichever client asks for it', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const strict = await app.newSystem({ skipConsent: true, requireMfa: true })
  await app.newMembership({ userId: user.id, systemId: strict.id })
  const browser = app.newBrowser()
  await afterPassword(browser, system, user.email)
  const recent = await begin(browser, system, { acr_values: AAL2 })
  await age(app, user)
  const account = new URLSearchParams({
    client_id: 'tenantry-account',
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${app.url}/account/callback`,
    acr_values: AAL2,
  })

  const old = [
    await begin(browser, system, { acr_values: AAL2 }),
    await browser.follow(await browser.get(`/auth?${account}`)),
    await begin(browser, strict),
  ]
  const again = await browser.follow(await browser.submit(old[2]!, { email: user.email, password: PASSWORD }))
  const secret = secretOn(again)
  await withinStep()
  const done = await sendTo(browser, again, 'enrol', { code: appCode(secret) })
  await continueSignIn(browser, done)
  await age(app, user)
  const later = await begin(browser, strict)

  assert.equal(stepOf(recent), 'enrol')
  assert.deepEqual(old.map(stepOf), ['login', 'login', 'login'])
  assert.equal(done.status, 200)
  assert.match(later.headers.get('location') ?? '', /^https:\/\/app\.example\/cb\?code=/)
})
