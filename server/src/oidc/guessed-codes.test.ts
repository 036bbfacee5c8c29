/** Rate limits of user codes (RFC 8628 section 5.1). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, basicAuth, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const WRONG = 'BBBB-BBBB'

const headingOf = (page: Answer) =>
  /<h1[^>]*>(.*?)<\/h1>/s.exec(String(page.body))?.[1]?.replace(/<[^>]+>/g, '')

/** A user code of a device of a new system. */
async function newCode(app: App): Promise<string> {
  const response = await fetch(`${app.url}/device/auth`, {
    method: 'POST',
    headers: { authorization: basicAuth(await app.newSystem({ allowDeviceFlow: true })) },
    body: new URLSearchParams({ scope: 'openid' }),
  })
  return (await response.json()).user_code
}

/** Enters a user code from a client address. */
async function enterFrom(app: App, ip: string, code: string, accept = 'text/html'): Promise<Answer> {
  const browser = app.newBrowser()
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(String((await browser.get('/device')).body))![1]!
  return browser.post('/device', { xsrf, user_code: code }, { 'x-forwarded-for': ip, accept })
}

test('one network may enter ten wrong user codes, then one per minute', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const ip = newIp()
  const code = await newCode(app)

  for (let times = 0; times < 12; times++)
    assert.match(headingOf(await enterFrom(app, ip, code))!, /on your device\?$/)
  const wrong = await Promise.all(Array.from({ length: 20 }, () => enterFrom(app, ip, WRONG)))
  const [page, json] = [await enterFrom(app, ip, code), await enterFrom(app, ip, WRONG, 'application/json')]
  const elsewhere = await enterFrom(app, newIp(), code)
  await app.db.update(limits).set({ expire: sql`${limits.expire} - 60000` })
  const later = [await enterFrom(app, ip, WRONG), await enterFrom(app, ip, WRONG)]

  const refused = wrong.filter(({ status }) => status === 429)
  assert.equal(refused.length, 10)
  assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) <= 60))
  assert.match(String(page.body), /Too many incorrect codes/)
  assert.deepEqual([page.status, json.status, json.body.error], [429, 429, 'slow'])
  assert.match(headingOf(elsewhere)!, /on your device\?$/)
  assert.deepEqual(
    later.map(({ status }) => status),
    [200, 429],
  )
})

test('all networks together may enter 1,000 wrong user codes, then one per second', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const code = await newCode(app)
  await enterFrom(app, newIp(), WRONG)
  const ofAll = sql`${limits.key} like 'device-all:%'`
  t.after(() => app.db.delete(limits).where(ofAll))
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} + 1000000` })
    .where(ofAll)

  const refused = await enterFrom(app, newIp(), code)
  await app.db
    .update(limits)
    .set({ expire: sql`${limits.expire} - 10000` })
    .where(ofAll)
  const later = await enterFrom(app, newIp(), code)

  assert.equal(refused.status, 429)
  assert.match(headingOf(later)!, /on your device\?$/)
})
