/** Sign-ins through two external providers. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { OTHER_CLIENT, type OtherProvider, startOtherProvider, visitOther } from './other-provider.ts'
import { freePort } from './postgres.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  type Driver,
  newPkce,
  startTestApp,
  type TestBrowser,
} from './testing.ts'

type App = Driver
type System = Parameters<typeof authUrl>[0] & { id: string; name: string }

/** Settings of a server with two external providers that assigned the same client id. */
let prepared: Promise<{ settings: Record<string, string>; ports: [number, number] }> | undefined
let providers: Promise<[OtherProvider, OtherProvider]> | undefined

async function prepare() {
  const ports: [number, number] = [await freePort(), await freePort()]
  const group = (id: string, port: number) => ({
    [`SOCIAL_${id}_ISSUER`]: `http://localhost:${port}`,
    [`SOCIAL_${id}_CLIENT_ID`]: OTHER_CLIENT.id,
    [`SOCIAL_${id}_CLIENT_SECRET`]: OTHER_CLIENT.secret,
    [`SOCIAL_${id}_TRUSTED_DOMAINS`]: 'other.test, example.test',
  })
  const settings = {
    ...group('ONE', ports[0]),
    ...group('TWO', ports[1]),
    SOCIAL_ONE_NAME: 'One & Only',
    SOCIAL_ALLOW_PRIVATE: 'true',
    TRUST_PROXY: '127.0.0.1,::1',
  }
  return { settings, ports }
}

export async function socialSettings() {
  prepared ??= prepare()
  return (await prepared).settings
}

export async function start(t: TestContext) {
  prepared ??= prepare()
  const { settings, ports } = await prepared
  const app = await startTestApp(t, settings)
  const callback = (id: string) => `${app.url}/social/${id}/callback`
  providers ??= Promise.all([
    startOtherProvider(ports[0], callback('one')),
    startOtherProvider(ports[1], callback('two')),
  ])
  const [one, two] = await providers
  return { app, one, two }
}

export const unique = () => Math.random().toString(36).slice(2)
export const addressOf = (name = 'user') => `${name}-${unique()}@other.test`

/** A started sign-in to a system. */
export async function begin(app: App, system: System, visitor: TestBrowser = app.newBrowser()) {
  const pkce = newPkce()
  const page = await visitor.follow(await visitor.get(authUrl(system, pkce.challenge)))
  const link = (id: string) =>
    new RegExp(`href="(/social/${id}/login\\?uid=[\\w-]+)"`).exec(String(page.body))?.[1] ?? ''
  return { visitor, pkce, page, link, uid: new URLSearchParams(link('one').split('?')[1]).get('uid') ?? '' }
}
type Begun = Awaited<ReturnType<typeof begin>>

/** Signs in at the provider and follows the redirects back. */
export async function through({ visitor, link }: Begun, other: OtherProvider, id = 'one'): Promise<Answer> {
  const away = await visitor.get(link(id))
  return visitor.follow(await visitor.get(await visitOther(other, away.headers.get('location'))))
}

/** Joins and consents. */
export async function rest(visitor: TestBrowser, page: Answer): Promise<Record<string, string>> {
  let last = page
  for (let steps = 0; steps < 4 && last.status === 200 && /id="submit"/.test(String(last.body)); steps++)
    last = await visitor.follow(await visitor.submit(last, { accountName: 'Harbour' }))
  const location = last.headers.get('location')
  return location
    ? Object.fromEntries(new URL(location).searchParams)
    : { page: String(last.body).slice(0, 3_000) }
}

export async function tokensOf(app: App, system: System, { pkce }: Begun, back: Record<string, string>) {
  const answer = await app.token(system, codeFields(system, { back, pkce }))
  assert.equal(answer.status, 200, JSON.stringify([answer.body, back]))
  return { claims: decodeJwt(answer.body.id_token), ...answer.body } as {
    claims: Record<string, unknown>
    access_token: string
    refresh_token: string
  }
}

export const findByEmail = async (app: App, email: string) =>
  (await app.platform.get(`/admin/users?email=${encodeURIComponent(email)}`)).body.data[0]
