/** What connections may call and keep of what their providers send. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { newServer } from '../../../test/support/plain-server.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { createConnectionProviders } from './providers.ts'

/** As it is read from the database. */
const connectionTo = (issuer: string, version: number) => ({
  ...{ id: crypto.randomUUID(), systemId: '', accountId: '', name: 'a', organization: 'b', enabled: false },
  ...{ scopes: ['openid'], requiredClaims: {}, closedIssuer: false, subjectAttribute: 'sub' as const },
  ...{
    groupAttribute: null,
    mfaAcr: [],
    jit: false,
    reauthentication: 'stated' as const,
    readAt: 0,
    isTesting: false,
    kind: 'oidc' as const,
    issuer,
    clientId: 'a',
    clientSecret: 'b',
  },
  ...{ configuredAt: new Date(0), updatedAt: new Date(version), application: {} as never },
})

test('P153: a connection has 4 calls at the same time, and 60 in a minute', async (t) => {
  const waiting: (() => void)[] = []
  let most = 0
  const issuer = await newServer(t, (_request, response) => {
    waiting.push(() => void response.writeHead(500).end())
    most = Math.max(most, waiting.length)
  })
  const providers = createConnectionProviders({
    BASE_URL: 'https://id.example',
    CONNECTIONS_ALLOW_PRIVATE: true,
  })
  const values = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
  const one = connectionTo(issuer, 0)
  const codes: string[] = []
  const begun = Array.from({ length: 70 }, (_, nth) =>
    providers.begin({ ...one, updatedAt: new Date(nth) }, values).catch((error) => codes.push(error.code)),
  )
  await t.waitFor(() => assert.equal(waiting.length, 4), SOON)
  const release = setInterval(() => {
    for (const end of waiting.splice(0)) end()
  }, 1)
  await Promise.all(begun)
  clearInterval(release)

  assert.equal(most, 4)
  assert.deepEqual(codes, Array(70).fill('provider_unavailable'))
})

test('P153: what a provider adds to its metadata is not kept', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const issuer = await newServer(t, ({ url = '' }, response) => {
    const own = `http://${response.req.headers.host}${url.slice(0, url.indexOf('/.well-known'))}`
    const metadata = {
      ...{ issuer: own, authorization_endpoint: `${own}/auth`, token_endpoint: `${own}/token` },
      ...{ jwks_uri: `${own}/jwks`, filling: Array.from({ length: 80_000 }, () => ({})) },
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
  })
  const providers = createConnectionProviders({
    BASE_URL: 'https://id.example',
    CONNECTIONS_ALLOW_PRIVATE: true,
  })
  const values = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
  const begin = (nth: number) => providers.begin(connectionTo(`${issuer}/${nth}`, nth), values)
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const { searchParams } = await begin(0)
  const before = used()
  for (let nth = 1; nth <= 40; nth++) await begin(nth)
  const grown = used() - before

  assert.equal(searchParams.get('state'), 's')
  // Kept, each document would take 2 MB and more.
  assert.ok(grown < 40_000_000, `${grown} bytes`)
})
