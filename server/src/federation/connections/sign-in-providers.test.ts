/** ID tokens as providers send them, an application with openid-client, and a provider that is slow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as client from 'openid-client'
import { expectStatus } from '../../../test/support/http.ts'
import { visitOther } from '../../../test/support/other-provider.ts'
import { linkTo, open, signInAs, startConnection } from '../../../test/support/sso-sign-in.ts'
import { SOON } from '../../../test/support/waiting.ts'

const TENANT = '5f0a1c1e-9c43-4c1e-8f3e-2f6f5f1f8a10'

test('P79: ID tokens of Entra ID, Okta, Google and Keycloak lead to a member if they vouch for the address', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { name, attempts } = place
  const at = (person: string) => `${person}@${name}`
  const entra = { tid: TENANT, ver: '2.0', preferred_username: undefined, email_verified: undefined }
  const tokens: [string, object, string | null][] = [
    [
      'Entra ID with optional claims',
      { ...entra, sub: 'e1', oid: crypto.randomUUID(), email: at('e1'), xms_edov: true, acct: 0 },
      null,
    ],
    ['Entra ID without them', { ...entra, sub: 'e2', preferred_username: at('e2') }, 'address_unverified'],
    [
      'a guest of Entra ID',
      { ...entra, sub: 'e3', email: at('e3'), xms_edov: '1', acct: 1 },
      'address_unverified',
    ],
    [
      'Okta',
      { sub: '00u1', email: at('o'), email_verified: true, amr: ['pwd', 'mfa', 'otp'], idp: '00o1' },
      null,
    ],
    ['Google', { sub: '1174', email: at('g'), email_verified: true, hd: name, azp: 'tenantry' }, null],
    [
      'Keycloak with LDAP',
      { sub: crypto.randomUUID(), email: at('k'), email_verified: false, acr: '1', sid: 's' },
      'address_unverified',
    ],
  ]

  for (const [title, claims, code] of tokens) {
    const { back } = await signInAs(place, claims)
    assert.equal(Boolean(back.code), code === null, title)
    assert.deepEqual((await attempts())[0], [code === null ? 'signed_in' : 'refused', code], title)
  }
})

test('P79: what a provider says of the address is said of the claim email, and of no name for the login', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, name, system, accountId, person, admin, connection } = place
  const ceo = await app.newUser({ email: `ceo@${name}` })
  await app.newMembership({ userId: ceo.id, systemId: system.id, accountId })
  const stated: object[] = [
    { email: undefined, email_verified: true, preferred_username: ceo.email },
    { email: null, email_verified: true, upn: ceo.email },
    { email: 'none', email_verified: true, preferred_username: ceo.email },
    { email: undefined, email_verified: undefined, xms_edov: true, preferred_username: ceo.email },
  ]
  const signsIn = async (claims: object, at: number) =>
    Boolean((await signInAs(place, person(`m${at}`, claims))).back.code)

  const answers: boolean[] = []
  for (const [at, claims] of stated.entries()) answers.push(await signsIn(claims, at))
  expectStatus(await admin.patch(connection.path, { closedIssuer: true }), 200)
  const closed = await signsIn({ email: '-', email_verified: undefined, preferred_username: ceo.email }, 9)

  assert.deepEqual([...answers, closed], Array(5).fill(false))
  assert.equal(await signsIn({}, 10), true)
})

test('an application with openid-client signs a person in by the connection', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, system, connection, other, person, accountId } = place
  other.claims = person('ana')
  const options = { execute: [client.allowInsecureRequests] }
  const { clientId, clientSecret } = system as unknown as { clientId: string; clientSecret: string }
  const config = await client.discovery(
    new URL(app.url),
    clientId,
    undefined,
    client.ClientSecretBasic(clientSecret),
    options,
  )
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const start = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: 'https://app.example/cb', scope: 'openid email profile offline_access' },
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    ...{
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      connection: connection.id,
    },
  })
  const browser = app.newBrowser()

  const page = await browser.follow(await browser.get(start.href))
  const away = await browser.get(linkTo(page, connection.id))
  const end = await browser.follow(await browser.get(await visitOther(other, away.headers.get('location'))))
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, new URL(end.headers.get('location')!), checks)
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)
  const claims = await client.fetchUserInfo(config, refreshed.access_token, String(tokens.claims()?.sub))

  assert.equal(tokens.claims()?.account_id, accountId)
  assert.deepEqual([claims.account_id, claims.sub], [accountId, tokens.claims()?.sub])
})

test('P153: a provider that does not answer keeps no sign-in of others from ending', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, other, person, connection, system, user } = place
  other.claims = person('ana')
  let answer = () => {}
  let asked = 0
  other.forge = async (idToken) => {
    asked += 1
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return idToken
  }
  const browser = app.newBrowser()
  const { page } = await open(place, browser)
  const away = await browser.get(linkTo(page, connection.id))
  const waiting = browser.get(await visitOther(other, away.headers.get('location')))
  await t.waitFor(() => assert.equal(asked, 1), SOON)

  const { access_token: token } = await app.signIn(system as never, { email: user.email })
  answer()
  const arrived = await waiting

  assert.ok(token)
  assert.ok([303, 400, 503].includes(arrived.status), String(arrived.status))
  expectStatus(await place.admin.get(connection.path), 200)
})
