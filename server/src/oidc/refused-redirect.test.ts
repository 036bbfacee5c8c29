/** What the error page of a redirect URI that is not registered shows, and to whom. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAccountAdmin, newOperator } from '../../test/support/console.ts'
import { authUrl, newPkce, startTestApp, type TestBrowser } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type System = Awaited<ReturnType<App['newSystem']>>

const SENT = 'https://app.example/wrong?<b>&x=1'
const REGISTERED = ['https://app.example/cb', 'https://app.example/other']
const PUBLIC = { BASE_URL: 'https://id.example.test' }

/** What the page shows to a browser. */
async function shownTo(browser: TestBrowser, system: System, sent = SENT) {
  const url = authUrl(system as never, newPkce().challenge, { redirect_uri: sent })
  const { status, body } = await browser.get(url)
  const page = String(body)
  return {
    status,
    page,
    sent: page.includes('https://app.example/wrong?&lt;b&gt;&amp;x=1'),
    registered: REGISTERED.every((uri) => page.includes(uri)),
    link: /id="in-console" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&'),
  }
}

test('everyone is shown what was sent; what is registered only an operator who may read the system', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ redirectUris: REGISTERED })
  const [other, platform, own] = [
    await newOperator(app, { systemId: (await app.newSystem()).id }),
    await newOperator(app, { level: 'viewer' }),
    await newOperator(app, { systemId: system.id }),
  ]
  const member = await app.newUser()
  await app.newMembership({ userId: member.id, systemId: system.id })
  const { visitor } = await app.signIn(system, { email: member.email })
  const admin = await newAccountAdmin(app, await app.newSystem({ multiAccount: true }))

  const [anonymous, ...outside] = await Promise.all(
    [app.newBrowser(), visitor, other.browser, admin.browser].map((browser) => shownTo(browser, system)),
  )
  const inside = [await shownTo(platform.browser, system), await shownTo(own.browser, system)]

  for (const { status, sent, registered } of [anonymous!, ...outside])
    assert.deepEqual({ status, sent, registered }, { status: 400, sent: true, registered: false })
  for (const { sent, registered } of inside) assert.deepEqual([sent, registered], [true, true])
  const search = `?${new URLSearchParams({ tab: 'signIn', redirectUris: SENT })}`
  assert.deepEqual(
    inside.map(({ link }) => link),
    [`/console/platform/systems/${system.id}${search}`, `/console/system:${system.id}/settings${search}`],
  )
  await app.platform.delete(`/admin/operators/${own.operatorId}`)
  assert.equal((await shownTo(own.browser, system)).registered, false)
})

test('the link to the console is for everyone only while the issuer is a loopback address', async (t) => {
  const local = await startTestApp(t)
  const elsewhere = await startTestApp(t, PUBLIC)
  const system = await local.newSystem({ redirectUris: REGISTERED })

  const here = await shownTo(local.newBrowser(), system)
  const there = await shownTo(elsewhere.newBrowser(), system)

  assert.match(here.link ?? '', /^\/console\/platform\/systems\//)
  assert.deepEqual([there.status, there.sent, there.registered, there.link], [400, true, false, undefined])
  assert.doesNotMatch(there.page, /console/i)
})

test('an address of a sign-out that is not registered is shown as well', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ postLogoutRedirectUris: REGISTERED })
  const { browser } = await newOperator(app, { systemId: system.id })
  const query = new URLSearchParams({ client_id: system.clientId, post_logout_redirect_uri: SENT })

  const page = String((await browser.get(`/session/end?${query}`)).body)

  assert.match(page, /https:\/\/app\.example\/wrong\?&lt;b&gt;/)
  for (const uri of REGISTERED) assert.ok(page.includes(uri), uri)
  assert.match(
    page,
    new RegExp(`/console/system:${system.id}/settings\\?tab=signIn&amp;postLogoutRedirectUris=`),
  )
})
