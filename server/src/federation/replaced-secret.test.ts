/** The client secret at an external provider is replaced in its file while the server runs. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { OTHER_CLIENT, startOtherProvider, visitOther } from '../../test/support/other-provider.ts'
import { freePort } from '../../test/support/postgres.ts'
import { addressOf, findByEmail } from '../../test/support/social.ts'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

test('a replaced client secret is read from its file when the provider refuses the client', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-provider-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, 'the first secret\n')
  const port = await freePort()
  const app = await startTestApp(t, {
    SOCIAL_OTHER_ISSUER: `http://localhost:${port}`,
    SOCIAL_OTHER_CLIENT_ID: OTHER_CLIENT.id,
    SOCIAL_OTHER_CLIENT_SECRET_FILE: file,
    SOCIAL_OTHER_TRUSTED_DOMAINS: '*',
    SOCIAL_ALLOW_PRIVATE: 'true',
  })
  const valid = { secret: 'the first secret', refusals: 0 }
  const other = await startOtherProvider(port, `${app.url}/social/callback`, undefined, {
    isSecret: async (given) => {
      if (given !== valid.secret) valid.refusals += 1
      return given === valid.secret
    },
  })
  t.after(() => other.close())
  const system = await app.newSystem({ allowSelfRegister: true })
  const signIn = async () => {
    const email = addressOf()
    other.claims = { sub: email, email, email_verified: true }
    const visitor = app.newBrowser()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const link = /href="(\/social\/other\/login\?uid=[\w-]+)"/.exec(String(page.body))![1]!
    const back = await visitOther(other, (await visitor.get(link)).headers.get('location'))
    const { status } = await visitor.follow(await visitor.get(back))
    return { email, status }
  }

  const first = await signIn()
  valid.secret = 'the second secret'
  const stale = await signIn()
  const refusals = valid.refusals
  writeFileSync(file, 'the second secret\n')
  const second = await signIn()
  const third = await signIn()

  assert.deepEqual([first.status, second.status, third.status], [200, 200, 200])
  for (const { email } of [first, second, third]) assert.ok(await findByEmail(app, email))
  assert.equal(stale.status >= 400, true)
  assert.deepEqual([refusals, valid.refusals], [1, 2])
})
