/** Number of SQL statements of a sign-in, by request. A request more or a statement more fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordRequests } from '../../test/support/statements.ts'
import { startTestApp, tokenRequest } from '../../test/support/testing.ts'

test('a sign-in with a password takes 16 SQL statements, a refresh two, a request to /me one', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme', status: 'active' })
  // the later ones are from a known browser
  await app.signIn(system, { email: user.email })
  const requests = recordRequests(app.db)
  // A system is read again when its second in the cache is over.
  const isCached = (statement: string) => / from "systems" where "systems"."client_id" = /.test(statement)
  const counts = () => requests().map((all) => all.filter((each) => !isCached(each)).length)

  counts()
  const { access_token: token, refresh_token } = await app.signIn(system, { email: user.email })
  const signIn = counts()
  await tokenRequest(app.url, system, { grant_type: 'refresh_token', refresh_token: refresh_token! })
  const refresh = counts()
  await app.me(token)
  const me = counts()

  // the request at /auth, the login page, the password, the redirect back with the session, the token
  assert.deepEqual(signIn, [1, 1, 9, 3, 2])
  assert.deepEqual([refresh, me], [[2], [1]])
})
