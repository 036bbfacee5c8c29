/** Rate limits of a user with passwords of systems: they do not show that the user exists. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { begin } from '../../test/support/factors.ts'
import { newBrowser, startTestApp } from '../../test/support/testing.ts'

test('P29: attempts at one system count at another, whichever has set a password of the user', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1,::1' })
  const [system, other] = [await app.newSystem(), await app.newSystem()]
  const own = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(own)
  const setPassword = ({ id }: { id: string }) =>
    service.post(`/admin/users/${id}/set-password`, { password: randomBytes(16).toString('hex') })
  const memberOfOwn = async (fields: object) => {
    const user = await app.newUser(fields)
    await app.newMembership({ userId: user.id, systemId: own.id })
    await setPassword(user)
    return user
  }
  const both = await memberOfOwn({})
  const onlyThere = await memberOfOwn({ password: undefined })
  const guesser = () => {
    const ip = `10.${[...randomBytes(3)].join('.')}`
    return async (email: string, at: typeof system, times = 1) => {
      const browser = newBrowser(app.url, { always: { 'x-forwarded-for': ip } })
      const page = await begin(browser, at)
      let status = 0
      for (let n = 0; n < times; n++) ({ status } = await browser.submit(page, { email, password: 'wrong' }))
      return status
    }
  }

  const seen = []
  for (const email of [`${crypto.randomUUID()}@x.test`, both.email, onlyThere.email]) {
    const guess = guesser()
    seen.push([await guess(email, system, 5), await guess(email, own), await guess(email, other)])
  }
  const guess = guesser()
  await guess(both.email, system, 5)
  const changed = await setPassword(both)
  const after = [await guess(both.email, own), await guess(both.email, system)]

  assert.deepEqual(seen, Array(3).fill([401, 429, 429]))
  assert.equal(changed.status, 200)
  assert.deepEqual(after, [401, 429], 'a system resets no attempts at the own password of a user')
})
