/** Response times of failed logins. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'
import { limits } from '../database/schema.ts'

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const newEmail = () => `bob-${randomBytes(6).toString('hex')}@x.test`
/** The median. */
const median = (samples: number[]) =>
  samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)]!

test('P06: unknown address, user without password and wrong password take the same time', async (t) => {
  const app = await startTestApp(t, PROXIED)
  const { system, user } = await app.newMember({ skipConsent: true })
  const passwordless = await app.newUser({ password: undefined })
  const kinds: Record<string, () => [string, string]> = {
    wrong: () => [user.email, 'wrong password'],
    unknown: () => [newEmail(), 'wrong password'],
    passwordless: () => [passwordless.email, 'wrong password'],
    empty: () => [user.email, ''],
    emptyOfUnknown: () => [newEmail(), ''],
  }
  const browser = app.newBrowser()
  const started = await browser.get(authUrl(system, newPkce().challenge))
  const page = await browser.get(started.headers.get('location')!)
  const action = /<form method="post" action="([^"]+)"/.exec(String(page.body))![1]!
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))

  for (let round = 0; round < 100; round++) {
    if (round % 40 === 0) await app.db.delete(limits)
    for (const [kind, make] of Object.entries(kinds)) {
      const [email, password] = make()
      const begun = performance.now()
      const { status } = await browser.post(action, { csrf, email, password }, { 'x-forwarded-for': newIp() })
      samples[kind]!.push(performance.now() - begun)
      assert.equal(status, password === '' ? 400 : 401)
    }
  }

  const medians = Object.fromEntries(Object.entries(samples).map(([kind, times]) => [kind, median(times)]))
  t.diagnostic(JSON.stringify(medians))
  const alike = (one: string, other: string) => {
    const [a, b] = [medians[one]!, medians[other]!]
    assert.ok(Math.abs(a - b) <= Math.max(10, 0.15 * Math.max(a, b)), `${one} ${a} ms, ${other} ${b} ms`)
  }
  for (const kind of ['unknown', 'passwordless']) alike('wrong', kind)
  alike('empty', 'emptyOfUnknown')
})
