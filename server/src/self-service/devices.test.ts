/** The browsers in which a user is signed in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInToAccount, text } from '../../test/support/organizations.ts'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** A user who is signed in to two applications in one browser, and to one of them in another. */
async function newUser(app: App) {
  const { system: orders, user } = await app.newMember({ skipConsent: true })
  const ledger = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: ledger.id })
  const { email } = user
  const inOrders = await app.signIn(orders, { email })
  const { visitor } = inOrders
  const inLedger = await app.signIn(ledger, { email, visitor })
  const elsewhere = await app.signIn(orders, { email })
  const statuses = async () =>
    (await Promise.all([inOrders, inLedger, elsewhere].map((each) => app.me(each.access_token)))).map(
      ({ status }) => status,
    )
  return { orders, ledger, user, visitor, statuses }
}

/** The buttons of the rows, and what each row says. */
const rowsOf = (page: string) =>
  [...page.matchAll(/<li>[\s\S]*?<\/li>/g)]
    .map(([row]) => ({
      value: /name="browser" value="([^"]+)"/.exec(row)?.[1],
      shown: row.replace(/<[^>]+>/g, ' '),
    }))
    .filter(({ value }) => value !== undefined)

test('the sessions of one browser are one row, and its button signs out of all and of the browser', async (t) => {
  const app = await startTestApp(t)
  const { orders, ledger, user, visitor, statuses } = await newUser(app)
  const { browser } = await signInToAccount(app, user.email)

  const page = await browser.get('/account/sessions')
  const rows = rowsOf(text(page))
  const shared = rows.find(({ shown }) => shown.includes(ledger.name))!
  const before = await statuses()
  await browser.submit(page, { browser: shared.value! })
  const silent = await visitor.get(authUrl(ledger, newPkce().challenge, { prompt: 'none' }))

  assert.equal(rows.length, 2)
  assert.ok(shared.shown.includes(orders.name), 'both applications in one row')
  assert.deepEqual(
    [before, await statuses()],
    [
      [200, 200, 200],
      [401, 401, 200],
    ],
  )
  assert.match(silent.headers.get('location') ?? '', /error=login_required/, 'the browser signs in again')
  const ended = await app.audited({ action: 'session.ended', actorId: user.id })
  assert.equal(ended.length, 2)
})

test('signing out of the present browser keeps it signed in to the own pages', async (t) => {
  const app = await startTestApp(t)
  const { user, visitor, statuses } = await newUser(app)

  const page = await visitor.follow(await visitor.get('/account/sessions'))
  const here = rowsOf(text(page)).find(({ shown }) => shown.includes('This browser'))!
  const done = await visitor.follow(await visitor.submit(page, { browser: here.value! }))

  assert.deepEqual(await statuses(), [401, 401, 200])
  assert.ok(text(done).includes(user.email))
  assert.equal(rowsOf(text(done)).length, 1)
})

test('P26: a session of another user ends no browser', async (t) => {
  const app = await startTestApp(t)
  const [own, other] = [await newUser(app), await newUser(app)]
  const { browser: theirs } = await signInToAccount(app, other.user.email)
  const [row] = rowsOf(text(await theirs.get('/account/sessions')))
  const { browser } = await signInToAccount(app, own.user.email)

  const page = await browser.get('/account/sessions')
  for (const value of [row!.value!, 'unknown', '', '\0'])
    assert.equal((await browser.submit(page, { browser: value })).status, 303)

  assert.deepEqual(
    [await own.statuses(), await other.statuses()],
    [
      [200, 200, 200],
      [200, 200, 200],
    ],
  )
})
