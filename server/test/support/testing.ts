/**
 * A running server for tests: one per process and set of settings, all on one database, which is
 * PGlite in memory or the PostgreSQL of DATABASE_URL. Tests use HTTP and are independent
 * by creating their own systems.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createSeal, type Seal } from '../../src/crypto/seal.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { openMetrics } from '../../src/metrics.ts'
import { ensurePlatform } from '../../src/platform.ts'
import { type Answer, adminClient, answerOf, type Body, expectStatus } from './http.ts'
import { freePort } from './postgres.ts'
import {
  type AuditFilter,
  type EventFilter,
  findAuditEntries,
  findEvents,
  queuedEmails,
  type Sent,
} from './records.ts'
import { openTestDatabase, PATIENCE } from './test-database.ts'
import { concurrently } from './waiting.ts'

export { type AdminClient, type Answer, adminClient } from './http.ts'

const ADMIN_CLIENT = { id: 'test-platform', secret: randomBytes(32).toString('base64url') }
/** The password of all test users. */
export const PASSWORD = 'correct horse battery staple'

/** A server, its database, and the service client it was started with. */
type Running = { url: string; db: Db; seal: Seal; client: { id: string; secret: string } }
/** Running servers by their settings, as JSON. */
const running = new Map<string, Promise<Running & { app: FastifyInstance }>>()
let database: Promise<Database> | undefined
const cleanUps: (() => Promise<unknown>)[] = []
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

async function start(settings: Record<string, string>): Promise<Running & { app: FastifyInstance }> {
  const port = Number(settings.PORT) || (await freePort())
  const config = readConfig({
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    ADMIN_CLIENT_ID: ADMIN_CLIENT.id,
    ADMIN_CLIENT_SECRET: ADMIN_CLIENT.secret,
    MAIL_URL: 'smtp://127.0.0.1:1', // no email is sent unless a test sets a server
    ...settings,
  })
  database ??= openTestDatabase(cleanUps)
  const opened = await database
  const seal = createSeal('a key for tests, 32 characters or more')
  await ensurePlatform(opened.db, seal, config)
  const scrape = config.METRICS_ENABLED ? await openMetrics({ config, database: opened }) : undefined
  const app = await buildApp({ config, database: opened, seal, scrape, patience: PATIENCE })
  await app.listen({ port, host: 'localhost' })
  cleanUps.push(async () => {
    const closed = app.close()
    app.server.closeAllConnections() // otherwise it waits for unused connections
    await closed
  })
  const isHere = config.BASE_URL.startsWith('http:')
  return {
    app,
    url: isHere ? config.BASE_URL : `http://localhost:${port}`,
    db: opened.db,
    seal,
    client: ADMIN_CLIENT,
  }
}

/**
 * A minimal HTTP browser: keeps cookies by path and follows redirects on
 * request. `through` is another process.
 */
export function newBrowser(
  url: string,
  { through = url, always = {} }: { through?: string; always?: Record<string, string> } = {},
) {
  const jar = new Map<string, { value: string; path: string }>()
  const keep = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/)
      const name = pair.slice(0, pair.indexOf('='))
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
      const gone = attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute))
      if (gone) jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { value: pair.slice(name.length + 1), path })
    }
  }
  const cookiesFor = (pathname: string) =>
    [...jar]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
  const fetchOnce = async (target: string, init: RequestInit): Promise<Answer> => {
    const { pathname, search } = new URL(target, url)
    const address = new URL(pathname + search, through)
    const response = await fetch(address, {
      redirect: 'manual',
      ...init,
      headers: {
        cookie: cookiesFor(address.pathname),
        accept: 'text/html',
        ...always,
        ...(init.headers as Record<string, string>),
      },
    })
    keep(response)
    return answerOf(response)
  }
  /**
   * The page that shows the outcome of a form is the answer to it, as a person sees it. A form itself is
   * never answered by a page, which a browser could not load again.
   */
  const request = async (target: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetchOnce(target, init)
    if (init.method !== 'POST') return answer
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') && answer.status !== 303
    assert.ok(!isPage, `the form of ${target} is answered by a page`)
    const location = answer.headers.get('location')
    const isShown = location && /[?&]shown=|\/(enrolled|declined|codes|key)$/.test(location)
    const headers = pick(init.headers as Record<string, string>, 'accept-language')
    return isShown && location.startsWith('/') ? get(location, headers) : answer
  }
  const get = (target: string, headers: Record<string, string> = {}) => fetchOnce(target, { headers })
  const post = (
    target: string,
    fields: Record<string, string> | string[][],
    headers: Record<string, string> = {},
  ) => request(target, { method: 'POST', headers, body: new URLSearchParams(fields) })
  /** Follows redirects within the service. Returns the last page, or the redirect that leaves it. */
  const follow = async (answer: Answer): Promise<Answer> => {
    let last = answer
    for (let hops = 0; hops < 20; hops++) {
      const location = last.headers.get('location')
      if (!location || !(location.startsWith('/') || location.startsWith(`${url}/`))) return last
      last = await get(location)
    }
    throw new Error('redirected in a circle')
  }
  /** Submits the form of a page with its hidden fields. */
  const submit = async (page: Answer, fields: Record<string, string> = {}): Promise<Answer> => {
    const { action, hidden } = formOf(page)
    return post(action, { ...hidden, ...fields })
  }
  return { jar, cookiesFor, get, post, request, follow, submit }
}

