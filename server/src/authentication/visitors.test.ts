/** The slots of pages: a browser or a network with many requests leaves time to the others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { authUrl, newBrowser, newPkce, startTestApp, type TestBrowser } from '../../test/support/testing.ts'
import type { Config } from '../config/config.ts'
import type { Sender } from './attempts.ts'
import { rememberDevice } from './known-devices.ts'

const MANY = 100

/** Two browsers in which a member has signed in, each with an open sign-in that asks for the account. */
async function given(t: TestContext) {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1', CONSOLE: 'true' })
  const { system, user, membership } = await app.newMember({ skipConsent: true, multiAccount: true })
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Another' })
  const opened = async () => {
    const { visitor } = await app.signIn(system, { email: user.email, account: membership.accountId })
    const asked = { prompt: 'select_account' }
    const to = (await visitor.get(authUrl(system, newPkce().challenge, asked))).headers.get('location') ?? ''
    return { visitor, uid: to.split('/').at(-1)! }
  }
  return { app, user, busy: await opened(), quiet: await opened() }
}

/** The place of the answer to one request of the quiet browser among those of the busy one. */
async function placeOf(busy: () => Promise<unknown>, quiet: () => Promise<unknown>): Promise<number> {
  let answered = 0
  const counted = async (send: () => Promise<unknown>) => {
    await send()
    answered += 1
    return answered
  }
  const all = Array.from({ length: MANY }, () => counted(busy))
  const place = await counted(quiet)
  await Promise.all(all)
  return place
}

const PAGES: Record<string, (uid: string) => string> = {
  'the page of a sign-in': (uid) => `/interaction/${uid}`,
  'the search for an account': (uid) => `/interaction/${uid}?search=a`,
  'a sign-in that continues': (uid) => `/auth/${uid}`,
  'a page of the user': () => '/account/sessions',
  'the page of a device': () => '/device',
  'the end of a session': () => '/session/end',
  'the contexts of the console': () => '/console/api/contexts?search=',
  'a link of an email': () => '/reset-password?token=x',
}

for (const [what, pathOf] of Object.entries(PAGES))
  test(`P54: of many requests of one browser for ${what} most wait for one of another browser`, async (t) => {
    const { busy, quiet } = await given(t)
    const get = ({ visitor, uid }: typeof busy) => visitor.get(pathOf(uid))

    const place = await placeOf(
      () => get(busy),
      () => get(quiet),
    )

    assert.ok(place < MANY / 2, `answered as number ${place}`)
  })

/** Makes a browser known for a user, as a sign-in does. */
function known({ app, user }: Pick<Awaited<ReturnType<typeof given>>, 'app' | 'user'>, ip: string) {
  const browser = newBrowser(app.url, { always: { 'x-forwarded-for': ip } })
  const config = { BASE_URL: app.url } as Config
  const keep = (name: string, value: string) => browser.jar.set(`${name} /`, { value, path: '/' })
  const cookies = { setCookie: keep }
  rememberDevice({ seal: app.seal, config }, { cookies: {} } as Sender, cookies, {
    id: user.id,
    password: null,
  })
  return browser
}

test('P54: many known browsers of one network leave slots to a known browser of another', async (t) => {
  const { app, user } = await given(t)
  const crowd = Array.from({ length: MANY }, () => known({ app, user }, '203.0.113.7'))
  const other = known({ app, user }, '198.51.100.9')

  for (const path of ['/device', `/reset-password?token=${'x'.repeat(43)}`]) {
    const place = await placeOf(
      () => crowd.pop()!.get(path),
      () => other.get(path),
    )
    crowd.push(...Array.from({ length: MANY }, () => known({ app, user }, '203.0.113.7')))

    assert.ok(place < MANY / 2, `${path} was answered as number ${place}`)
  }
})

test('P54: the networks of one IPv6 /48 have the share of one network', async (t) => {
  const { app } = await given(t)
  const from = (ip: string) => newBrowser(app.url, { always: { 'x-forwarded-for': ip } })
  const random = () => randomBytes(2).toString('hex')

  const place = await placeOf(
    () => from(`2001:db8:7:${random()}::1`).get('/device'),
    () => from('2001:db8:8:1::1').get('/device'),
  )

  assert.ok(place < MANY / 2, `answered as number ${place}`)
})

test('P54: known browsers have slots while requests come from any number of networks', async (t) => {
  const { app, quiet } = await given(t)
  const stranger = (): TestBrowser =>
    newBrowser(app.url, { always: { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` } })

  const place = await placeOf(
    () => stranger().get('/device'),
    () => quiet.visitor.get('/device'), // of the same cost: while a longer one is answered, more others are
  )

  assert.ok(place < MANY / 2, `answered as number ${place}`)
})
