/** A sign-in concurrent with an operation that ends all sign-ins of its user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { authUrl, codeFields, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'

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
  test(`P04: a sign-in after the password step ends when ${how}`, async (t) => {
    const app = await startTestApp(t)
    const { system, user } = await app.newMember({ skipConsent: true })
    const visitor = app.newBrowser()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const authenticated = await visitor.submit(page, { email: user.email, password: PASSWORD })

    await end(app, user.id)
    const resumed = await visitor.follow(await visitor.get(authenticated.headers.get('location')!))

    assert.equal(authenticated.status, 303)
    assert.equal(resumed.status, 404)
    assert.equal(resumed.headers.get('location'), null)
  })
}

test('P04: a password changed during its verification does not sign in', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const browsers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const visitor = app.newBrowser()
      return { visitor, page: await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge))) }
    }),
  )

  const logins = browsers.map(({ visitor, page }) =>
    visitor.submit(page, { email: user.email, password: PASSWORD }),
  )
  const change = await app.platform.post(`/admin/users/${user.id}/set-password`, {
    password: 'another horse battery',
  })
  const authenticated = await Promise.all(logins)
  const resumed = await Promise.all(
    browsers.map(async ({ visitor }, each) => {
      const location = authenticated[each]!.headers.get('location')
      return location && (await visitor.follow(await visitor.get(location))).headers.get('location')
    }),
  )

  assert.equal(change.status, 200)
  assert.deepEqual(
    resumed.filter((location) => location),
    [],
  )
})

test('P04: a sign-in concurrent with a password change ends or is refused', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })

  for (let round = 0; round < 10; round++) {
    const user = await app.newUser()
    await app.newMembership({ userId: user.id, systemId: system.id })
    const visitor = app.newBrowser()
    const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
    const authenticated = await visitor.submit(page, { email: user.email, password: PASSWORD })

    const change = app.platform.post(`/admin/users/${user.id}/set-password`, {
      password: 'another horse battery',
    })
    await sleep(14 + round) // ms: a hash takes 11 ms, the transaction after it a few
    const resumed = await visitor.follow(await visitor.get(authenticated.headers.get('location')!))
    assert.equal((await change).status, 200)
    const silent = await visitor.follow(
      await visitor.get(authUrl(system, newPkce().challenge, { prompt: 'none' })),
    )

    assert.ok([303, 400, 404].includes(resumed.status), String(resumed.status))
    assert.match(silent.headers.get('location') ?? '', /error=login_required/)
  }
})

test('P04: single sign-on concurrent with a password change ends', async (t) => {
  const app = await startTestApp(t)
  const other = await app.newSystem({ skipConsent: true })

  for (let round = 0; round < 10; round++) {
    const { system, user } = await app.newMember({ skipConsent: true })
    await app.newMembership({ userId: user.id, systemId: other.id })
    const { visitor } = await app.signIn(system, { email: user.email })
    const pkce = newPkce()

    const change = app.platform.post(`/admin/users/${user.id}/set-password`, {
      password: 'another horse battery',
    })
    await sleep(14 + round) // ms: a hash takes 11 ms, the transaction after it a few
    const went = await visitor.get(authUrl(other, pkce.challenge, { prompt: 'none' }))
    assert.equal((await change).status, 200)
    const location = went.headers.get('location')
    const back = location ? Object.fromEntries(new URL(location).searchParams) : {}
    const tokens = await app.token(other, codeFields(other, { back, pkce }))
    const silent = await visitor.get(authUrl(other, newPkce().challenge, { prompt: 'none' }))

    assert.equal(tokens.status, 400)
    assert.match(silent.headers.get('location') ?? '', /error=login_required/)
  }
})