const pick = (headers: Record<string, string> | undefined, name: string): Record<string, string> =>
  headers?.[name] === undefined ? {} : { [name]: headers[name] }

/** The first form of a page. */
export function formOf({ status, body }: Answer): { action: string; hidden: Record<string, string> } {
  const form = /<form(?! method="get")[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(String(body))
  if (!form) throw new Error(`no form in: ${status} ${String(body).slice(0, 400)}`)
  const fields = form[2]!.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return {
    action: form[1]!.replaceAll('&amp;', '&'),
    hidden: Object.fromEntries([...fields].map(([, name, value]) => [name!, value!])),
  }
}

export type TestBrowser = ReturnType<typeof newBrowser>

export type SystemLike = {
  id: string
  clientId: string
  clientSecret?: string
  redirectUris: string[]
  allowedScopes: string[]
  clientType: string
}

/** RFC 7636: a verifier of 43 characters and its challenge. */
export function newPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The URL of an authorization request. `more` adds, replaces or (if undefined) removes parameters. */
export function authUrl(
  system: SystemLike,
  challenge: string,
  more: Record<string, string | undefined> = {},
): string {
  const parameters = {
    client_id: system.clientId,
    redirect_uri: system.redirectUris[0],
    response_type: 'code',
    scope: system.allowedScopes.join(' '),
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `/auth?${new URLSearchParams(given)}`
}

export const basicAuth = (system: SystemLike) =>
  `Basic ${Buffer.from(`${encodeURIComponent(system.clientId)}:${encodeURIComponent(system.clientSecret ?? '')}`).toString('base64')}`

/** Sends a token request with the client authentication of the system. */
export async function tokenRequest(
  url: string,
  system: SystemLike,
  fields: Record<string, string>,
): Promise<Answer> {
  const isPublic = system.clientType === 'public'
  const headers: Record<string, string> = isPublic ? {} : { authorization: basicAuth(system) }
  const body = new URLSearchParams(isPublic ? { client_id: system.clientId, ...fields } : fields)
  return answerOf(await fetch(`${url}/token`, { method: 'POST', headers, body }))
}

export type SignIn = {
  email: string
  password?: string
  account?: string
  parameters?: Record<string, string | undefined>
  visitor?: TestBrowser
}

/**
 * A sign-in through the pages up to the redirect to the application: password, account selection (by account
 * id), consent. Returns the parameters of that redirect.
 */
export async function authorizeAt(
  url: string,
  system: SystemLike,
  { email, password = PASSWORD, account, parameters = {}, visitor = newBrowser(url) }: SignIn,
) {
  const pkce = newPkce()
  let page = await visitor.follow(await visitor.get(authUrl(system, pkce.challenge, parameters)))
  for (let steps = 0; steps < 6 && page.status === 200; steps++) {
    const body = String(page.body)
    const fields: Record<string, string> = body.includes('name="password"') ? { email, password } : {}
    if (body.includes('name="accountId"'))
      fields.accountId = account ?? /name="accountId" value="([^"]+)"/.exec(body)?.[1] ?? ''
    page = await visitor.follow(await visitor.submit(page, fields))
  }
  const location = page.headers.get('location')
  const back = location ? Object.fromEntries(new URL(location).searchParams) : {}
  return { visitor, pkce, page, back: back as Record<string, string> }
}

type Authorized = Awaited<ReturnType<typeof authorizeAt>>
export type Tokens = {
  access_token: string
  refresh_token?: string
  id_token: string
  scope: string
  expires_in: number
}

