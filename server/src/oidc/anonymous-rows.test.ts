/** What unknown senders can store in the database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  begin as beginSignIn,
  follow,
  newEmail,
  newOpenSystem,
  OWN,
} from '../../test/support/registration.ts'
import { begin as beginSocial, start } from '../../test/support/social.ts'
import { linkTo, open as openConnections, startConnection } from '../../test/support/sso-sign-in.ts'
import { authUrl, basicAuth, formOf, newBrowser, newPkce, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'

type App = Awaited<ReturnType<typeof start>>['app']

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const group = () => randomBytes(2).toString('hex')
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const from = (ip: string) => ({ always: { 'x-forwarded-for': ip } })
/** Text that the database cannot compress much. */
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length)
/** A random text of characters of three bytes. */
const wideNoise = (length: number) =>
  String.fromCodePoint(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 20_000)))
/** What may be stored at once; as much again refills in a minute, so that no minute has more than 1 MB. */
const AT_ONCE = 500_000

/**
 * The size of all tables with their indexes and long values, in bytes. Of each its main fork: the first
 * vacuum, which comes at any time, adds 32 kB of maps to each. Below 16384 are the catalogs of PostgreSQL.
 */
async function sizeOf(app: App): Promise<number> {
  const found = await app.db
    .select({ size: sql<string>`sum(pg_relation_size(oid, 'main'))` })
    .from(sql`pg_class`)
    .where(
      sql`relkind in ('r', 'i', 't') and oid >= 16384
        and relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace)`,
    )
  return Number(found[0]!.size)
}

/** The size once it stays the same for a second: the start of the server leaves work to the background. */
async function settledSizeOf(app: App): Promise<number> {
  let size = await sizeOf(app)
  for (let tries = 0; tries < 30; tries++) {
    await sleep(1_000)
    const now = await sizeOf(app)
    if (now === size) break
    size = now
  }
  return size
}

const statusesOf = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort()

const REQUESTS: Record<string, (app: App) => Promise<(ip: string) => Promise<{ status: number }>>> = {
  '/auth': async (app) => {
    const system = await app.newSystem()
    const url = authUrl(system, newPkce().challenge, {
      state: noise(4_000),
      login_hint: noise(1_500),
    })
    return (ip) => newBrowser(app.url, from(ip)).get(url)
  },
  '/auth in Chinese': async (app) => {
    const system = await app.newSystem()
    const url = authUrl(system, newPkce().challenge, { state: wideNoise(1_300) })
    return (ip) => newBrowser(app.url, from(ip)).get(url)
  },
  '/social/callback': async (app) => {
    const system = await app.newSystem({ allowSelfRegister: true })
    const visitor = newBrowser(app.url, from(newIp()))
    const { link } = await beginSocial(app, system as Parameters<typeof beginSocial>[1], visitor)
    return async (ip) => {
      const sender = newBrowser(app.url, from(ip))
      for (const [key, cookie] of visitor.jar) sender.jar.set(key, cookie)
      const away = await sender.get(link('one'))
      const state = new URL(away.headers.get('location')!).searchParams.get('state')!
      return sender.get(`/social/one/callback?${new URLSearchParams({ state, code: noise(7_000) })}`)
    }
  },
  'a forgotten password': async (app) => {
    const { system, user } = await app.newMember()
    const visitor = newBrowser(app.url, from(newIp()))
    const login = await beginSignIn(visitor, system as Parameters<typeof beginSignIn>[1])
    const page = await follow(visitor, login, 'forgot-password')
    const { action, hidden } = formOf(page)
    return (ip) => {
      const sender = newBrowser(app.url, from(ip))
      for (const [key, cookie] of visitor.jar) sender.jar.set(key, cookie)
      return sender.post(action, { ...hidden, email: user.email })
    }
  },
  'a registration': async (app) => {
    const system = await newOpenSystem(app)
    const visitor = newBrowser(app.url, from(newIp()))
    const page = await follow(visitor, await beginSignIn(visitor, system), 'register')
    const { action, hidden } = formOf(page)
    return (ip) => {
      const sender = newBrowser(app.url, from(ip))
      for (const [key, cookie] of visitor.jar) sender.jar.set(key, cookie)
      return sender.post(action, { ...hidden, email: newEmail(), password: OWN, name: wideNoise(99) })
    }
  },
  '/request': async (app) => {
    const system = await app.newSystem({ clientType: 'public' })
    const url = authUrl(system, newPkce().challenge, {
      state: noise(4_000),
      login_hint: noise(1_500),
    })
    const body = url.slice(url.indexOf('?') + 1)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (ip) =>
      fetch(`${app.url}/request`, { method: 'POST', headers: { ...headers, 'x-forwarded-for': ip }, body })
  },
  '/device/auth': async (app) => {
    const system = await app.newSystem({ clientType: 'public', allowDeviceFlow: true })
    const body = new URLSearchParams({
      client_id: system.clientId,
      scope: 'openid',
      nonce: noise(2_000),
      login_hint: noise(2_000),
      state: noise(2_000),
    })
    return (ip) =>
      fetch(`${app.url}/device/auth`, { method: 'POST', headers: { 'x-forwarded-for': ip }, body })
  },
  '/device': async (app) => (ip) => newBrowser(app.url, from(ip)).get('/device'),
}

