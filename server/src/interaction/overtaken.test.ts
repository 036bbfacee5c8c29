/** A sign-in under way, and what ends all sign-ins of its person: whichever comes first, the end is the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../testing.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

for (const { how, end } of [
  {
    how: 'the password was changed',
    end: ({ platform }: App, id: string) =>
      platform.post(`/admin/users/${id}/set-password`, { password: 'another horse battery' }),
  },
  {
    how: 'the user was disabled, and enabled again',
    end: async ({ platform }: App, id: string) => {
      await platform.patch(`/admin/users/${id}`, { disabled: true })
      return platform.patch(`/admin/users/${id}`, { disabled: false })
    },
  },
]) {
  test(`P04: a sign-in that stopped after the password goes no further once ${how}`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await app.newMember({ skipConsent: true })
    const visitor = app.visitor()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const proven = await visitor.submit(page, { email: user.email, password: PASSWORD })

    await end(app, user.id)
    const resumed = await visitor.follow(await visitor.get(proven.headers.get('location')!))

    assert.equal(proven.status, 303)
    assert.equal(resumed.status, 400)
    assert.equal(resumed.headers.get('location'), null)
  })
}

test('P04: a password that is changed while it is being proven opens nothing', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const browsers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const visitor = app.visitor()
      return { visitor, page: await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge))) }
    }),
  )

  const logins = browsers.map(({ visitor, page }) => visitor.submit(page, { email: user.email, password: PASSWORD }))
  const change = await app.platform.post(`/admin/users/${user.id}/set-password`, { password: 'another horse battery' })
  const proven = await Promise.all(logins)
  const resumed = await Promise.all(
    browsers.map(async ({ visitor }, each) => {
      const location = proven[each]!.headers.get('location')
      return location && (await visitor.follow(await visitor.get(location))).headers.get('location')
    }),
  )

  assert.equal(change.status, 200)
  assert.deepEqual(
    resumed.filter((location) => location),
    [],
  )
})
