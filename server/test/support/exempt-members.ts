/** A member with a second factor, whom an organization that requires single sign-on can exempt. */
import type { TestContext } from 'node:test'
import { memberWithApp, sendTo } from './factors.ts'
import { expectStatus } from './http.ts'
import { newClosable } from './sso-required.ts'
import { type Answer, authUrl, newPkce, PASSWORD, type TestBrowser } from './testing.ts'

/**
 * The second member `contractor` has an authenticator app and recovery codes that are valid everywhere, and
 * has entered the system. The member `user` of the place has none.
 */
export async function newExemptible(
  t: TestContext,
  { isAdmin = false, ...system }: Record<string, unknown> = {},
) {
  const place = await newClosable(t, system)
  const { app, accountId } = place
  const { user: contractor, recoveryCodes } = await memberWithApp(app)
  const roles = isAdmin ? [(await app.newRole(place.system.id, { isAdmin: true })).id] : []
  const member = await app.newMembership({
    ...{ userId: contractor.id, systemId: place.system.id, accountId },
    roles,
  })
  const codes = [...recoveryCodes]
  /** The step after the password. */
  const logInAs = async (
    { email }: { email: string },
    browser: TestBrowser,
    more: Record<string, string> = {},
  ) => {
    const pkce = newPkce()
    const url = authUrl(place.system as never, pkce.challenge, more)
    const login = await browser.follow(await browser.get(url))
    return { pkce, page: await browser.follow(await browser.submit(login, { email, password: PASSWORD })) }
  }
  const withFactor = async (browser: TestBrowser, page: Answer) =>
    browser.follow(await sendTo(browser, page, 'second-factor', { recoveryCode: codes.pop()! }))
  /** A whole sign-in with the password and a recovery code. */
  const enter = async (browser: TestBrowser, more: Record<string, string> = {}) => {
    const { pkce, page } = await logInAs(contractor, browser, more)
    return { pkce, page, end: await withFactor(browser, page) }
  }
  const first = await enter(app.newBrowser())
  if (first.end.status !== 303) throw new Error(`not signed in: ${first.end.status} ${first.end.body}`)
  const memberAt = `/admin/memberships/${member.id}`
  const exempt = async (isExempt = true, by = app.platform) =>
    expectStatus(await by.patch(memberAt, { ssoExempt: isExempt }), 200).body
  return { ...place, contractor, contractorAs: member, memberAt, logInAs, withFactor, enter, exempt }
}
