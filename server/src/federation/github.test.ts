/** Against a test server with GitHub's paths: oidc-provider as OAuth server, and two responses of the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OTHER_CLIENT, startOtherProvider, visitOther } from '../../test/support/other-provider.ts'
import { freePort } from '../../test/support/postgres.ts'
import { addressOf, findByEmail } from '../../test/support/social.ts'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'
import { eq } from '../database/drizzle.ts'
import { identities } from '../database/schema.ts'

test('GitHub: the account number identifies the user; a verified primary address counts', async (t) => {
  const port = await freePort()
  const app = await startTestApp(t, {
    SOCIAL_GITHUB_ISSUER: `http://localhost:${port}`,
    SOCIAL_GITHUB_CLIENT_ID: OTHER_CLIENT.id,
    SOCIAL_GITHUB_CLIENT_SECRET: OTHER_CLIENT.secret,
    SOCIAL_GITHUB_TRUSTED_DOMAINS: '*',
    SOCIAL_ALLOW_PRIVATE: 'true',
  })
  const api = { '/api/v3/user': {} as object, '/api/v3/user/emails': [] as object }
  const github = await startOtherProvider(
    port,
    `${app.url}/social/callback`,
    {
      routes: { authorization: '/login/oauth/authorize', token: '/login/oauth/access_token' },
      scopes: ['openid', 'email', 'profile', 'read:user', 'user:email'],
      responseTypes: ['code'],
      clientAuthMethods: ['client_secret_post'],
      clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
    },
    { api },
  )
  t.after(() => github.close())
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = addressOf()
  const signIn = async (user: object, emails: object) => {
    Object.assign(api, { '/api/v3/user': user, '/api/v3/user/emails': emails })
    const visitor = app.newBrowser()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const link = /href="(\/social\/github\/login\?uid=[\w-]+)"/.exec(String(page.body))![1]!
    const back = await visitOther(github, (await visitor.get(link)).headers.get('location'))
    return visitor.follow(await visitor.get(back))
  }
  const addresses = [
    { email: addressOf(), primary: false, verified: true },
    { email, primary: true, verified: true },
  ]

  const unverified = await signIn({ id: 41, login: 'ada' }, [{ email, primary: true, verified: 'true' }])
  const withoutId = await signIn({ login: 'ada' }, addresses)
  const joins = await signIn({ id: 42, login: 'ada', name: 'Ada' }, addresses)
  await signIn({ id: 42, login: 'another', name: 'Ada' }, addresses)

  assert.match(String(unverified.body), /name="password"/)
  assert.equal(withoutId.status, 400)
  assert.equal(joins.status, 200)
  const user = await findByEmail(app, email)
  assert.deepEqual([user.name, user.identities], ['Ada', [{ provider: 'github', subject: '42', email }]])
  const [stored] = await app.db.select().from(identities).where(eq(identities.userId, user.id))
  assert.equal(stored?.issuer, `github:http://localhost:${port}`)
})
