/** The measured paths: for each the preparation of a worker and the operation that it repeats. */
import { createHash, randomBytes } from 'node:crypto'
import { type Answer, type Browser, openBrowser } from './browser.ts'

/** `ours`; `provider`: oidc-provider alone; `bare`: node:http and a signature. */
export type Kind = 'ours' | 'provider' | 'bare'

type Client = { id: string; secret: string }

/** A server, with the data that a driver needs. */
export type Target = {
  kind: Kind
  origin: string
  issuer: string
  client: Client
  redirectUri: string
  scope: string
  /** The resource indicator to request a JWT access token. */
  resource?: string
  emails: string[]
  password: string
  admin?: { client: Client; userIds: string[]; systemIds: string[]; pages: number }
}

type Operation = () => Promise<unknown>
type Worker = { target: Target; number: number; workers: number; browser: Browser }
export type Path = { title: string; of: Kind[]; prepare(worker: Worker): Promise<Operation> }

function expect(answer: Answer, status: number, what: string): Answer {
  if (answer.status === status) return answer
  throw new Error(
    `${what}: ${answer.status} instead of ${status}: ${answer.headers.location ?? ''} ${answer.body.slice(0, 300)}`,
  )
}

const basic = (client: Client) => ({
  authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const resourceOf = ({ resource }: Target): Record<string, string> =>
  resource === undefined ? {} : { resource }

type Tokens = { access_token: string; refresh_token: string }

async function token(
  { target, browser }: Worker,
  fields: Record<string, string>,
  client = target.client,
): Promise<Tokens> {
  return JSON.parse(expect(await browser.post('/token', fields, basic(client)), 200, 'POST /token').body)
}

/** The Authorization header with a token of the platform's service client. */
const asAdmin = async (worker: Worker) =>
  bearer(
    (await token(worker, { grant_type: 'client_credentials' }, worker.target.admin!.client)).access_token,
  )

/** A started authorization flow: its PKCE verifier, and the response with the current page. */
type Flow = { verifier: string; answer: Answer }

/** Follows redirects within the server. */
async function follow({ target: { issuer }, browser }: Worker, first: Answer): Promise<Answer> {
  let answer = first
  for (let hop = 0; hop < 10; hop += 1) {
    const location = String(answer.headers.location ?? '')
    if (location.startsWith(issuer)) answer = await browser.open(location.slice(issuer.length))
    else if (location.startsWith('/')) answer = await browser.open(location)
    else return answer
  }
  throw new Error('redirected in a circle')
}

async function begin(worker: Worker): Promise<Flow> {
  const { target } = worker
  const verifier = randomBytes(32).toString('base64url')
  const parameters = new URLSearchParams({
    client_id: target.client.id,
    redirect_uri: target.redirectUri,
    response_type: 'code',
    scope: target.scope,
    state: 'state',
    nonce: 'nonce',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...resourceOf(target),
  })
  return { verifier, answer: await follow(worker, await worker.browser.open(`/auth?${parameters}`)) }
}

async function finish(
  worker: Worker,
  { verifier, answer }: Flow,
  more = resourceOf(worker.target),
): Promise<Tokens> {
  const { target } = worker
  const location = String(answer.headers.location ?? '')
  const code = /[?&]code=([^&]+)/.exec(location)?.[1]
  if (!code || !location.startsWith(target.redirectUri))
    throw new Error(`no code: ${answer.status} ${location} ${answer.body.slice(0, 300)}`)
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: target.redirectUri,
    code_verifier: verifier,
    ...more,
  }
  return token(worker, fields)
}

/** Submits the form of the login page. */
async function logIn(worker: Worker, { verifier, answer }: Flow): Promise<Flow> {
  const { target, number, browser } = worker
  const [, action = '', form = ''] =
    /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(answer.body) ?? []
  if (!form.includes('name="password"'))
    throw new Error(`no login form: ${answer.status} ${answer.body.slice(0, 300)}`)
  const fields = new URLSearchParams()
  for (const [, name, value] of form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    fields.append(name!, value!)
  fields.set('email', target.emails[number]!)
  fields.set('password', target.password)
  const path = action.replaceAll('&amp;', '&').replace(target.issuer, '')
  return { verifier, answer: await follow(worker, await browser.submit(path, fields)) }
}

/** A complete sign-in with a password. */
const signIn = async (worker: Worker, more?: Record<string, string>): Promise<Tokens> =>
  finish(worker, await logIn(worker, await begin(worker)), more)

export const PATHS: Record<string, Path> = {
  cc: {
    title: 'client credentials',
    of: ['ours', 'provider', 'bare'],
    prepare: async (worker) => {
      const fields = { grant_type: 'client_credentials', ...resourceOf(worker.target) }
      const headers = basic(worker.target.client)
      return async () => expect(await worker.browser.post('/token', fields, headers), 200, 'POST /token')
    },
  },
  refresh: {
    title: 'refresh, rotating',
    of: ['ours', 'provider'],
    prepare: async (worker) => {
      let { refresh_token } = await signIn(worker)
      return async () => {
        const fields = { grant_type: 'refresh_token', refresh_token, ...resourceOf(worker.target) }
        const given = await token(worker, fields)
        if (given.refresh_token === refresh_token) throw new Error('the refresh token was not rotated')
        refresh_token = given.refresh_token
      }
    },
  },
  sso: {
    title: 'code + PKCE, signed in',
    of: ['ours', 'provider'],
    prepare: async (worker) => {
      await signIn(worker)
      return async () => finish(worker, await begin(worker))
    },
  },
  password: {
    title: 'code + PKCE, password',
    of: ['ours', 'provider'],
    prepare: async (worker) => {
      await signIn(worker)
      return async () => {
        worker.browser.forgetSession()
        await signIn(worker)
      }
    },
  },
  me: {
    title: '/me',
    of: ['ours', 'provider'],
    prepare: async (worker) => {
      // oidc-provider accepts only a token without a resource here.
      const { access_token } = await signIn(worker, {})
      const headers = bearer(access_token)
      return async () => expect(await worker.browser.get('/me', headers), 200, 'GET /me')
    },
  },
  jwks: {
    title: '/jwks',
    of: ['ours', 'provider', 'bare'],
    prepare: async (worker) => async () => expect(await worker.browser.get('/jwks'), 200, 'GET /jwks'),
  },
  list: {
    title: 'admin: 100 of 10,000 users',
    of: ['ours'],
    prepare: async (worker) => {
      const { target, number, browser } = worker
      const { pages } = target.admin!
      const headers = await asAdmin(worker)
      let page = number
      return async () => {
        page += 1
        return expect(
          await browser.get(`/admin/users?pageSize=100&page=${1 + (page % pages)}`, headers),
          200,
          'GET /admin/users',
        )
      }
    },
  },
  create: {
    title: 'admin: create membership',
    of: ['ours'],
    prepare: async (worker) => {
      const { target, number, workers, browser } = worker
      const headers = await asAdmin(worker)
      const { userIds, systemIds } = target.admin!
      let next = number
      return async () => {
        const [userId, systemId] = [
          userIds[next % userIds.length],
          systemIds[Math.floor(next / userIds.length)],
        ]
        next += workers
        if (systemId === undefined)
          throw new Error('every user has a membership in every system: use more users or a shorter run')
        expect(
          await browser.postJson('/admin/memberships', { userId, systemId }, headers),
          201,
          'POST /admin/memberships',
        )
      }
    },
  },
}

/** Opens the connections and prepares every worker. */
export async function prepare(
  target: Target,
  name: string,
  workers: number,
): Promise<{ operations: Operation[]; close(): void }> {
  const all = Array.from(
    { length: workers },
    (_, number): Worker => ({ target, number, workers, browser: openBrowser(target, number) }),
  )
  const operations: Operation[] = []
  for (const worker of all) operations.push(await PATHS[name]!.prepare(worker))
  return { operations, close: () => all.forEach(({ browser }) => void browser.close()) }
}
