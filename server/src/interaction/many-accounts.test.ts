/** A user who is a member of more accounts than a page of the sign-in lists. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { insertInParts } from '../../test/support/many-rows.ts'
import { authUrl, formOf, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { ACCOUNTS_SHOWN } from '../resources/sign-ins/access.ts'
import { findSignIn } from '../resources/sign-ins/queries.ts'

const MANY = 1_000

/** `Account 1` is the oldest. */
async function given(t: TestContext) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, skipConsent: true })
  const user = await app.newUser()
  const first = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Account 1' })
  const name = (nth: number) => `Account ${nth}`
  await insertInParts(app.db, MANY - 1, (from, to) =>
    app.db.execute(sql`
      with made as (
        insert into accounts (system_id, name, kind)
        select ${system.id}, 'Account ' || n + 1, 'organization' from generate_series(${from}::int, ${to}::int) n
        returning id, name)
      insert into memberships (user_id, system_id, account_id, status, exclusive, added_by, email, activated_at, created_at)
      select ${user.id}, ${system.id}, id, 'active', false, 'platform', ${user.email}, now(),
        now() + split_part(name, ' ', 2)::int * interval '1 millisecond' from made`),
  )
  const idOf = async (accountName: string) => {
    const found = await app.db.execute(
      sql`select id from accounts where system_id = ${system.id} and name = ${accountName}`,
    )
    return (found as unknown as { rows: { id: string }[] }).rows[0]!.id
  }
  const begin = async (parameters: Record<string, string> = {}) => {
    const browser = app.newBrowser()
    const login = await browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))
    const page = await browser.follow(await browser.submit(login, { email: user.email, password: PASSWORD }))
    return { browser, page }
  }
  return { app, system, user, first, name, idOf, begin }
}

const offered = (page: unknown) =>
  [...String(page).matchAll(/name="accountId" value="([^"]+)"/g)].map(([, id]) => id!)

test('P54: a sign-in reads no more memberships of a user than its page lists', async (t) => {
  const { app, system, user, first, begin } = await given(t)

  const { page } = await begin()
  const keys = { userId: user.id, systemId: system.id, sid: undefined }
  const unnamed = await findSignIn(app.db, { ...keys, accountId: undefined })
  const named = await findSignIn(app.db, { ...keys, accountId: first.accountId })

  assert.equal(offered(page.body).length, ACCOUNTS_SHOWN)
  assert.match(String(page.body), /You have more organizations/)
  assert.equal(unnamed?.memberships.length, ACCOUNTS_SHOWN + 1)
  assert.equal(named?.memberships.length, ACCOUNTS_SHOWN + 2)
})

test('a user with 1,000 accounts finds one that the page does not list, and is signed in to it', async (t) => {
  const { begin, idOf } = await given(t)
  const { browser, page } = await begin()
  const wanted = await idOf('Account 17')

  const address = formOf(page).action.replace(/\/account$/, '')
  const found = await browser.get(`${address}?search=${encodeURIComponent('17 ACC')}`)
  const none = await browser.get(`${address}?search=nothing`)
  const json = await browser.get(`${address}?search=account%20171`, { accept: 'application/json' })
  const back = await browser.follow(await browser.submit(found, { accountId: wanted }))

  assert.ok(!offered(page.body).includes(wanted))
  assert.deepEqual(offered(found.body)[0], wanted)
  assert.deepEqual(offered(none.body), [])
  assert.match(String(none.body), /No organization matches/)
  assert.deepEqual(
    (json.body as { fields: { options: { name: string }[] }[] }).fields[0]!.options.map(({ name }) => name),
    ['Account 171'],
  )
  assert.match(String(back.headers.get('location')), /[?&]code=/)
})

test('a silent sign-in finds any membership by its key, and an account of others is refused', async (t) => {
  const { app, system, user, first, begin } = await given(t)
  const other = await app.newMembership({
    userId: (await app.newUser()).id,
    systemId: system.id,
    accountName: 'B',
  })
  const { browser } = await begin({ account_id: first.accountId })

  const silent = (account_id: string) =>
    app.authorize(system, { email: user.email, visitor: browser, parameters: { prompt: 'none', account_id } })
  const [mine, theirs] = [await silent(first.accountId), await silent(other.accountId)]
  const selection = await app.authorize(system, {
    email: user.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })

  assert.ok(mine.back.code)
  assert.equal(theirs.back.error, 'access_denied')
  assert.equal(selection.back.error, 'account_selection_required')
})

test('the account that was used last is the first of the page, however old its membership is', async (t) => {
  const { first, begin } = await given(t)
  await begin({ account_id: first.accountId })

  const { page } = await begin()

  assert.equal(offered(page.body)[0], first.accountId)
  assert.match(String(page.body), /Last used/)
})
