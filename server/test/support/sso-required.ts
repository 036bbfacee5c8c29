/** An organization that can require single sign-on, and a member of it. */
import type { TestContext } from 'node:test'
import { expectStatus } from './http.ts'
import { startConnection } from './sso-sign-in.ts'
import { authUrl, newPkce, PASSWORD, type TestBrowser } from './testing.ts'

/** An organization with an enabled connection, and a member who also has a password. */
export async function newClosable(t: TestContext, system: object = {}) {
  const place = await startConnection(t, { system })
  const { app, accountId, name } = place
  const user = await app.newUser({ email: `ana@${name}`, emailVerified: true })
  const member = await app.newMembership({ userId: user.id, systemId: place.system.id, accountId })
  const at = `/admin/accounts/${accountId}`
  const require = async () => expectStatus(await app.platform.patch(at, { ssoRequired: true }), 200)
  const login = async (browser: TestBrowser, more: Record<string, string> = {}) => {
    const pkce = newPkce()
    const url = authUrl(place.system as never, pkce.challenge, more)
    const page = await browser.follow(await browser.get(url))
    const end = await browser.follow(await browser.submit(page, { email: user.email, password: PASSWORD }))
    return { pkce, page, end }
  }
  return { ...place, user, member, at, require, login }
}
