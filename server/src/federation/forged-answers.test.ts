import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { type OtherProvider, visitOther } from '../../test/support/other-provider.ts'
import {
  addressOf,
  begin,
  findByEmail,
  rest,
  start,
  through,
  tokensOf,
  unique,
} from '../../test/support/social.ts'

test('P11: a callback with a foreign or used state is answered 400 and starts no session', async (t) => {
  const { app, one, two } = await start(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const email = addressOf()
  one.claims = two.claims = { sub: unique(), email, email_verified: true }
  const begun = await begin(app, system)
  const { visitor, link } = begun
  const back = await visitOther(one, (await visitor.get(link('one'))).headers.get('location'))
  const kept = new Map(visitor.jar)
  const refused = async (target: string, who = visitor) => {
    const answer = await who.get(target)
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], target)
    return answer
  }

  await refused('/social/one/callback')
  await refused('/social/one/callback?code=a&state=b')
  await refused(back, app.newBrowser())
  await refused(back.replace('/social/one/', '/social/two/'))
  await refused(back.replace(/state=[^&]+/, ''))
  const evil = await refused(
    '/social/one/callback?error=%3Cscript%3Ealert(1)%3C/script%3E&error_description=%22%3E%3Cimg%20src=x%3E',
  )
  assert.doesNotMatch(String(evil.body), /<script|<img/)
  const state = new URL(back).searchParams.get('state')
  const denied = await refused(
    `/social/one/callback?error=access_denied&error_description=%3Cb%3E&iss=${encodeURIComponent(one.url)}&state=${state}`,
  )
  assert.match(
    String(denied.body),
    new RegExp(
      `access_denied: &[^<]+href="/interaction/${begun.uid}"|href="/interaction/${begun.uid}"[\\s\\S]+access_denied`,
    ),
  )
  for (const [name, cookie] of kept) visitor.jar.set(name, cookie)
  await refused(back) // its state is used
  assert.equal(await findByEmail(app, email), undefined)

  const fresh = await begin(app, system, visitor)
  const good = await visitOther(one, (await visitor.get(fresh.link('one'))).headers.get('location'))
  const cookies = new Map(visitor.jar)
  assert.equal((await visitor.get(good)).status, 303)
  for (const [name, cookie] of cookies) visitor.jar.set(name, cookie)
  await refused(good)
})

test('P11: an ID token with a wrong audience, nonce, time or signature is rejected', async (t) => {
  const { app, one } = await start(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  t.after(() => {
    one.forge = undefined
  })
  const now = Math.floor(Date.now() / 1_000)
  const signed = (change: object) => async (idToken: string) =>
    new SignJWT({ ...decodeJwt(idToken), ...change })
      .setProtectedHeader({ alg: 'RS256', kid: one.key.kid })
      .sign(one.key.privateKey)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forgeries: Record<string, NonNullable<OtherProvider['forge']>> = {
    aud: signed({ aud: 'another client' }),
    iss: signed({ iss: 'https://evil.example' }),
    nonce: signed({ nonce: 'another' }),
    'no nonce': signed({ nonce: undefined }),
    expired: signed({ iat: now - 900, exp: now - 600 }),
    'no sub': signed({ sub: undefined }),
    'empty sub': signed({ sub: '' }),
    'half of a surrogate pair in sub': signed({ sub: 'a\ud800' }),
    'the other half in sub': signed({ sub: 'a\udc00' }),
    'U+0000 in sub': signed({ sub: 'a\0' }),
    'alg none': async (idToken) => `${part({ alg: 'none' })}.${part(decodeJwt(idToken))}.`,
    'not signed': async (idToken) => `${idToken.slice(0, idToken.lastIndexOf('.'))}.${'A'.repeat(342)}`,
    none: async () => '',
  }

  for (const [name, forge] of Object.entries(forgeries)) {
    const email = addressOf()
    one.claims = { sub: unique(), email, email_verified: true }
    one.forge = forge
    const page = await through(await begin(app, system), one)
    assert.equal(page.status, 400, name)
    assert.equal(await findByEmail(app, email), undefined, name)
  }
  one.forge = signed({})
  one.claims = { sub: unique(), email: addressOf(), email_verified: true }
  const begun = await begin(app, system)
  assert.ok((await rest(begun.visitor, await through(begun, one))).code, 'a token that is right is taken')
})

test('P11: the same subject of two providers is two users, even with the same client id', async (t) => {
  const { app, one, two } = await start(t)
  const system = await app.newSystem({ allowSelfRegister: true })
  const sub = unique()
  one.claims = { sub, email: addressOf(), email_verified: true }
  two.claims = { sub, email: addressOf(), email_verified: true }

  const first = await begin(app, system)
  const second = await begin(app, system)
  const signedIn = [
    await tokensOf(app, system, first, await rest(first.visitor, await through(first, one))),
    await tokensOf(app, system, second, await rest(second.visitor, await through(second, two, 'two'))),
  ]

  assert.notEqual(signedIn[0]!.claims.sub, signedIn[1]!.claims.sub)
})