/** Sends for a whole minute, for the table of docs/limits.md; otherwise until the network is refused. */
const IS_MEASURED = process.env.ANONYMOUS_MINUTE === 'true'
/** In ms: of a sender that was refused, in that minute. */
const PAUSE = 100

/** Sends from a network, and asserts how much the database has grown meanwhile. */
async function assertBounded(
  t: TestContext,
  app: App,
  send: (ip: string) => Promise<{ status: number }>,
  newAddress: () => string,
) {
  const [before, begun] = [await settledSizeOf(app), performance.now()]
  const answers: { status: number }[] = []
  // One at a time: PostgreSQL extends a table by many empty pages at once when several sessions wait for it.
  const isOver = (turn: number) =>
    IS_MEASURED
      ? performance.now() - begun >= 60_000
      : turn >= 1_500 || (turn > 0 && answers.at(-1)?.status === 429)
  for (let turn = 0; !isOver(turn); turn++) {
    answers.push(await send(newAddress()))
    if (IS_MEASURED && answers.at(-1)?.status === 429) await sleep(PAUSE)
  }
  const growth = (await sizeOf(app)) - before
  const allowed = AT_ONCE * (1 + (performance.now() - begun) / 60_000)

  t.diagnostic(`${answers.filter(({ status }) => status !== 429).length} stored ${growth} bytes`)
  assert.ok(growth < allowed, `${growth} of ${allowed}`)
  assert.ok(statusesOf(answers).includes(429))
  assert.ok(answers.every(({ status }) => status < 500))
}

for (const [path, prepare] of Object.entries(REQUESTS))
  test(`P41: a minute of anonymous requests to ${path} from a network store less than 1 MB`, async (t) => {
    const { app } = await start(t)
    const [ip, send] = [newIp(), await prepare(app)]

    await assertBounded(t, app, send, () => ip)
    assert.notEqual((await send(newIp())).status, 429, 'another network is not limited')
  })

for (const path of ['/auth', '/social/callback', '/device', '/device/auth'])
  for (const [size, addressIn] of [
    [64, (site: string) => `${site}:1:${group()}:${group()}:${group()}:${group()}`],
    [48, (site: string) => `${site}:${group()}::1`],
  ] as const)
    test(`P41: the addresses of one IPv6 /${size} are one network for ${path}`, async (t) => {
      const { app } = await start(t)
      const site = `2001:${group()}:${group()}`

      await assertBounded(t, app, await REQUESTS[path]!(app), () => addressIn(site))
    })

/** Answers of the provider of an organization that refuse. */
async function refusedAnswers(t: TestContext) {
  const place = await startConnection(t, {}, PROXIED)
  const { app, connection } = place
  const visitor = newBrowser(app.url, from(newIp()))
  const { page } = await openConnections(place, visitor)
  const send = async (ip: string) => {
    const sender = newBrowser(app.url, from(ip))
    for (const [key, cookie] of visitor.jar) sender.jar.set(key, cookie)
    const away = await sender.get(linkTo(page, connection.id))
    const state = new URL(away.headers.get('location')!).searchParams.get('state')!
    const answer = { state, error: 'access_denied', error_description: noise(1_000) }
    return sender.get(`/sso/${connection.id}/callback?${new URLSearchParams(answer)}`)
  }
  return { app, send }
}

