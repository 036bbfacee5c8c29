/** A sign-in by another provider, in a browser with an older login. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setProofs } from '../../test/support/browser-sessions.ts'
import { visitOther } from '../../test/support/other-provider.ts'
import { addressOf, begin, findByEmail, rest, start, through, unique } from '../../test/support/social.ts'
import { authUrl, newPkce, PASSWORD } from '../../test/support/testing.ts'
import type { Proof } from '../authentication/proofs.ts'
import { and, desc, eq } from '../database/drizzle.ts'
import { artifacts } from '../database/schema.ts'

/** TTL_SESSION_MAX, in seconds. */
const LIFETIME = 1_209_600

test('a sign-in by another provider replaces a login of its browser and what belongs to it, which do not live on', async (t) => {
  const { app, one } = await start(t)
  const system = await app.newSystem({ allowSelfRegister: true, skipConsent: true })
  const email = addressOf()
  one.claims = { sub: unique(), email, email_verified: true }
  const first = await begin(app, system)
  await rest(first.visitor, await through(first, one))
  const user = await findByEmail(app, email)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  const { visitor } = await app.signIn(system, { email })
  const signIn = async () => {
    const pkce = newPkce()
    const page = await visitor.follow(await visitor.get(authUrl(system, pkce.challenge, { prompt: 'login' })))
    const [link = ''] = /\/social\/one\/login\?uid=[\w-]+/.exec(String(page.body)) ?? []
    const away = await visitor.get(link)
    const end = await visitor.follow(await visitor.get(await visitOther(one, away.headers.get('location'))))
    assert.ok((await rest(visitor, end)).code)
    const [row] = await app.db
      .select({ payload: artifacts.payload })
      .from(artifacts)
      .where(and(eq(artifacts.model, 'Session'), eq(artifacts.userId, user.id)))
      .orderBy(desc(artifacts.createdAt))
    return (row!.payload as { proofs: Proof[] }).proofs.map(({ method }) => method).sort()
  }

  const age = LIFETIME - 600
  await setProofs(app.db, user.id, [
    { method: 'password', credential: null, age },
    { method: 'totp', credential: null, primary: false, age },
  ])

  assert.deepEqual(await signIn(), ['social'])
})
