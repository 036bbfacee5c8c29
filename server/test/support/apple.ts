/**
 * A test server for Sign in with Apple: oidc-provider with Apple's paths,
 * form_post and signed client secrets.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { TestContext } from 'node:test'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { OTHER_CLIENT, type OtherProvider, startOtherProvider } from './other-provider.ts'
import { freePort } from './postgres.ts'
import { startTestApp } from './testing.ts'

const TEAM = 'TEAM456789'
const KEY = 'KEY4567890'
/** Apple's maximum lifetime of a client secret, half a year, in seconds. */
const SECRET_MAX = 15_777_000

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const APPLE_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

export const appleSettings = (port: number, host: string) => ({
  SOCIAL_APPLE_ISSUER: `http://${host}:${port}`,
  SOCIAL_APPLE_CLIENT_ID: OTHER_CLIENT.id,
  SOCIAL_APPLE_TEAM_ID: TEAM,
  SOCIAL_APPLE_KEY_ID: KEY,
  SOCIAL_APPLE_PRIVATE_KEY: APPLE_KEY,
  SOCIAL_APPLE_TRUSTED_DOMAINS: '*',
  SOCIAL_ALLOW_PRIVATE: 'true',
})

/** The valid client secrets received. */
export const secrets = new Set<string>()

async function isSecret(given: string): Promise<boolean> {
  const checks = {
    issuer: TEAM,
    subject: OTHER_CLIENT.id,
    audience: 'https://appleid.apple.com',
    algorithms: ['ES256'],
  }
  const { payload } = await jwtVerify(given, publicKey, checks)
  secrets.add(given)
  return decodeProtectedHeader(given).kid === KEY && payload.exp! - payload.iat! <= SECRET_MAX
}

let listening: Promise<{ port: number; host: string }> | undefined
let apple: Promise<OtherProvider> | undefined

/** One server and one Apple for all tests of a file. The default `host` is another site than ours. */
export async function startWithApple(t: TestContext, host = '127.0.0.1') {
  listening ??= freePort().then((port) => ({ port, host }))
  const { port } = await listening
  const app = await startTestApp(t, appleSettings(port, host))
  apple ??= startOtherProvider(
    port,
    `${app.url}/social/callback`,
    {
      routes: { authorization: '/auth/authorize', token: '/auth/token', jwks: '/auth/keys' },
      scopes: ['openid', 'email', 'name'],
      responseTypes: ['code'],
      clientAuthMethods: ['client_secret_post'],
      clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
    },
    { host, isSecret },
  )
  return { app, apple: await apple }
}
