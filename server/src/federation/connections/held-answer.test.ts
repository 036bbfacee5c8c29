/** An answer of the provider that the browser keeps, and completes the sign-in with later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../../test/support/http.ts'
import { ON_POSTGRES, withLock } from '../../../test/support/locks.ts'
import { visitOther } from '../../../test/support/other-provider.ts'
import {
  backOf,
  linkTo,
  open,
  signInAs,
  startConnection,
  tokensOf,
} from '../../../test/support/sso-sign-in.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { connectionLinks, connections } from '../../database/schema.ts'

const MINUTE = 60_000

/** A member by the connection, with an answer of the provider that does not complete a sign-in yet. */
async function hold(t: Parameters<typeof startConnection>[0]) {
  const place = await startConnection(t, { jit: true })
  const { app, person, connection, other } = place
  await tokensOf(place, await signInAs(place, person('mallory')))
  // Set up long before any answer, also one that `age` makes older.
  await app.db
    .update(connections)
    .set({ configuredAt: new Date(0) })
    .where(eq(connections.id, connection.id))
  const browser = app.newBrowser()
  const { pkce, page } = await open(place, browser)
  const away = await browser.get(linkTo(page, connection.id))
  const arrived = await browser.get(await visitOther(other, away.headers.get('location')))
  const location = String(arrived.headers.get('location'))
  const context = `connection:arrived:${location.split('/').at(-2)}`
  /** As if the answer had arrived so long before. */
  const age = (ms: number) => {
    const [kept] = [...browser.jar].filter(([name]) => name.includes('sso_arrived')).map(([, value]) => value)
    const answer = JSON.parse(app.seal.open(Buffer.from(kept!.value, 'base64url'), context))
    kept!.value = app.seal
      .seal(JSON.stringify({ ...answer, at: answer.at - ms }), context)
      .toString('base64url')
  }
  const complete = async () => {
    const end = await browser.follow(await browser.get(location))
    return { pkce, end, back: backOf(end) }
  }
  const links = () =>
    app.db.select().from(connectionLinks).where(eq(connectionLinks.connectionId, connection.id))
  return { place, age, complete, links }
}

test('P155: an answer of the provider counts for five minutes', async (t) => {
  const late = await hold(t)
  late.age(5 * MINUTE + 1_000)
  const refused = await late.complete()
  const soon = await hold(t)
  soon.age(4 * MINUTE)

  assert.equal(refused.back.code, undefined)
  assert.equal(refused.end.status, 200)
  assert.match(String(refused.end.body), new RegExp(`/connection/${late.place.connection.id}"`))
  await tokensOf(soon.place, await soon.complete())
})

test('P155: after all members are unlinked an answer from before links nobody', async (t) => {
  const { place, complete, links } = await hold(t)
  expectStatus(await place.admin.delete(`${place.connection.path}/links`), 204)

  const { back } = await complete()

  assert.equal(back.code, undefined)
  assert.deepEqual(await links(), [])
  await tokensOf(place, await signInAs(place, place.person('mallory')))
})

test('P155: an answer from before a change of the settings signs nobody in', async (t) => {
  const { place, complete } = await hold(t)
  expectStatus(await place.admin.patch(place.connection.path, { scopes: ['openid', 'email'] }), 200)

  const { back } = await complete()

  assert.equal(back.code, undefined)
  await tokensOf(place, await signInAs(place, place.person('mallory')))
})

type Place = Awaited<ReturnType<typeof hold>>['place']
type Member = { membershipId: string; userId: string }

/** What ends the link of a member. */
const ENDS: Record<string, (place: Place, member: Member) => Promise<{ status: number }>> = {
  'the member is unlinked': ({ admin, accountId }, { membershipId }) =>
    admin.delete(`/admin/accounts/${accountId}/members/${membershipId}/link`),
  'the member is removed': ({ admin }, { membershipId }) =>
    admin.delete(`/admin/memberships/${membershipId}`),
  'the system deletes the user': async ({ app, system }, { userId }) =>
    (await app.serviceOf(system as never)).delete(`/admin/users/${userId}`),
  'the platform deletes the user': ({ app }, { userId }) => app.platform.delete(`/admin/users/${userId}`),
}

for (const [what, end] of Object.entries(ENDS))
  test(`P155: after ${what} an answer from before links nobody, and a new sign-in does`, async (t) => {
    const { place, complete, links } = await hold(t)
    const { app, accountId } = place
    const [link] = await links()
    const { body } = await app.platform.get(
      `/admin/memberships?accountId=${accountId}&userId=${link!.userId}`,
    )
    const member = { membershipId: body.data[0].id, userId: link!.userId }
    assert.equal((await end(place, member)).status, 204)

    const { back, end: page } = await complete()

    assert.deepEqual([back.code, page.status, await links()], [undefined, 403, []])
    await tokensOf(place, await signInAs(place, place.person('mallory')))
    assert.equal((await links()).length, 1)
  })

test('P54: who knows the id of a member of another tenant waits for no row of it', ON_POSTGRES, async (t) => {
  const { place, links } = await hold(t)
  const { app, accountId } = place
  const [link] = await links()
  const of = `accountId=${accountId}&userId=${link!.userId}`
  const { id } = (await app.platform.get(`/admin/memberships?${of}`)).body.data[0]
  const stranger = await app.serviceOf(
    (await app.newSystem({ multiAccount: true, allowClientCredentials: true })) as never,
  )

  const answers = await withLock(
    app.db,
    sql`select from accounts where id = ${accountId} for update`,
    async () => [
      await stranger.delete(`/admin/memberships/${id}`),
      await stranger.delete(`/admin/accounts/${accountId}/members/${id}/link`),
    ],
  )

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404],
  )
})
