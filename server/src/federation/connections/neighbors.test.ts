/** What the connection of one organization costs the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../../test/support/http.ts'
import { moveLimit } from '../../../test/support/limit-clock.ts'
import { visitOther } from '../../../test/support/other-provider.ts'
import {
  goThrough,
  linkTo,
  open,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { newBrowser } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { limitOf } from '../../http/limits/guard.ts'
import { reserve } from '../../http/limits/queries.ts'
import { MEMBERS_ADDED } from '../../lifecycle/sign-in-by-connection.ts'

test('P153: an organization that has added 5,000 members by its connections adds no more for now, and others do', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, accountId, person, join, connect, verify, attempts } = place
  await tokensOf(place, await signInAs(place, person('ana')))
  const limit = limitOf(app.seal, 'members-by-connection', MEMBERS_ADDED, accountId)
  let added = 1
  while (await reserve(app.db, limit)) added += 1
  await moveLimit(app, limit, 600) // otherwise one more is added every 6 s
  const neighbor = await join()
  await verify(neighbor.accountId)
  const theirs = await connect(neighbor, { jit: true })

  const refused = await signInAs(place, person('bob'))
  const known = await signInAs(place, person('ana'))
  const browser = app.newBrowser()
  theirs.other.claims = person('bob')
  const { page } = await open({ ...place, accountId: neighbor.accountId }, browser)
  const end = await goThrough(browser, page, theirs.id, theirs.other)

  // Some come back while the loop runs: one in 6 seconds.
  assert.ok(added >= 5_000 && added < 5_100, String(added))
  assert.deepEqual([refused.end.status, refused.end.headers.get('retry-after')], [503, '60'])
  assert.ok(known.back.code)
  assert.ok(new URL(end.headers.get('location') ?? 'about:blank').searchParams.get('code'), String(end.body))
  assert.deepEqual(await attempts(), [
    ['signed_in', null],
    ['signed_in', null],
  ])
})

test('P153: a provider that does not answer for 15 s holds no connection to the database, and the person gets a page', async (t) => {
  const place = await startConnection(t, { jit: true }, { DATABASE_POOL: '3' })
  const { app, other, person, connection, system, user, attempts } = place
  other.claims = person('ana')
  let asked = 0
  other.forge = async (idToken) => {
    asked += 1
    await sleep(16_000)
    return idToken
  }
  const browsers = Array.from({ length: 4 }, () => app.newBrowser())
  const returned: string[] = []
  for (const browser of browsers) {
    const { page } = await open(place, browser)
    const away = await browser.get(linkTo(page, connection.id))
    returned.push(await visitOther(other, away.headers.get('location')))
  }
  const waiting = browsers.map((browser, at) => browser.get(returned[at]!))
  await t.waitFor(() => assert.equal(asked, 4), SOON)
  let isWaiting = true
  void Promise.race(waiting).then(() => {
    isWaiting = false
  })

  const { access_token: token } = await app.signIn(system as never, { email: user.email })
  const read = await Promise.all(Array.from({ length: 12 }, () => app.me(token)))
  const stillWaiting = isWaiting
  const pages = await Promise.all(waiting)

  assert.ok(stillWaiting, 'everything else was answered before the provider')
  for (const { status } of read) assert.equal(status, 200)
  for (const { status, body } of pages) {
    assert.equal(status, 503)
    assert.match(String(body), /id="again"[\s\S]*id="other"/)
  }
  assert.deepEqual((await attempts())[0], ['refused', 'provider_unavailable'])
  expectStatus(await place.admin.get(connection.path), 200)
})

test('P153: invented codes from one network leave the calls of a connection to people of others', async (t) => {
  const place = await startConnection(t, { jit: true }, { TRUST_PROXY: '127.0.0.1, ::1' })
  const { app, connection, other, person } = place
  const from = (ip: string) => newBrowser(app.url, { always: { 'x-forwarded-for': ip } })
  const stranger = from('198.51.100.9')
  const { page } = await open(place, stranger)
  const statuses: number[] = []
  for (let nth = 0; nth < 60; nth++) {
    const away = new URL((await stranger.get(linkTo(page, connection.id))).headers.get('location')!)
    const query = new URLSearchParams({
      code: `c${nth}`,
      state: away.searchParams.get('state')!,
      iss: other.url,
    })
    statuses.push((await stranger.get(`/sso/${connection.id}/callback?${query}`)).status)
  }

  const own = await signInAs(place, person('ana'), from('198.51.100.9'))
  const theirs = await signInAs(place, person('bob'), from('203.0.113.8'))

  assert.deepEqual([own.end.status, own.back.code], [503, undefined])
  assert.ok(theirs.back.code, String(theirs.end.body))
  assert.deepEqual([statuses[0], statuses.at(-1)], [400, 503])
})

test('P153: people of one network who sign in at the same time are not counted as failed', async (t) => {
  const place = await startConnection(t, { jit: true }, { TRUST_PROXY: '127.0.0.1, ::1' })
  const { app, connection, other, person } = place
  const returning = async (name: string) => {
    const browser = newBrowser(app.url, { always: { 'x-forwarded-for': '198.51.100.10' } })
    other.claims = person(name)
    const { page } = await open(place, browser)
    const away = await browser.get(linkTo(page, connection.id))
    const back = await visitOther(other, away.headers.get('location'))
    return () => browser.get(back)
  }
  const statuses: number[] = []
  for (let round = 0; round < 6; round++) {
    const answers: (() => Promise<{ status: number }>)[] = []
    for (let nth = 0; nth < 5; nth++) answers.push(await returning(`p${round}-${nth}`))
    for (const { status } of await Promise.all(answers.map((answer) => answer()))) statuses.push(status)
  }

  assert.deepEqual(statuses, Array(30).fill(303))
})