/** The token request for the code of a sign-in. */
export const codeFields = (system: SystemLike, { back, pkce }: Pick<Authorized, 'back' | 'pkce'>) => ({
  grant_type: 'authorization_code',
  code: back.code ?? '',
  redirect_uri: system.redirectUris[0] ?? '',
  code_verifier: pkce.verifier,
})

/** Signs in and redeems the code. Throws if the application got no code. */
export async function signInTo(
  url: string,
  system: SystemLike,
  how: SignIn,
): Promise<Tokens & { visitor: TestBrowser }> {
  const { visitor, pkce, page, back } = await authorizeAt(url, system, how)
  if (!back.code)
    throw new Error(`no code: ${page.status} ${JSON.stringify(back)} ${String(page.body).slice(0, 300)}`)
  const answer = await tokenRequest(url, system, codeFields(system, { back, pkce }))
  return { visitor, ...(expectStatus(answer, 200).body as Tokens) }
}

export async function startTestApp(_t: TestContext, settings: Record<string, string> = {}) {
  const key = JSON.stringify(settings)
  const started = running.get(key) ?? start(settings)
  running.set(key, started)
  const { app, ...server } = await started
  return { app, ...(await drive(server)) }
}

/**
 * The operations of tests on a running server. `emailsTo` returns the emails to an address, oldest first; by
 * default those queued in the database.
 */
export async function drive(
  { url, db, seal, client }: Running,
  emailsTo: (recipient: string) => Promise<Sent[]> = (recipient) => queuedEmails(db, seal, recipient),
) {
  const platform = adminClient(url, await serviceToken(url, client.id, client.secret))
  const unique = () => randomBytes(6).toString('hex')

  /** Creates what a test starts with, often many at once: on a busy machine some wait too long (503). */
  const create = async (path: string, fields: object): Promise<Body> =>
    expectStatus((await concurrently(1, () => platform.post(path, fields)))[0]!, 201).body
  const newSystem = (fields: object = {}) =>
    create('/admin/systems', {
      name: `System ${unique()}`,
      redirectUris: ['https://app.example/cb'],
      allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
      ...fields,
    })
  const newUser = (fields: object = {}) =>
    create('/admin/users', { email: `user-${unique()}@example.test`, password: PASSWORD, ...fields })
  const newMembership = (fields: object) => create('/admin/memberships', fields)
  const newRole = (systemId: string, fields: object = {}) =>
    create(`/admin/systems/${systemId}/roles`, { name: `role-${unique()}`, ...fields })

  /** A system with one member. */
  const newMember = async (fields: object = {}) => {
    const [system, user] = [await newSystem(fields), await newUser()]
    const membership = await newMembership({ userId: user.id, systemId: system.id })
    return { system, user, membership }
  }

  return {
    url,
    db,
    seal,
    platform,
    as: (token: string) => adminClient(url, token),
    serviceOf: async (system: SystemLike) =>
      adminClient(url, await serviceToken(url, system.clientId, system.clientSecret ?? '')),
    newSystem,
    newUser,
    newMembership,
    newRole,
    newMember,
    newBrowser: () => newBrowser(url),
    authorize: (system: SystemLike, how: SignIn) => authorizeAt(url, system, how),
    signIn: (system: SystemLike, how: SignIn) => signInTo(url, system, how),
    token: (system: SystemLike, fields: Record<string, string>) => tokenRequest(url, system, fields),
    refresh: (system: SystemLike, refreshToken: string, fields: Record<string, string> = {}) =>
      tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields }),
    me: (accessToken: string) => adminClient(url, accessToken).get('/me'),
    emailsTo,
    /** Sends a link to a user by an admin operation, and reads it from the email. */
    mailedLink: async (
      action: 'send-password-reset' | 'resend-verification',
      user: { id: string; email: string },
    ) => {
      expectStatus(await platform.post(`/admin/users/${user.id}/${action}`), 202)
      const link = /https?:\S+/.exec((await emailsTo(user.email)).at(-1)!.text)![0]
      return { link, token: new URL(link).searchParams.get('token')! }
    },
    audited: (by: AuditFilter) => findAuditEntries(db, by),
    findEvents: (by: EventFilter) => findEvents(db, by),
  }
}

export type Driver = Awaited<ReturnType<typeof drive>>

/** Requests a service token by client credentials. */
export async function serviceToken(url: string, clientId: string, clientSecret: string): Promise<string> {
  const answer = await tokenRequest(
    url,
    { id: '', clientId, clientSecret, redirectUris: [], allowedScopes: [], clientType: 'confidential' },
    { grant_type: 'client_credentials' },
  )
  return expectStatus(answer, 200).body.access_token
}