test('P41: a minute of answers to /sso/…/callback from a network store less than 1 MB', async (t) => {
  const { app, send } = await refusedAnswers(t)
  const ip = newIp()

  await assertBounded(t, app, send, () => ip)
  assert.notEqual((await send(newIp())).status, 429, 'another network is not limited')
})

test('P41: the addresses of one IPv6 /48 are one network for /sso/…/callback', async (t) => {
  const { app, send } = await refusedAnswers(t)
  const site = `2001:${group()}:${group()}`

  await assertBounded(t, app, send, () => `${site}:${group()}::1`)
})

test('P41: users sign in in known browsers while the budget of their network is used up', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const ip = newIp()
  const { system, user } = await app.newMember({ skipConsent: true })
  const home = newBrowser(app.url, from(ip))
  await app.signIn(system, { email: user.email, visitor: home })
  for (const key of [...home.jar.keys()]) if (!key.startsWith('_known')) home.jar.delete(key)
  const flood = await REQUESTS['/auth']!(app)
  for (let turn = 0; turn < 10; turn++) await Promise.all(Array.from({ length: 25 }, () => flood(ip)))
  const forged = newBrowser(app.url, from(ip))
  const [key, cookie] = [...home.jar].find(([name]) => name.startsWith('_known'))!
  forged.jar.set(key, { ...cookie, value: `${'A'.repeat(22)}${cookie.value.slice(22)}` })

  const many = (browser: () => ReturnType<typeof newBrowser>) =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        browser().get(authUrl(system, newPkce().challenge, { nonce: noise(2_000) })),
      ),
    )
  const unknown = (await many(() => newBrowser(app.url, from(ip)))).filter(({ status }) => status === 429)
  const withForged = (await many(() => forged)).filter(({ status }) => status === 429)
  const again = await app.signIn(system, { email: user.email, visitor: home })
  const elsewhere = await app.signIn(system, {
    email: user.email,
    visitor: newBrowser(app.url, from(newIp())),
  })

  // The budget refills while the requests are sent.
  assert.ok(unknown.length >= 5 && withForged.length >= 5, `${unknown.length} ${withForged.length}`)
  const refused = unknown[0]!
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal(refused.headers.get('location'), null)
  assert.match(refused.headers.get('content-type')!, /^text\/html/)
  for (const { access_token } of [again, elsewhere]) assert.equal((await app.me(access_token)).status, 200)
})

test('a signed-in browser and a client with a secret are not counted', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const ip = newIp()
  const { system, user } = await app.newMember({ skipConsent: true })
  const visitor = newBrowser(app.url, from(ip))
  await app.signIn(system, { email: user.email, visitor })
  const flood = await REQUESTS['/auth']!(app)
  for (let turn = 0; turn < 10; turn++) await Promise.all(Array.from({ length: 25 }, () => flood(ip)))

  const { back } = await app.authorize(system, { email: user.email, visitor })
  const url = authUrl(system, newPkce().challenge)
  const pushed = await fetch(`${app.url}/request`, {
    method: 'POST',
    headers: {
      authorization: basicAuth(system as never),
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': ip,
    },
    body: url.slice(url.indexOf('?') + 1),
  })

  assert.ok(back.code)
  assert.equal(pushed.status, 201)
})

test('P41: a parameter that is too long is refused before anything is stored', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const ask = async (more: Record<string, string>) => {
    const answer = await app.newBrowser().get(authUrl(system, newPkce().challenge, more))
    const location = new URL(answer.headers.get('location') ?? 'x:', app.url)
    return location.searchParams.get('error') ?? location.pathname.split('/')[1]
  }

  assert.deepEqual(
    await Promise.all([
      ask({ state: 's'.repeat(4_096) }),
      ask({ state: 's'.repeat(4_097) }),
      ask({ nonce: 'n'.repeat(2_049) }),
      ask({ login_hint: 'h'.repeat(2_049) }),
      ask({ state: 's'.repeat(4_000), nonce: 'n'.repeat(2_000), login_hint: 'h'.repeat(2_000) }),
    ]),
    ['interaction', 'invalid_request', 'invalid_request', 'invalid_request', 'invalid_request'],
  )
})
