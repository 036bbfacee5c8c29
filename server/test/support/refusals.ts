/** A server with its log of refused requests. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from './postgres.ts'
import { startServer } from './servers.ts'
import { adminClient, authUrl, newBrowser, newPkce, PASSWORD, serviceToken } from './testing.ts'
import { SOON } from './waiting.ts'

const CLIENT = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }

export type RefusalLine = {
  level: number
  reqId: string
  kind: string
  reason: string
  status: number
  route: string
  method: string
  systemId?: string
  clientId?: string
  fault?: { code?: string; message: string }
}

export async function startWithRefusals(t: TestContext, env: Record<string, string> = {}) {
  const { DATABASE_URL } = process.env
  const database = DATABASE_URL ? await createDatabase(DATABASE_URL) : undefined
  const server = await startServer({
    env: {
      LOG_LEVEL: 'info',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      MAIL_URL: 'smtp://127.0.0.1:1',
      ...(database && { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, 32 characters or more' }),
      ...env,
    },
  })
  t.after(async () => {
    await server.close()
    await database?.drop()
  })
  const { url } = server
  const platform = adminClient(url, await serviceToken(url, CLIENT.id, CLIENT.secret))
  const system = (
    await platform.post('/admin/systems', {
      name: 'Shop',
      redirectUris: ['https://app.example/cb'],
      allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
      allowClientCredentials: true,
      skipConsent: true,
    })
  ).body
  const newUser = async (fields: object = {}) =>
    (
      await platform.post('/admin/users', {
        email: `${crypto.randomUUID()}@example.test`,
        password: PASSWORD,
        ...fields,
      })
    ).body
  const join = async (user: { id: string }, fields: object = {}) =>
    (await platform.post('/admin/memberships', { userId: user.id, systemId: system.id, ...fields })).body
  const newMember = async (fields: object = {}) => {
    const user = await newUser(fields)
    return { user, membership: await join(user) }
  }
  const refusals = (from = 0) => {
    const lines = server.output().slice(from).split('\n').slice(0, -1)
    return lines.filter((each) => each.includes('"msg":"request refused"')).map((each) => JSON.parse(each))
  }
  /** The lines of what `work` sends; waits until one is there, and for more of them. */
  const linesOf = async (work: () => Promise<unknown>): Promise<RefusalLine[]> => {
    const before = server.output().length
    await work()
    await t.waitFor(() => assert.ok(refusals(before).length > 0, 'no line'), SOON)
    await sleep(20)
    return refusals(before)
  }
  return { ...server, database, platform, system, newUser, newMember, join, linesOf, refusals }
}

type RefusingServer = Awaited<ReturnType<typeof startWithRefusals>>

/** The page of the login step. */
export async function loginPage(
  { url, system }: RefusingServer,
  parameters: Record<string, string | undefined> = {},
) {
  const visitor = newBrowser(url)
  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge, parameters)))
  return { visitor, page }
}

/** Submits a password once, and follows the redirects. */
export async function logIn(server: RefusingServer, email: string, password: string = PASSWORD) {
  const { visitor, page } = await loginPage(server)
  return visitor.follow(await visitor.submit(page, { email, password }))
}
