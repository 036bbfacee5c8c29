/**
 * `oidc-provider` as an expert would run it: one process, its users and objects in PostgreSQL, the same
 * tokens, the same password hash with the same concurrency limit. No tenants, audit log, events or limits.
 */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { hash, verify } from '@node-rs/argon2'
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import pg from 'pg'
import { adapterOn, TABLES } from './adapter.ts'
import { type BaselineSettings, listenAs } from './settings.ts'

const settings: BaselineSettings = JSON.parse(process.env.BASELINE!)
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 20 })
/** The parameters of server/src/crypto/password-hash.ts. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const HASHES_MAX = Math.max(1, availableParallelism() - 1)
const SCOPE = 'openid email profile offline_access'
const API_SCOPE = 'api'

type User = { id: string; email: string; password_hash: string }

/** Creates the tables and users at the first start. */
async function fill(): Promise<void> {
  if ((await pool.query(`select to_regclass('users') as users`)).rows[0].users !== null) return
  await pool.query(TABLES)
  const password = await hash(settings.password, COST)
  for (const email of settings.emails)
    await pool.query('insert into users (id, email, password_hash) values ($1, $2, $3)', [
      randomUUID(),
      email,
      password,
    ])
}

async function findAccount(_ctx: KoaContextWithOIDC, id: string) {
  const { rows } = await pool.query<User>({
    name: 'user_by_id',
    text: 'select id, email from users where id = $1',
    values: [id],
  })
  const [user] = rows
  if (!user) return undefined
  return {
    accountId: user.id,
    claims: async () => ({ sub: user.id, email: user.email, email_verified: true }),
  }
}

/** A first-party application: requested access is granted without asking, once. */
async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { client, session, result } = ctx.oidc
  const grantId = result?.consent?.grantId ?? session!.grantIdFor(client!.clientId)
  if (grantId) return ctx.oidc.provider.Grant.find(grantId)
  const grant = new ctx.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
  grant.addOIDCScope(SCOPE)
  grant.addResourceScope(settings.resource, API_SCOPE)
  await grant.save()
  return grant
}

function configuration(): Configuration {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return {
    adapter: adapterOn(pool),
    clients: [
      {
        client_id: settings.client.id,
        client_secret: settings.client.secret,
        redirect_uris: [settings.redirectUri],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...jwk, kid: 'only', use: 'sig', alg: 'ES256' }] } as never,
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount,
    loadExistingGrant,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    ttl: {
      AuthorizationCode: 60,
      AccessToken: 600,
      ClientCredentials: 600,
      IdToken: 600,
      Interaction: 3_600,
      Session: 86_400,
      RefreshToken: 1_209_600,
      Grant: 7_776_000,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async () => ({
          scope: API_SCOPE,
          audience: settings.client.id,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}

const waiting: (() => void)[] = []
let running = 0

/** Maximum number of concurrent hashes, as in our server. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < HASHES_MAX) running += 1
  else await new Promise<void>((go) => waiting.push(go))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

const FORM = (uid: string) => `<!doctype html><title>Sign in</title>
<form method="post" action="/interaction/${uid}/login"><input name="email"><input name="password" type="password"><button>Sign in</button></form>`

async function showLogin(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response)
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(FORM(uid))
}

async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request))
  const { rows } = await pool.query<User>({
    name: 'user_by_email',
    text: 'select id, password_hash from users where email = $1',
    values: [form.get('email')],
  })
  const [user] = rows
  const right = user && (await inTurn(() => verify(user.password_hash, form.get('password') ?? '')))
  if (!right) return void response.writeHead(401).end()
  await provider.interactionFinished(request, response, { login: { accountId: user.id } })
}

await fill()
const provider = new Provider(settings.issuer, configuration())
const protocol = provider.callback()
const server = createServer((request, response): void => {
  if (!request.url?.startsWith('/interaction/')) return void protocol(request, response)
  const answered = request.method === 'POST' ? login(request, response) : showLogin(request, response)
  answered.catch((error) => response.writeHead(500).end(String(error)))
})
await listenAs(server, settings.port)
process.once('SIGTERM', () => process.exit())
