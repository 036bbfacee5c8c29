/** What client libraries expect that cannot be configured in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { authUrl, basicAuth, codeFields, newPkce, startTestApp } from '../../test/support/testing.ts'

const WITHOUT_PKCE = { code_challenge: undefined, code_challenge_method: undefined }

test('P34: access tokens of the type JWT are accepted where others are, and an ID token is not', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({
    accessTokenType: 'JWT',
    idTokenAlg: 'ES256',
    skipConsent: true,
    allowClientCredentials: true,
  })
  const introspect = async (token: string) =>
    (
      await fetch(`${app.url}/token/introspection`, {
        method: 'POST',
        headers: { authorization: basicAuth(system) },
        body: new URLSearchParams({ token }),
      })
    ).json()

  const { access_token, id_token } = await app.signIn(system, { email: user.email })
  const services = await Promise.all(
    [{}, { resource: app.url }].map((more) =>
      app.token(system, { grant_type: 'client_credentials', ...more }),
    ),
  )
  const tokens = [access_token, ...services.map(({ body }) => body.access_token)]
  const atAdmin = await Promise.all(tokens.map((token) => app.as(token).get(`/admin/systems/${system.id}`)))
  const states = await Promise.all([...tokens, id_token].map(introspect))

  assert.deepEqual(
    tokens.map((token) => [decodeProtectedHeader(token).typ, decodeJwt(token).token_use]),
    tokens.map(() => ['JWT', 'access']),
  )
  assert.deepEqual(
    [await app.me(access_token), await app.me(id_token)].map(({ status }) => status),
    [200, 401],
  )
  assert.deepEqual(
    atAdmin.map(({ status }) => status),
    [403, 200, 200],
  )
  assert.deepEqual(
    states.map(({ active }) => active),
    [true, true, true, false],
  )
})

test('P16: a confidential client omits PKCE only if its system allows it; the error says how to turn it on', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true, allowClientCredentials: true })
  const open = await app.newSystem({ clientType: 'public' })
  const authorize = () => app.authorize(system, { email: user.email, parameters: WITHOUT_PKCE })
  const change = (of: typeof system, by = app.platform) =>
    by.patch(`/admin/systems/${of.id}`, { requirePkce: false })

  const { back: refused } = await authorize()
  const bySystem = await change(system, await app.serviceOf(system))
  const ofPublic = await change(open)
  const changed = await change(system)
  const authorized = await authorize()
  const { code_verifier: _, ...fields } = codeFields(system, authorized)
  const exchanged = await app.token(system, fields)

  assert.deepEqual([refused.error, refused.code], ['invalid_request', undefined])
  const [how = '', instead = ''] = String(refused.error_description).split('requirePkce')
  assert.match(how, /Turn on PKCE with S256.*pkce: true.*Authlib.*requireProofKey\(true\).*OIDCPKCEMethod/)
  assert.match(instead, /to false/, 'turning it off is the last resort')
  assert.deepEqual([bySystem.status, ofPublic.status, changed.status], [403, 400, 200])
  assert.equal(ofPublic.body.errors[0].path, '/requirePkce')
  assert.equal(exchanged.status, 200)
})

test('P31: a logout URI with an empty path matches with and without its slash, and no other does', async (t) => {
  const app = await startTestApp(t)
  const postLogoutRedirectUris = [
    'https://app.example/',
    'https://other.example',
    'https://third.example/out',
  ]
  const { system } = await app.newMember({ postLogoutRedirectUris })
  const end = async (post_logout_redirect_uri: string) => {
    const query = new URLSearchParams({ client_id: system.clientId, post_logout_redirect_uri })
    const visitor = app.newBrowser()
    const answer = await visitor.follow(await visitor.get(`/session/end?${query}`))
    return answer.headers.get('location') ?? answer.status
  }

  for (const uri of ['https://app.example', 'https://app.example/', 'https://other.example/'])
    assert.equal(await end(uri), new URL(uri).href)
  const others = [
    'https://app.example/x',
    'https://app.example//',
    'https://app.example?x',
    'https://app.example:443',
    'http://app.example',
    'https://app.example.evil.example',
    'https://third.example',
    'https://third.example/',
    'https://third.example/out/',
  ]
  for (const uri of others) assert.equal(await end(uri), 400, uri)
})

test('organization selects the account as account_id does, and another audience is refused', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const user = await app.newUser()
  const accounts: string[] = []
  for (const accountName of ['One', 'Two'])
    accounts.push(
      (await app.newMembership({ userId: user.id, systemId: system.id, accountName })).accountId as string,
    )
  const [one = '', two = ''] = accounts
  const { visitor } = await app.signIn(system, { email: user.email, account: one })
  const ask = async (parameters: Record<string, string>) => {
    const pkce = newPkce()
    const answer = await visitor.get(authUrl(system, pkce.challenge, { prompt: 'none', ...parameters }))
    return { pkce, back: Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams) }
  }
  const accountOf = async (parameters: Record<string, string>) => {
    const answer = await app.token(system, codeFields(system, await ask(parameters)))
    return decodeJwt(answer.body.access_token).account_id
  }

  const selected = [
    await accountOf({ organization: two }),
    await accountOf({ organization: one, account_id: one, audience: system.clientId }),
    await accountOf({ organization: two, audience: app.url }),
  ]
  const refused = []
  for (const parameters of [
    { organization: one, account_id: two },
    { organization: 'acme' },
    { account_id: 'acme' },
    { audience: 'https://api.example' },
  ])
    refused.push((await ask(parameters)).back)

  assert.deepEqual(selected, [two, one, two])
  assert.deepEqual(
    refused.map(({ error, code }) => [error, code]),
    ['invalid_request', 'invalid_request', 'invalid_request', 'invalid_target'].map((error) => [
      error,
      undefined,
    ]),
  )
  assert.match(refused[1]!.error_description!, /organization must be the id of an account/)
  assert.match(refused[3]!.error_description!, /client id/)
})
