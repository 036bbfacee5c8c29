/** Response times of failed logins. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { COUNTING, hashesDuring } from '../../test/support/hash-count.ts'
import { assertSameTime } from '../../test/support/response-times.ts'
import { authUrl, newPkce, startTestApp } from '../../test/support/testing.ts'
import { limits } from '../database/schema.ts'

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { ...COUNTING, TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const newEmail = () => `bob-${randomBytes(6).toString('hex')}@x.test`

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
  let requests = 0
  const sending = (kind: string) => async () => {
    if (requests++ % 100 === 0) await app.db.delete(limits)
    const [email, password] = kinds[kind]!()
    return async () => {
      const { status } = await browser.post(action, { csrf, email, password }, { 'x-forwarded-for': newIp() })
      assert.equal(status, password === '' ? 400 : 401)
    }
  }

  const hashes: Record<string, number> = {}
  for (const kind of Object.keys(kinds)) hashes[kind] = await hashesDuring(app.url, await sending(kind)())
  const alike = async (...names: string[]) =>
    assertSameTime(t, Object.fromEntries(names.map((kind) => [kind, sending(kind)])), { rounds: 60 })

  assert.deepEqual(hashes, { wrong: 1, unknown: 1, passwordless: 1, empty: 0, emptyOfUnknown: 0 })
  await alike('wrong', 'unknown', 'passwordless')
  await alike('empty', 'emptyOfUnknown')
})
