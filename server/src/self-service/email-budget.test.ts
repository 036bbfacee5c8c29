/** How many links to an address receive those who ask for it as their new one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAddress } from '../../test/support/invitations.ts'
import { type Driver, newBrowser, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { inTransaction } from '../database/transaction.ts'
import { reserveForAsker } from '../jobs/email/budget.ts'

const linksTo = async (app: Driver, address: string) =>
  (await app.emailsTo(address)).filter(({ kind }) => kind === 'email_change')

/** A user in a browser of a network of its own, or of `ip`. */
async function newAsker(app: Driver, ip?: string) {
  const user = await app.newUser()
  const address = ip ?? `198.51.${[...crypto.getRandomValues(new Uint8Array(2))].join('.')}`
  const browser = newBrowser(app.url, { always: { 'x-forwarded-for': address } })
  const login = await browser.follow(await browser.get('/account/email'))
  const form = await browser.follow(
    await browser.submit(login, { email: String(user.email), password: PASSWORD }),
  )
  return { user, browser, ask: (email: string) => browser.submit(form, { email }) }
}

test('P07: whoever uses up the links to a new address keeps it from no one else who asks for it', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1' })
  const [attacker, owner] = [await newAsker(app), await newAsker(app)]
  const to = newAddress()
  for (let times = 0; times < 5; times++) await attacker.ask(to)
  const used = (await linksTo(app, to)).length

  const asked = await owner.ask(to)
  const token = /token=([\w-]+)/.exec((await linksTo(app, to)).at(-1)!.text)![1]!
  const done = await owner.browser.post('/change-email', { token })

  assert.equal(used, 3)
  assert.deepEqual([asked.status, done.status], [303, 200])
  assert.equal((await app.platform.get(`/admin/users/${owner.user.id}`)).body.email, to)
})

test('P07: many users of one network do not flood a mailbox with links to it as a new address', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1' })
  const to = newAddress()
  const askers = []
  for (let number = 0; number < 8; number++) askers.push(await newAsker(app, '198.51.100.7'))
  const owner = await newAsker(app)

  for (const { ask } of askers) for (let times = 0; times < 2; times++) await ask(to)
  const flooded = (await linksTo(app, to)).length
  await owner.ask(to)

  assert.equal(flooded, 6, 'three of all users, and three of the network')
  assert.equal((await linksTo(app, to)).length, 7)
})

test('P07: a mailbox has a limit for the links to it as a new address, whoever asks', async (t) => {
  const app = await startTestApp(t, { TRUST_PROXY: '127.0.0.1' })
  const to = newAddress()
  const asker = await newAsker(app)
  const before = []
  for (let number = 0; number < 40; number++) {
    const asked = { userId: crypto.randomUUID(), ip: `198.51.100.${number}` }
    before.push(await inTransaction(app.db, (tx) => reserveForAsker(tx, app.seal, to, asked)))
  }

  await asker.ask(to)

  assert.equal(before.filter(Boolean).length, 33)
  assert.deepEqual(await linksTo(app, to), [])
})
