/** Users of the console in tests: sign-in through the pages, and a client of its API. */
import type { AdminClient, Answer } from './http.ts'
import { type Driver, PASSWORD, type TestBrowser } from './testing.ts'

type User = { id: string; email: string }

/** Signs in to the console up to the first page that is not of the password. */
export async function signInToConsole(
  browser: TestBrowser,
  { email }: Pick<User, 'email'>,
  query = '',
): Promise<Answer> {
  const page = await browser.follow(await browser.get(`/console/sign-in${query}`))
  return browser.follow(await browser.submit(page, { email, password: PASSWORD }))
}

/** The headers of a request by a page of the console. */
export const consoleHeaders = (url: string, user: Pick<User, 'id'>, context: string) => ({
  origin: url,
  'sec-fetch-site': 'same-origin',
  accept: 'application/json',
  'tenantry-context': context,
  'tenantry-user': user.id,
})

/** A client of `/console/api`, with the paths of the admin API. */
export function consoleClient(
  url: string,
  browser: TestBrowser,
  user: Pick<User, 'id'>,
  context: string,
): AdminClient {
  const call =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      browser.request(`/console/api${path}`, {
        method,
        headers: {
          ...consoleHeaders(url, user, context),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
  const get = call('GET')
  return {
    token: '',
    get: (path, headers) => get(path, undefined, headers),
    post: call('POST'),
    patch: call('PATCH'),
    put: call('PUT'),
    delete: call('DELETE'),
  }
}

/** An operator who has signed in to the console; of the installation without `systemId`. */
export async function newOperator(
  app: Driver,
  { level = 'admin', systemId = null }: { level?: 'admin' | 'viewer'; systemId?: string | null } = {},
) {
  const user: User = (await app.newUser()) as User
  const { body } = await app.platform.post('/admin/operators', { userId: user.id, level, systemId })
  const browser = app.newBrowser()
  await signInToConsole(browser, user)
  const inContext = (context: string) => consoleClient(app.url, browser, user, context)
  const client = inContext(systemId === null ? 'platform' : `system:${systemId}`)
  return { user, browser, client, inContext, operatorId: String(body.id) }
}

/** The admin of a new account of a system, who has signed in to the console. */
export async function newAccountAdmin(app: Driver, system: { id: string }) {
  const user: User = (await app.newUser()) as User
  const role = await app.newRole(system.id, { isAdmin: true })
  const membership = await app.newMembership({
    userId: user.id,
    systemId: system.id,
    accountName: `Account ${crypto.randomUUID()}`,
    roles: [role.id],
  })
  const browser = app.newBrowser()
  await signInToConsole(browser, user)
  const client = consoleClient(app.url, browser, user, `account:${membership.accountId}`)
  return { user, browser, client, membership, role }
}
